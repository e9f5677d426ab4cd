/**
 * Every address inside the site comes from here, since only this module knows the base below which the site lies.
 */

const BASE = (import.meta.env.V10R_BASE ?? '/').replace(/\/+$/, '');

/** A page or a file of the site, given by its path from the site's root: `/docs/` → `/base/docs/`. */
export function href(path: string): string {
	return `${BASE}/${path.replace(/^\/+/, '')}`;
}

/** The same as an absolute address, for metadata that is read elsewhere. */
export function absoluteHref(path: string): string {
	return new URL(href(path), import.meta.env.V10R_SITE).href;
}

/** A path of the site without its base, from the path of a request: the inverse of `href`. */
export function withoutBase(pathname: string): string {
	return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
}

/** Paths of the pages, each from the site's root. */
export const PATHS = {
	home: '/',
	catalog: '/docs/pattern-library/',
	card: (id: string) => `/docs/pattern-library/${id}/`,
	guides: '/docs/',
	readme: (id: string) => `/docs/library/${id}/`,
	showcases: '/showcases/',
	showcase: (id: string) => `/showcases/${id}/`,
	search: '/search/',
	llms: '/llms.txt',
	llmsFull: '/llms-full.txt',
	corpus: '/corpus.jsonl',
	registry: '/registry.json',
} as const;

/** The Markdown twin of a page. */
export function twinOf(page: string): string {
	return `${page}index.html.md`;
}
