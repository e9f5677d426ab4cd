import { posix } from 'node:path';
import { pageOfFile } from './doc-pages.ts';

/** What there is to link to. */
export interface LinkTargets {
	/** Turns a path of the site into an address. */
	page(path: string): string;
	/** What stands at a path of the repository. */
	kind(path: string): 'file' | 'dir' | undefined;
	/** The address of a file or folder in the repository's browser, or undefined when there is none. */
	repository(path: string, kind: 'file' | 'dir'): string | undefined;
	/** True when the site builds this page. */
	hasPage(path: string): boolean;
}

/**
 * Where a link in a Markdown file leads once the file is a page: a link to a file that has a page leads there, one to a
 * served file (`public/…`) to where it is served, any other to the repository's browser. Absolute addresses and
 * fragments stay as they are.
 * @param url the link as written
 * @param from the file that holds it, from the root of the repository
 */
export function docLink(url: string, from: string, targets: LinkTargets): string {
	if (url === '' || url.startsWith('#') || url.startsWith('//') || /^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
	const [, written = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
	if (written.startsWith('/')) return targets.page(written) + rest;
	const path = posix.normalize(posix.join(posix.dirname(from), decoded(written))).replace(/\/+$/, '');
	if (path.startsWith('..')) return url;
	const page = pageOfFile(path);
	if (page !== undefined && targets.hasPage(page)) return targets.page(page) + rest;
	const kind = targets.kind(path);
	if (kind === 'file' && path.startsWith('public/')) return targets.page(path.slice('public'.length)) + rest;
	return (targets.repository(path, kind ?? 'file') ?? url) + rest;
}

/** A written path without its percent signs; as it stands when it is badly encoded. */
export function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
