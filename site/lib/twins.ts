import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { blankFrontMatter } from './catalog.ts';
import { docLink } from './doc-links.ts';
import { diskTargets } from './doc-targets.ts';
import { absoluteHref } from './links.ts';
import { library, readText, root } from './source.ts';

const parser = unified().use(remarkParse).use(remarkGfm);
const targets = diskTargets({
	root,
	base: absoluteHref('/'),
	repository: library.registry.library.repository,
	branch: library.registry.library.branch,
	ids: library.patterns.map(({ id }) => id),
});

/**
 * A Markdown file of the repository as the twin of its page: the same text, its relative links made absolute, since the
 * twin is read away from the repository. Undefined when there is no such file.
 */
export function markdownTwin(path: string): string | undefined {
	const text = readText(path);
	return text === undefined ? undefined : absoluteLinks(text, path);
}

/** True when `markdownTwin` has a text for this file. */
export function hasTwin(path: string): boolean {
	return readText(path) !== undefined;
}

/** Rewrites the links of a Markdown text in place; all else keeps its bytes. */
function absoluteLinks(text: string, path: string): string {
	const edits: { from: number; to: number; url: string }[] = [];
	visit(parser.parse(blankFrontMatter(text)), (node) => {
		if (node.type !== 'link' && node.type !== 'definition') return;
		const start = node.position?.start.offset;
		const end = node.position?.end.offset;
		const url = docLink(node.url, path, targets);
		if (start === undefined || end === undefined || url === node.url) return;
		// The address stands last in a link: behind `](` or `]:`.
		const at = text.slice(start, end).lastIndexOf(node.url);
		if (at >= 0) edits.push({ from: start + at, to: start + at + node.url.length, url });
	});
	return edits
		.sort((a, b) => b.from - a.from)
		.reduce((done, { from, to, url }) => done.slice(0, from) + url + done.slice(to), text);
}

/** The response of a twin's endpoint. */
export function markdownResponse(text: string): Response {
	return new Response(text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } });
}
