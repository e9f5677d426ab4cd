import { posix } from 'node:path';
import type { Ref } from '../registry/schema.ts';
import { pagePath } from './layout.ts';
import { encodePath, type Urls } from './urls.ts';

/** How a generated text links to patterns and to what their cards cite. */
export interface Links {
	pattern(id: string): string;
	/** Where a ref leads, or undefined when nothing can be linked from here. */
	ref(ref: Pick<Ref, 'path' | 'kind'>): string | undefined;
}

/**
 * Links for texts that are read away from the repository: twins, llms-full.txt, the corpus. They are absolute wherever
 * the library says where it is published.
 */
export function siteLinks(urls: Urls): Links {
	return {
		pattern: (id) => urls.pageTwin(id),
		ref: (ref) => {
			if (isAbsolute(ref.path)) return ref.path;
			if (isRoute(ref)) return urls.site(ref.path);
			const path = inRepository(ref.path);
			return path === undefined ? undefined : urls.repository(path, ref.kind === 'dir' ? 'dir' : 'file');
		},
	};
}

/** Links relative to the file at `from`, so that they hold in every clone, fork and branch. */
export function repositoryLinks(urls: Urls, from: string): Links {
	const relative = (path: string) => encodePath(posix.relative(posix.dirname(from), path));
	return {
		pattern: (id) => relative(pagePath(id)),
		ref: (ref) => {
			if (isAbsolute(ref.path)) return ref.path;
			if (isRoute(ref)) return urls.site(ref.path);
			const path = inRepository(ref.path);
			return path === undefined ? undefined : relative(path);
		},
	};
}

/** The path of a cited file without `./`, doubled slashes and a slash at its end; undefined when it leaves the root. */
export function inRepository(path: string): string | undefined {
	const normal = posix.normalize(path).replace(/\/+$/, '');
	return normal === '..' || normal.startsWith('../') || normal.startsWith('/') ? undefined : normal;
}

function isRoute(ref: Pick<Ref, 'kind'>): boolean {
	return ref.kind === 'route' || ref.kind === 'approute';
}

function isAbsolute(path: string): boolean {
	return /^https?:\/\//i.test(path);
}
