import { tokenize } from '../lib/catalog.ts';
import type { Answer } from './ask.ts';
import { element } from './dom.ts';
import { type PageData, type Pagefind, type PagefindPlaces, pagesWith, startPagefind } from './pagefind.ts';
import { coverWords, type PageGroup } from './word-cover.ts';

const LIMIT = 8;

/** A page to show, and the words of the query that it lacks. */
interface Row {
	data: PageData;
	lacks: readonly string[];
}

/**
 * Searches the text of all pages for the words of a query that carry meaning. Pages with all of them come first, then
 * those with the rarest; each says what it lacks. A query in quotation marks is looked for as it stands.
 */
export async function searchText(query: string, places: PagefindPlaces): Promise<Answer> {
	const pagefind = await startPagefind(places);
	if (/^".+"$/.test(query)) return searchPhrase(pagefind, query);
	const written = query.toLowerCase().split(/\s+/);
	const words = wordsOf(query, written);
	const found = await Promise.all(words.map(async (word) => ({ word, pages: await pagesWith(pagefind, word) })));
	const known = found.filter(({ pages }) => pages.length > 0);
	const groups = coverWords(known);
	const total = countPages(groups);
	const unknown = found.filter(({ pages }) => pages.length === 0).map(({ word }) => word);
	const notes = [
		...(words.length < written.length ? [`Looked for ${words.join(', ')}.`] : []),
		...(unknown.length > 0 && total > 0 ? [`On no page: ${unknown.join(', ')}.`] : []),
	];
	return {
		summary: summaryOf(words, groups, unknown),
		nodes: [
			...notes.map((note) => element('p', { class: 'note' }, note)),
			...pageList(await rowsOf(pagefind, groups), total),
		],
	};
}

async function searchPhrase(pagefind: Pagefind, phrase: string): Promise<Answer> {
	const { results } = await pagefind.search(phrase);
	const shown = await Promise.all(
		results.slice(0, LIMIT).map(async (result) => ({ data: await result.data(), lacks: [] })),
	);
	return {
		summary: results.length === 0 ? 'No page has this phrase' : `${counted(results.length)} this phrase`,
		nodes: pageList(shown, results.length),
	};
}

/** The words to look for: without those that say nothing about a subject, unless there are no others. */
function wordsOf(query: string, written: readonly string[]): string[] {
	const words = [...new Set(tokenize(query).map(({ word }) => word))];
	return words.length > 0 ? words : [...new Set(written)];
}

function summaryOf(words: readonly string[], groups: readonly PageGroup[], unknown: readonly string[]): string {
	const [best, ...rest] = groups;
	if (!best) return words.length === 1 ? 'No page has this word' : 'No page has any of these words';
	const share = groups.every(({ has }) => 2 * has.length > words.length) ? 'most' : 'some';
	if (best.lacks.length + unknown.length > 0)
		return `No page has all of these words; ${counted(countPages(groups))} ${share}`;
	const all = words.length === 1 ? 'this word' : words.length === 2 ? 'both words' : `all ${words.length} words`;
	const more = countPages(rest);
	return `${counted(best.pages.size)} ${all}${more === 0 ? '' : `, ${more} more ${more === 1 ? 'has' : 'have'} ${share}`}`;
}

function countPages(groups: readonly PageGroup[]): number {
	return groups.reduce((sum, { pages }) => sum + pages.size, 0);
}

function counted(pages: number): string {
	return pages === 1 ? '1 page has' : `${pages} pages have`;
}

/** The first pages of the groups, each with an excerpt about the words that it has, in Pagefind's own order. */
async function rowsOf(pagefind: Pagefind, groups: readonly PageGroup[]): Promise<Row[]> {
	const rows: Promise<Row>[] = [];
	for (const { has, lacks, pages } of groups) {
		if (rows.length >= LIMIT) break;
		const { results } = await pagefind.search(has.join(' '));
		const own = results.filter(({ id }) => pages.has(id)).slice(0, LIMIT - rows.length);
		rows.push(...own.map(async (result) => ({ data: await result.data(), lacks })));
	}
	return Promise.all(rows);
}

function pageList(rows: readonly Row[], total: number): Node[] {
	if (rows.length === 0) return [];
	return [
		element('ol', { role: 'list', class: 'pages' }, ...rows.map(pageRow)),
		...(total > rows.length ? [element('p', { class: 'note' }, `The first ${rows.length} of ${total}.`)] : []),
	];
}

function pageRow({ data: { url, meta, excerpt }, lacks }: Row): HTMLElement {
	return element(
		'li',
		{},
		...(meta.section ? [element('span', { class: 'label' }, meta.section)] : []),
		element('a', { href: url }, meta.title ?? url),
		element('p', {}, ...excerptNodes(excerpt)),
		...(lacks.length > 0 ? [element('p', { class: 'lacks' }, `Without ${lacks.join(', ')}`)] : []),
	);
}

/** An excerpt is escaped text with its matches in <mark>; only those two are taken from it. */
function excerptNodes(excerpt: string): Node[] {
	const { body } = new DOMParser().parseFromString(excerpt, 'text/html');
	return [...body.childNodes].map((node) =>
		node.nodeName === 'MARK' ? element('mark', {}, node.textContent ?? '') : new Text(node.textContent ?? ''),
	);
}
