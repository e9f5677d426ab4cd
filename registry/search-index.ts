import { type Concordance, readConcordance } from './concordance.ts';
import type { PatternRecord } from './schema.ts';
import { eachText, SEARCH_FIELDS, type SearchField } from './search-texts.ts';
import { foldName } from './text.ts';

/**
 * The inverted index of a registry, in memory; everything that a query needs is a look-up by term. What is kept of a
 * term is which texts hold it; the rest is worked out when a query first has the term, since most terms never come.
 */
export interface SearchIndex {
	patterns: readonly PatternRecord[];
	/** For each term, where it stands. */
	postings: Postings;
	asks: readonly IndexedAsk[];
	/** For each record how many texts it has: the title, each keyword, each ask, … */
	texts: readonly number[];
	/** The sum of `texts`. */
	allTexts: number;
	/** Records by folded id and folded title (see `nameKey`): what an exact look-up finds. */
	names: ReadonlyMap<string, readonly number[]>;
	/** The records that have a text of these fields which consists of just these terms, in any order. */
	phrased: (terms: readonly string[], fields: readonly SearchField[]) => readonly number[];
	/** All terms in code-unit order, for beginnings of words. */
	vocabulary: readonly string[];
	/** Every word as written with its term, in code-unit order of the words, for typos. */
	words: readonly (readonly [word: string, term: string])[];
}

export interface Postings {
	has: (term: string) => boolean;
	/** Of a term, or of several with a space between them: then where they stand together in one text. */
	get: (term: string) => Posting | undefined;
}

/** Where a term stands. */
export interface Posting {
	/** The records that hold it, as indices into `patterns`. */
	patterns: readonly number[];
	/** For each of `patterns` the best field that holds it, as an index into `SEARCH_FIELDS`. */
	fields: readonly number[];
	/** For each of `patterns` in how many of its texts it stands: the title, each keyword, each ask, … */
	texts: readonly number[];
	/** The sum of `texts`. */
	allTexts: number;
	/** The asks that hold it, as indices into `asks`. */
	asks: readonly number[];
}

/** One ask. */
export interface IndexedAsk {
	/** Index into `patterns`. */
	pattern: number;
	text: string;
	/** Its Euclidean length, each of its terms weighing its IDF; never 0. */
	length: number;
}

/**
 * Indexes patterns, best given in the order of every surface, which settles ties. Pure.
 * @param concordance that of these very patterns, when it is at hand; else their texts are read
 * @throws Error when the concordance is that of other patterns
 */
export function buildIndex(
	patterns: readonly PatternRecord[],
	concordance: Concordance = readConcordance(patterns),
): SearchIndex {
	const table = listTexts(patterns);
	if (table.owners.length !== concordance.texts) {
		throw new Error(`it is about ${concordance.texts} texts, and the patterns have ${table.owners.length}`);
	}
	const { sizes, lengths } = measureTexts(table, concordance, patterns.length);
	// Sorted when a query first has a word that no card has, since most have none.
	let vocabulary: string[] | undefined;
	let words: [string, string][] | undefined;
	return {
		patterns,
		postings: lazyPostings(table, concordance),
		asks: table.asks.map(({ pattern, text, at }) => ({
			pattern,
			text,
			length: rounded(Math.sqrt(lengths[at] ?? 0)) || 1,
		})),
		texts: table.counts,
		allTexts: table.owners.length,
		names: namesOf(patterns),
		phrased: (terms, fields) => phrased(table, concordance, sizes, terms, fields),
		get vocabulary() {
			vocabulary ??= [...concordance.terms.keys()].sort();
			return vocabulary;
		},
		get words() {
			words ??= [...concordance.words()].sort(([a], [b]) => (a < b ? -1 : 1));
			return words;
		},
	};
}

/** What each text is, by its number. */
interface TextTable {
	/** The record that has it. */
	owners: number[];
	/** Its field, as an index into `SEARCH_FIELDS`. */
	fields: number[];
	/** For a text that is an ask its index into `asks`, else -1. */
	askOf: number[];
	/** The asks, each with the number that it has among all texts. */
	asks: { pattern: number; text: string; at: number }[];
	/** How many texts each record has. */
	counts: number[];
}

const ASKS = SEARCH_FIELDS.indexOf('asks');

