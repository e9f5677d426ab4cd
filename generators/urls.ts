import { DEFAULT_BRANCH, type Registry } from '../registry/schema.ts';
import { LAYOUT, pagePath, servedName } from './layout.ts';

/**
 * Every address that a generated file may hold. A library without a site has its pages in its repository's browser; one
 * without either, at their paths from the root of the repository.
 */
export interface Urls {
	/** A path of the published site, below its base, or undefined when the library names no site. */
	site(path: string): string | undefined;
	/** The page of a record. */
	page(id: string): string;
	/** The card of a record as Markdown: the twin of its page, or the page in the repository. */
	pageTwin(id: string): string;
	/** The index of the pages. */
	index(): string;
	indexTwin(): string;
	/** A generated file of `public/`, as the site serves it. */
	served(path: string): string;
	/** A file or folder of the repository in its browser, or undefined when the library names no repository. */
	repository(path: string, kind: 'file' | 'dir'): string | undefined;
}

/** Addresses under the library's `url` and `repository`, each with or without a path and a slash at its end. */
export function createUrls(library: Pick<Registry['library'], 'url' | 'repository' | 'branch'>): Urls {
	const base = withoutSlashes(library.url);
	const browser = withoutSlashes(library.repository);
	const branch = (library.branch ?? DEFAULT_BRANCH).split('/').map(encodeSegment).join('/');
	const site = (path: string) => (base === '' ? undefined : `${base}/${encodePath(path.replace(/^\/+/, ''))}`);
	const repository = (path: string, kind: 'file' | 'dir') =>
		browser === '' ? undefined : `${browser}/${kind === 'dir' ? 'tree' : 'blob'}/${branch}/${encodePath(path)}`;
	const file = (path: string) => repository(path, 'file') ?? encodePath(path);
	const page = (id: string) => site(`${LAYOUT.pages}/${id}/`) ?? file(pagePath(id));
	const pageTwin = (id: string) => site(`${LAYOUT.pages}/${id}/index.html.md`) ?? file(pagePath(id));
	return {
		site,
		page,
		pageTwin,
		index: () => site(`${LAYOUT.pages}/`) ?? file(pagePath('index')),
		indexTwin: () => site(`${LAYOUT.pages}/index.html.md`) ?? file(pagePath('index')),
		served: (path) => site(servedName(path)) ?? file(path),
		repository,
	};
}

/** Percent-encodes a path for a URL, keeping its slashes, its `#fragment` and the characters that a path may hold. */
export function encodePath(path: string): string {
	// A lone surrogate has no UTF-8 form; encodeURIComponent would throw.
	const wellFormed = path.replace(/\p{Surrogate}/gu, '\uFFFD');
	const at = wellFormed.indexOf('#');
	const encoded = (at < 0 ? wellFormed : wellFormed.slice(0, at)).split('/').map(encodeSegment).join('/');
	return at < 0 ? encoded : `${encoded}#${encodeURIComponent(wellFormed.slice(at + 1))}`;
}

function encodeSegment(segment: string): string {
	return encodeURIComponent(segment).replace(/%(?:24|26|2B|2C|3D|40)/g, decodeURIComponent);
}

function withoutSlashes(url: string): string {
	return url.replace(/\/+$/, '');
}
