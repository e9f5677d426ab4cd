import type { PatternRecord } from './schema.ts';
import { foldName, termsOf, tokenize } from './text.ts';

/**
 * The inverted index of a registry. Built once, in memory; everything that a query needs is a look-up by term.
 */
export interface SearchIndex {
	patterns: readonly PatternRecord[];
	/** For each term, the records that hold it, each with the best field that it stands in. */
	postings: ReadonlyMap<string, readonly Posting[]>;
	/** For each term, the asks that hold it, as indices into `asks`. */
	askPostings: ReadonlyMap<string, readonly number[]>;
	asks: readonly IndexedAsk[];
	/** Records by folded id and folded title: what an exact look-up finds. */
	names: ReadonlyMap<string, readonly number[]>;
	/** All terms in code-unit order, for prefixes. */
	vocabulary: readonly string[];
	/** A word as written for each term, for messages about a guess. */
	words: ReadonlyMap<string, string>;
}

/** A record that holds a term. */
export interface Posting {
	/** Index into `patterns`. */
	pattern: number;
	field: SearchField;
}

/** One ask with the terms that it consists of. */
export interface IndexedAsk {
	/** Index into `patterns`. */
	pattern: number;
	text: string;
	terms: readonly string[];
}

export type SearchField = 'title' | 'keywords' | 'capabilities' | 'asks' | 'summary' | 'when_to_use' | 'invariants';

/** What a term's presence in a field is worth; a term counts in the best field that it stands in, and only there. */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = {
	title: 1,
	keywords: 1,
	capabilities: 1,
	asks: 0.8,
	summary: 0.75,
	when_to_use: 0.6,
	invariants: 0.35,
};

/** The fields from the heaviest to the lightest: a term is filed under the first that has it. */
const FIELDS = Object.keys(FIELD_WEIGHTS) as SearchField[];

/** Indexes patterns, best given in the order of every surface, which settles ties. Pure. */
export function buildIndex(patterns: readonly PatternRecord[]): SearchIndex {
	const postings = new Map<string, Posting[]>();
	const askPostings = new Map<string, number[]>();
	const asks: IndexedAsk[] = [];
	const names = new Map<string, number[]>();
	const words = new Map<string, string>();

	for (const [pattern, record] of patterns.entries()) {
		for (const name of new Set([foldName(record.id), foldName(record.title)])) push(names, name, pattern);
		const filed = new Set<string>();
		for (const field of FIELDS) {
			for (const { term, word } of fieldTexts(record, field).flatMap(tokenize)) {
				if (!words.has(term)) words.set(term, word);
				if (filed.has(term)) continue;
				filed.add(term);
				push(postings, term, { pattern, field });
			}
		}
		for (const text of record.asks) {
			const terms = termsOf(text);
			for (const term of terms) push(askPostings, term, asks.length);
			asks.push({ pattern, text, terms });
		}
	}
	return { patterns, postings, askPostings, asks, names, vocabulary: [...postings.keys()].sort(), words };
}

function fieldTexts(record: PatternRecord, field: SearchField): readonly string[] {
	if (field === 'invariants') return record.invariants.map((rule) => (typeof rule === 'string' ? rule : rule.rule));
	const value = record[field];
	return typeof value === 'string' ? [value] : value;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
	const values = map.get(key);
	if (values) values.push(value);
	else map.set(key, [value]);
}
