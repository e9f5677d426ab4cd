import type { Registry } from '../registry/schema.ts';
import { LAYOUT } from './layout.ts';

/** Every address that a generated file may hold. */
export interface Urls {
	/** A path of the published site, below its base; root-relative when the library names no site. */
	site(path: string): string;
	/** The page of a record. */
	page(id: string): string;
	/** The Markdown twin of a record's page. */
	pageTwin(id: string): string;
	/** The index of the pages. */
	index(): string;
	indexTwin(): string;
	/** A file or folder of the repository in its browser, or undefined when the library names no repository. */
	repository(path: string, kind: 'file' | 'dir'): string | undefined;
}

/** Addresses under the library's `url` and `repository`, each with or without a path and a slash at its end. */
export function createUrls(library: Pick<Registry['library'], 'url' | 'repository'>): Urls {
	const base = withoutSlashes(library.url);
	const repository = withoutSlashes(library.repository);
	const site = (path: string) => `${base}/${encodePath(path.replace(/^\/+/, ''))}`;
	const page = (id: string) => site(`${LAYOUT.pages}/${id}/`);
	const index = () => site(`${LAYOUT.pages}/`);
	return {
		site,
		page,
		pageTwin: (id) => `${page(id)}index.html.md`,
		index,
		indexTwin: () => `${index()}index.html.md`,
		repository: (path, kind) =>
			repository === '' ? undefined : `${repository}/${kind === 'dir' ? 'tree' : 'blob'}/main/${encodePath(path)}`,
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
