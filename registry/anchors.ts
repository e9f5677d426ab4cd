import GithubSlugger from 'github-slugger';
import { toString as textOf } from 'mdast-util-to-string';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { blankFrontMatter } from './front-matter.ts';

const parser = unified().use(remarkParse).use(remarkGfm);

/**
 * The fragments that a Markdown file answers to on GitHub, in order, without `#`: the slug of each heading (a repeated
 * one gets -1, -2 …), headings written as HTML, and explicit `id` and `<a name>` anchors. A heading inside a code block is text.
 */
export function anchorsOf(markdown: string): string[] {
	const slugger = new GithubSlugger();
	const anchors: string[] = [];
	visit(parser.parse(blankFrontMatter(markdown)), (node) => {
		if (node.type === 'heading') {
			anchors.push(slugger.slug(textOf(node, { includeImageAlt: false, includeHtml: false })));
		}
		if (node.type === 'html') anchors.push(...htmlAnchors(node.value, slugger));
	});
	return anchors;
}

function htmlAnchors(html: string, slugger: GithubSlugger): string[] {
	const visible = html.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
	const explicit = [...visible.matchAll(/<[a-z][^>]*?\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)];
	const headings = [...visible.matchAll(/<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1>/gi)];
	return [
		...explicit.map((match) => match[1] ?? match[2] ?? match[3] ?? ''),
		...headings.map((match) => slugger.slug((match[2] ?? '').replace(/<[^>]*>/g, '').trim())),
	].filter((anchor) => anchor !== '');
}
