import type { Answer } from './ask.ts';
import { element } from './dom.ts';

/** What this module uses of Pagefind's interface in the browser. */
interface Pagefind {
	options(options: { baseUrl?: string; excerptLength?: number }): Promise<void>;
	search(query: string): Promise<{ results: { data(): Promise<Found> }[] }>;
}
interface Found {
	url: string;
	meta: { title?: string };
	excerpt: string;
}

/** Where the index lies, and the base of the addresses that it gives. */
export interface FullTextPlaces {
	/** Address of `pagefind.js`. */
	script: string;
	base: string;
}

const LIMIT = 8;
const started = new Map<string, Promise<Pagefind>>();

/** Searches the text of all pages. */
export async function searchText(query: string, places: FullTextPlaces): Promise<Answer> {
	const pagefind = await start(places);
	const { results } = await pagefind.search(query);
	const found = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
	if (found.length === 0) {
		return { summary: 'No page has these words', nodes: [element('p', {}, 'No page of this site has these words.')] };
	}
	return {
		summary: `${results.length} ${results.length === 1 ? 'page' : 'pages'}`,
		nodes: [
			element('ol', { role: 'list', class: 'pages' }, ...found.map(row)),
			...(results.length > found.length
				? [element('p', { class: 'note' }, `The first ${found.length} of ${results.length}.`)]
				: []),
		],
	};
}

function start(places: FullTextPlaces): Promise<Pagefind> {
	const known = started.get(places.script);
	if (known) return known;
	const loading = import(/* @vite-ignore */ places.script).then(async (pagefind: Pagefind) => {
		await pagefind.options({ baseUrl: places.base, excerptLength: 24 });
		return pagefind;
	});
	started.set(places.script, loading);
	loading.catch(() => started.delete(places.script));
	return loading;
}

function row({ url, meta, excerpt }: Found): HTMLElement {
	return element('li', {}, element('a', { href: url }, meta.title ?? url), element('p', {}, ...excerptNodes(excerpt)));
}

/** An excerpt is escaped text with its matches in <mark>; only those two are taken from it. */
function excerptNodes(excerpt: string): Node[] {
	const { body } = new DOMParser().parseFromString(excerpt, 'text/html');
	return [...body.childNodes].map((node) =>
		node.nodeName === 'MARK' ? element('mark', {}, node.textContent ?? '') : new Text(node.textContent ?? ''),
	);
}
