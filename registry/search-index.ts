import type { PatternRecord } from './schema.ts';
import { foldName, termsOf, tokenize } from './text.ts';

/**
 * The inverted index of a registry. Built once, in memory; everything that a query needs is a look-up by term.
 */
export interface SearchIndex {
	patterns: readonly PatternRecord[];
	/** For each term, where it stands. */
	postings: ReadonlyMap<string, Posting>;
	asks: readonly IndexedAsk[];
	/** For each record how many texts it has: the title, each keyword, each ask, … */
	texts: readonly number[];
	/** The sum of `texts`. */
	allTexts: number;
	/** Records by folded id, folded title and the terms of the title (see `termsKey`): what an exact look-up finds. */
	names: ReadonlyMap<string, readonly number[]>;
	/** Records by the terms of each of their keywords and capabilities: what a short look-up finds. */
	phrases: ReadonlyMap<string, readonly number[]>;
	/** All terms in code-unit order, for beginnings of words. */
	vocabulary: readonly string[];
	/** Every word as written with its term, in code-unit order of the words, for typos. */
	words: readonly (readonly [word: string, term: string])[];
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

/** What a term's presence in a field is worth; a term counts in the best field that it stands in, and only there. */
export const FIELD_WEIGHTS = {
	title: 1,
	keywords: 1,
	capabilities: 1,
	asks: 0.8,
	summary: 0.75,
	when_to_use: 0.6,
	invariants: 0.35,
} as const;
export type SearchField = keyof typeof FIELD_WEIGHTS;

/** The fields from the heaviest to the lightest: a term is filed under the first that has it. */
export const SEARCH_FIELDS = Object.keys(FIELD_WEIGHTS) as readonly SearchField[];

interface OpenPosting {
	patterns: number[];
	fields: number[];
	texts: number[];
	allTexts: number;
	asks: number[];
}

/** Indexes patterns, best given in the order of every surface, which settles ties. Pure. */
export function buildIndex(patterns: readonly PatternRecord[]): SearchIndex {
	const postings = new Map<string, OpenPosting>();
	const asks: { pattern: number; text: string; terms: string[] }[] = [];
	const names = new Map<string, number[]>();
	const phrases = new Map<string, number[]>();
	const words = new Map<string, string>();
	const texts = patterns.map(() => 0);
	const posting = (term: string): OpenPosting => {
		const known = postings.get(term);
		if (known) return known;
		const fresh = { patterns: [], fields: [], texts: [], allTexts: 0, asks: [] };
		postings.set(term, fresh);
		return fresh;
	};

	for (const [pattern, record] of patterns.entries()) {
		for (const name of namesOf(record)) push(names, name, pattern);
		for (const [field, name] of SEARCH_FIELDS.entries()) {
			for (const text of fieldTexts(record, name)) {
				texts[pattern] = (texts[pattern] ?? 0) + 1;
				const terms: string[] = [];
				for (const { term, word } of tokenize(text)) {
					words.set(word, term);
					// Texts are short: a look along the list is quicker than a set.
					if (terms.includes(term)) continue;
					terms.push(term);
					const open = posting(term);
					file(open, pattern, field);
					if (name === 'asks') open.asks.push(asks.length);
				}
				if (name === 'asks') asks.push({ pattern, text, terms });
				if ((name === 'keywords' || name === 'capabilities') && terms.length > 0)
					push(phrases, termsKey(terms), pattern);
			}
		}
	}

	// Sorted when a query first has a word that no card has, since most have none.
	let vocabulary: string[] | undefined;
	let sortedWords: [string, string][] | undefined;
	const weight = (term: string) => idf(patterns.length, postings.get(term)?.patterns.length ?? 0);
	return {
		patterns,
		postings,
		asks: asks.map(({ pattern, text, terms }) => ({
			pattern,
			text,
			length: Math.sqrt(terms.reduce((sum, term) => sum + weight(term) ** 2, 0)) || 1,
		})),
		texts,
		allTexts: texts.reduce((sum, count) => sum + count, 0),
		names,
		phrases,
		get vocabulary() {
			vocabulary ??= [...postings.keys()].sort();
			return vocabulary;
		},
		get words() {
			sortedWords ??= [...words].sort(([a], [b]) => (a < b ? -1 : 1));
			return sortedWords;
		},
	};
}

/** Notes that one more text of a record holds a term. Fields come heaviest first, so the first to file it is the best. */
function file(open: OpenPosting, pattern: number, field: number): void {
	open.allTexts++;
	const last = open.patterns.length - 1;
	if (open.patterns[last] === pattern) {
		open.texts[last] = (open.texts[last] ?? 0) + 1;
		return;
	}
	open.patterns.push(pattern);
	open.fields.push(field);
	open.texts.push(1);
}

/** The key under which an id or a title is found as it is written. */
export function nameKey(name: string): string {
	return foldName(name);
}

/** The key under which a title, a keyword or a capability is found by its terms, in any order. */
export function termsKey(terms: readonly string[]): string {
	return `terms: ${[...new Set(terms)].sort().join(' ')}`;
}

/** Inverse document frequency as BM25 has it, never negative: ln(1 + (N − n + ½) / (n + ½)). */
export function idf(records: number, frequency: number): number {
	return Math.log(1 + (records - frequency + 0.5) / (frequency + 0.5));
}

function namesOf({ id, title }: PatternRecord): Set<string> {
	const terms = termsOf(title);
	return new Set([nameKey(id), nameKey(title), ...(terms.length > 0 ? [termsKey(terms)] : [])]);
}

function push(map: Map<string, number[]>, key: string, pattern: number): void {
	const known = map.get(key);
	if (!known) map.set(key, [pattern]);
	else if (known.at(-1) !== pattern) known.push(pattern);
}

function fieldTexts(record: PatternRecord, field: SearchField): readonly string[] {
	if (field === 'invariants') return record.invariants.map((rule) => (typeof rule === 'string' ? rule : rule.rule));
	const value = record[field];
	return typeof value === 'string' ? [value] : value;
}
