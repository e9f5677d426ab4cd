import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the output: its path from the site's root, its text, and the ids that fragments can name. */
export interface CrawledPage {
	path: string;
	html: string;
	ids: ReadonlySet<string>;
}

/** Every page of a built site, by its path (`/docs/`; `/404.html` for the one that has no folder). */
export function crawledPages(folder: string): Map<string, CrawledPage> {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
	return new Map(
		files.map((file) => {
			const path = `/${file.replace(/(?:^|(?<=\/))index\.html$/, '')}`;
			const html = readFileSync(join(folder, file), 'utf8');
			return [path, { path, html, ids: new Set([...html.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1] ?? '')) }];
		}),
	);
}

/** Every address that a page names: links, images, scripts, styles, forms, metadata and data for its scripts. */
export function addressesOf(html: string): string[] {
	const bare = html.replace(/<pre[\s\S]*?<\/pre>/g, (code) => code.replace(/>[^<]*</g, '><'));
	const attributes = /\s(?:href|src|srcset|action|poster|data-copy-from|data-registry|data-pagefind)="([^"]*)"/g;
	const metadata = /<meta property="og:(?:image|url)" content="([^"]*)"/g;
	return [...bare.matchAll(attributes), ...bare.matchAll(metadata)].map((match) =>
		(match[1] ?? '').replaceAll('&amp;', '&'),
	);
}

/**
 * What is wrong with the addresses of a built site: those that leave the base, name nothing that was built, or a
 * fragment that the page lacks. Addresses of other hosts are given to `foreign` to judge.
 */
export function brokenAddresses(
	folder: string,
	site: string,
	base: string,
	foreign: (address: string) => boolean,
): string[] {
	const pages = crawledPages(folder);
	const prefix = base === '/' ? '' : base;
	const wrong: string[] = [];
	for (const page of pages.values()) {
		for (const address of addressesOf(page.html)) {
			if (/^(?:mailto|data):/.test(address)) continue;
			const target = new URL(address, `${site}${prefix}${page.path}`);
			if (target.origin !== site) {
				if (!foreign(address)) wrong.push(`${page.path}: ${address} is on another host`);
			} else if (!target.pathname.startsWith(`${prefix}/`)) {
				wrong.push(`${page.path}: ${address} leaves the base`);
			} else {
				const fault = faultOf(folder, pages, target.pathname.slice(prefix.length), target.hash);
				if (fault) wrong.push(`${page.path}: ${address} ${fault}`);
			}
		}
	}
	return wrong;
}

function faultOf(
	folder: string,
	pages: ReadonlyMap<string, CrawledPage>,
	path: string,
	hash: string,
): string | undefined {
	const page = pages.get(decodeURIComponent(path));
	if (!page) {
		const file = join(folder, decodeURIComponent(path));
		return existsSync(file) && statSync(file).isFile() ? undefined : 'names nothing that was built';
	}
	const id = decodeURIComponent(hash.slice(1));
	return id === '' || page.ids.has(id) ? undefined : 'names a fragment that the page lacks';
}
