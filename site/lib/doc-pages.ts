/** Which page of the site shows a Markdown file of the repository. Pure: existence is for the caller to know. */

/** Hand-written files beside `docs/` that are guides too, and their page. */
const GUIDES_ELSEWHERE: Readonly<Record<string, string>> = {
	'CONTRIBUTING.md': '/docs/contributing/',
	'mcp/README.md': '/docs/mcp/',
};

/** Globs of all files that are shown as guides, from the repository's root. */
export const GUIDE_FILES = ['docs/*.{md,mdx}', ...Object.keys(GUIDES_ELSEWHERE)];
/** Glob of the patterns' own descriptions. */
export const README_FILES = ['library/*/README.md'];

/** The path of the page that shows a file (from the root of the repository), or undefined when none does. */
export function pageOfFile(path: string): string | undefined {
	const elsewhere = GUIDES_ELSEWHERE[path];
	if (elsewhere !== undefined) return elsewhere;
	const [, readme] = /^library\/([^/]+)(?:\/(?:README\.md)?)?$/.exec(path) ?? [];
	if (readme !== undefined && !readme.includes('.')) return `/docs/library/${readme}/`;
	const [, card] = /^docs\/pattern-library\/([^/]+)\.md$/.exec(path) ?? [];
	if (card !== undefined) return card === 'index' ? '/docs/pattern-library/' : `/docs/pattern-library/${card}/`;
	if (/^docs\/pattern-library\/?$/.test(path)) return '/docs/pattern-library/';
	const [, guide] = /^docs\/([^/]+)\.mdx?$/.exec(path) ?? [];
	return guide === undefined || guide === 'index' ? undefined : `/docs/${guide}/`;
}