function listTexts(patterns: readonly PatternRecord[]): TextTable {
	const table: TextTable = { owners: [], fields: [], askOf: [], asks: [], counts: patterns.map(() => 0) };
	eachText(patterns, (text, pattern, field) => {
		table.askOf.push(field === ASKS ? table.asks.length : -1);
		if (field === ASKS) table.asks.push({ pattern, text, at: table.owners.length });
		table.owners.push(pattern);
		table.fields.push(field);
		table.counts[pattern] = (table.counts[pattern] ?? 0) + 1;
	});
	return table;
}

/** For each text how many terms it has, and for each ask the square of its length (see `IndexedAsk`). */
function measureTexts(table: TextTable, { terms }: Concordance, records: number) {
	const sizes = new Int32Array(table.owners.length);
	const lengths = new Float64Array(table.owners.length);
	for (const texts of terms.values()) {
		let frequency = 0;
		let last = -1;
		for (const text of texts) {
			const owner = table.owners[text] ?? 0;
			if (owner !== last) frequency++;
			last = owner;
		}
		const weight = idf(records, frequency) ** 2;
		for (const text of texts) {
			sizes[text] = (sizes[text] ?? 0) + 1;
			lengths[text] = (lengths[text] ?? 0) + weight;
		}
	}
	return { sizes, lengths };
}

/** Postings that are worked out at the first question for a term, and kept. */
function lazyPostings(table: TextTable, { terms }: Concordance): Postings {
	const known = new Map<string, Posting>();
	return {
		has: (term) => terms.has(term),
		get: (term) => {
			const texts = textsWith(terms, term.split(' '));
			if (texts.length === 0) return undefined;
			const posting = known.get(term) ?? postingOf(table, texts);
			known.set(term, posting);
			return posting;
		},
	};
}

/** The numbers of the texts that hold all of some terms, ascending. */
function textsWith(terms: Concordance['terms'], wanted: readonly string[]): readonly number[] {
	const [rarest = [], ...others] = wanted.map((term) => terms.get(term) ?? []).sort((a, b) => a.length - b.length);
	return others.length === 0 ? rarest : rarest.filter((text) => others.every((texts) => texts.includes(text)));
}

/** Texts come in the order of records, and within a record from the heaviest field, so that the first is the best. */
function postingOf(table: TextTable, texts: readonly number[]): Posting {
	const patterns: number[] = [];
	const fields: number[] = [];
	const counts: number[] = [];
	const asks: number[] = [];
	for (const text of texts) {
		const owner = table.owners[text] ?? 0;
		const ask = table.askOf[text] ?? -1;
		if (ask >= 0) asks.push(ask);
		const last = patterns.length - 1;
		if (patterns[last] === owner) {
			counts[last] = (counts[last] ?? 0) + 1;
			continue;
		}
		patterns.push(owner);
		fields.push(table.fields[text] ?? 0);
		counts.push(1);
	}
	return { patterns, fields, texts: counts, allTexts: texts.length, asks };
}

function phrased(
	table: TextTable,
	{ terms: known }: Concordance,
	sizes: ArrayLike<number>,
	terms: readonly string[],
	fields: readonly SearchField[],
): readonly number[] {
	const distinct = [...new Set(terms)];
	const allowed = fields.map((field) => SEARCH_FIELDS.indexOf(field));
	const whole = textsWith(known, distinct).filter(
		(text) => sizes[text] === distinct.length && allowed.includes(table.fields[text] ?? 0),
	);
	return [...new Set(whole.map((text) => table.owners[text] ?? 0))];
}

/** The key under which an id or a title is found as it is written. */
export function nameKey(name: string): string {
	return foldName(name);
}

/** Without the last digits, which depend on the order in which terms were added up. */
function rounded(sum: number): number {
	return Math.round(sum * 1e9) / 1e9;
}

/** Inverse document frequency as BM25 has it, never negative: ln(1 + (N − n + ½) / (n + ½)). */
export function idf(records: number, frequency: number): number {
	return Math.log(1 + (records - frequency + 0.5) / (frequency + 0.5));
}

function namesOf(patterns: readonly PatternRecord[]): Map<string, number[]> {
	const names = new Map<string, number[]>();
	for (const [pattern, { id, title }] of patterns.entries()) {
		for (const key of new Set([nameKey(id), nameKey(title)])) {
			const known = names.get(key);
			if (known) known.push(pattern);
			else names.set(key, [pattern]);
		}
	}
	return names;
}
