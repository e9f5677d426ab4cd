import GithubSlugger from 'github-slugger';
import type { RootContent } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { type Artifact, generated } from './artifact.ts';
import type { RenderContext } from './context.ts';
import { withFrontMatter } from './front-matter.ts';
import { indexTree } from './index-table.ts';
import { pagePath } from './layout.ts';
import { repositoryLinks } from './links.ts';
import { heading, inline, paragraph, writeBlocks } from './markdown.ts';
import { noticeComment } from './notice.ts';

/** The index of the pages as Markdown: the body of its page and of the page's Markdown twin. Pure. */
export function indexMarkdown(context: RenderContext): string {
	return writeBlocks(tree(context), context.write);
}

/** The index page in the repository. */
export function sectionIndex(context: RenderContext): Artifact {
	const path = pagePath('index');
	const links = repositoryLinks(context.urls, path);
	const { title, description } = context.library.registry.library;
	const body = writeBlocks([noticeComment(context.origin), ...tree({ ...context, links })], context.write);
	return generated(path, withFrontMatter({ title, description, id: 'index', generated: context.origin.command }, body));
}

/** The fragment of each category's heading on the index page and on its twin, as GitHub makes it. */
export function categoryAnchors(context: RenderContext): ReadonlyMap<string, string> {
	const slugger = new GithubSlugger();
	const anchors = tree(context)
		.filter((node) => node.type === 'heading')
		.map((node) => ({ depth: node.depth, anchor: slugger.slug(textOf(node)) }))
		.filter(({ depth }) => depth === 3);
	const categories = context.sections.flatMap((section) => section.categories);
	return new Map(categories.map(({ category }, index) => [category.id, anchors[index]?.anchor ?? '']));
}

function tree(context: RenderContext): RootContent[] {
	const { title, description } = context.library.registry.library;
	const about = inline(description);
	return [heading(1, ...inline(title)), ...(about.length > 0 ? [paragraph(...about)] : []), ...indexTree(context, 2)];
}
