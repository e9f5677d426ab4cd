import { createLibrary, type Hit, type Library, readRegistry, requiresText, searchPatterns } from '../lib/catalog.ts';
import { element } from './dom.ts';

/** Where the page's own addresses lie. */
export interface AskPlaces {
	/** The frozen registry. */
	registry: string;
	/** The page of a pattern. */
	card(id: string): string;
}

/** An answer, ready to be shown, and one line that says what it is. */
export interface Answer {
	summary: string;
	nodes: Node[];
}

const LIMIT = 8;
const loaded = new Map<string, Promise<Library>>();

/** Answers a query as the server's search_patterns does: the same ranking over the same frozen registry. */
export async function ask(query: string, places: AskPlaces): Promise<Answer> {
	const library = await loadLibrary(places);
	const result = searchPatterns(library.index, query, { limit: LIMIT });
	const notes = [
		...result.guesses.map(({ word, taken }) =>
			element('p', { class: 'note' }, `“${word}” was read as “${taken}”, a guess.`),
		),
	];
	if (result.empty) {
		return {
			summary: 'No word to search by',
			nodes: [element('p', {}, 'Describe the task or the symptom in a few plain words.')],
		};
	}
	if (result.verdict === 'no-match') {
		const unknown = result.unknown.slice(0, 12).join(', ');
		return {
			summary: 'No match: no pattern covers this',
			nodes: [
				element(
					'div',
					{ class: 'no-match' },
					element('p', {}, 'No pattern of this library covers that, and an agent is told so.'),
					...(unknown ? [element('p', { class: 'note' }, `Words that no card has: ${unknown}.`)] : []),
				),
				...notes,
				...(result.near.length > 0
					? [
							element('h3', {}, 'Closest overlaps, not recommended'),
							element('ul', { role: 'list', class: 'near' }, ...result.near.map((hit) => nearRow(hit, places))),
						]
					: []),
			],
		};
	}
	const more = result.total - result.hits.length;
	return {
		summary: coverage(result.total - result.weak, result.weak),
		nodes: [
			...notes,
			element('ol', { role: 'list', class: 'hits' }, ...result.hits.map((hit) => hitRow(library, hit, places))),
			...(more > 0 ? [element('p', { class: 'note' }, `${more} more match less well.`)] : []),
		],
	};
}

/** @param weak how many follow that only come near */
function coverage(covering: number, weak: number): string {
	const covers = `${covering} ${covering === 1 ? 'pattern covers' : 'patterns cover'} this`;
	return weak === 0 ? covers : `${covers}, ${weak} more ${weak === 1 ? 'comes' : 'come'} near`;
}

/** Loads the registry and reads its words, once: called before a first query, it makes that one quick. */
export function loadLibrary({ registry: address }: Pick<AskPlaces, 'registry'>): Promise<Library> {
	const known = loaded.get(address);
	if (known) return known;
	const library = fetch(address).then(async (response) => {
		if (!response.ok) throw new Error(`${address} answered ${response.status}`);
		return createLibrary(readRegistry(await response.json()));
	});
	loaded.set(address, library);
	// A failure is not kept: the next query tries again.
	library.catch(() => loaded.delete(address));
	return library;
}

function hitRow(library: Library, hit: Hit, places: AskPlaces): HTMLElement {
	const { record, grade } = hit;
	const [headline] = record.avoid_when;
	return element(
		'li',
		{ 'data-hit': record.id },
		element(
			'p',
			{ class: 'verdict' },
			element('span', { class: `grade ${grade}` }, grade),
			element(
				'span',
				{ class: 'label' },
				`${record.tier} · ${record.maturity} · requires ${requiresText(library, record)}`,
			),
		),
		element('h3', {}, element('a', { href: places.card(record.id) }, record.title)),
		element('p', {}, record.summary),
		...(headline ? [element('p', { class: 'avoid' }, element('strong', {}, 'Not when: '), headline)] : []),
		element('p', { class: 'why' }, whyText(hit)),
	);
}

function nearRow(hit: Hit, places: AskPlaces): HTMLElement {
	return element(
		'li',
		{ 'data-near': hit.record.id },
		element('a', { href: places.card(hit.record.id) }, hit.record.title),
		element('span', { class: 'why' }, whyText(hit)),
	);
}

/** Why a card came up: the ask that was nearly this, and its words by field. */
function whyText(hit: Hit): string {
	if (hit.exact) return 'Asked for by name.';
	const byField = new Map<string, string[]>();
	for (const { word, field, guess } of hit.matched) {
		byField.set(field, [...(byField.get(field) ?? []), guess ? `${word} → ${guess}` : word]);
	}
	const words = [...byField].map(([field, list]) => `${list.join(', ')} in ${field.replaceAll('_', ' ')}`).join('; ');
	const asked = hit.ask ? `People ask “${hit.ask}”` : '';
	return [asked, words && `Matched ${words}`].filter(Boolean).join('. ').concat('.');
}
