import type { PatternRecord } from '../registry/schema.ts';
import { type Artifact, generated } from './artifact.ts';
import { cardTree } from './card-tree.ts';
import type { RenderContext } from './context.ts';
import { readFrontMatter, withFrontMatter } from './front-matter.ts';
import { pagePath } from './layout.ts';
import { repositoryLinks } from './links.ts';
import { oneLine, writeBlocks } from './markdown.ts';
import { noticeComment } from './notice.ts';

/** A card as Markdown, beginning with its title: the body of its page and of the page's Markdown twin. Pure. */
export function patternMarkdown(record: PatternRecord, context: RenderContext): string {
	return writeBlocks(cardTree(record, context), context.write);
}

/** The page of a record in the repository: front matter, the notice, and the card with links relative to the page. */
export function patternPage(record: PatternRecord, context: RenderContext): Artifact {
	const path = pagePath(record.id);
	const links = repositoryLinks(context.urls, path);
	const body = writeBlocks([noticeComment(context.origin), ...cardTree(record, { ...context, links })], context.write);
	const data = {
		// As the author wrote it, so that it reads back as the same string.
		title: record.title.trim() === '' ? record.id : record.title,
		description: oneLine(record.summary),
		id: record.id,
		tier: record.tier,
		category: record.category,
		maturity: record.maturity,
		generated: context.origin.command,
	};
	return generated(path, withFrontMatter(data, body));
}

/**
 * Whether a file in the pages' folder is one that an earlier build wrote: its front matter says so and its id is the
 * file's name. A copy under another name is somebody's draft.
 */
export function isGeneratedPage(path: string, text: string): boolean {
	const data = readFrontMatter(text);
	return typeof data?.generated === 'string' && typeof data.id === 'string' && path === pagePath(data.id);
}
