import type { PatternRecord } from './schema.ts';
import { countTexts, eachText } from './search-texts.ts';
import { tokenize } from './text.ts';

/**
 * Which texts of a registry hold which term: all that a search has to know of their words. Making it reads every text,
 * which takes most of the time until a first answer; it is plain data, so that a build can keep it in a file.
 */
export interface Concordance {
	/** How many texts were read: the titles, keywords, asks, … of all records, numbered in the order of `eachText`. */
	texts: number;
	/** For each term the numbers of the texts that hold it, ascending, each once. */
	terms: ReadonlyMap<string, readonly number[]>;
	/** For each word, as it stands in the texts, the term that it was read as. */
	words: () => ReadonlyMap<string, string>;
}

/** Reads the texts of all records. Pure. */
export function readConcordance(patterns: readonly PatternRecord[]): Concordance {
	const terms = new Map<string, number[]>();
	const byWord = new Map<string, number[]>();
	const words = new Map<string, string>();
	const enter = (term: string, word: string): number[] => {
		const entry = terms.get(term) ?? [];
		terms.set(term, entry);
		byWord.set(word, entry);
		words.set(word, term);
		return entry;
	};
	let texts = 0;
	eachText(patterns, (text) => {
		for (const { term, word } of tokenize(text)) {
			const entry = byWord.get(word) ?? enter(term, word);
			if (entry[entry.length - 1] !== texts) entry.push(texts);
		}
		texts++;
	});
	return { texts, terms, words: () => words };
}

/** Version of what is frozen: raise it when the shape changes, the order of the texts, or what `tokenize` gives. */
export const FROZEN_TEXTS = 1;

/**
 * What is kept of one record. It depends on that record only, so that diffs and merges go by record; strings stand for
 * lists, since they are read many times faster.
 */
export interface FrozenTexts {
	id: string;
	/** How many texts the record has. */
	texts: number;
	/** Its terms in code-unit order, joined by spaces. */
	terms: string;
	/** For each term its words joined by commas, nothing where the term is its only word; joined by spaces. */
	words: string;
	/** For each term in how many of the record's texts it stands, then the gaps between their numbers, the first from -1. */
	runs: number[];
}

/** The texts of each record, ready for a file. */
export function freezeTexts(patterns: readonly PatternRecord[]): FrozenTexts[] {
	return patterns.map((record) => {
		const { texts, terms, words } = readConcordance([record]);
		const sorted = [...terms.keys()].sort();
		const wordsOf = new Map(sorted.map((term): [string, string[]] => [term, []]));
		for (const [word, term] of words()) wordsOf.get(term)?.push(word);
		return {
			id: record.id,
			texts,
			terms: sorted.join(' '),
			words: sorted.map((term) => (wordsOf.get(term)?.join() === term ? '' : wordsOf.get(term)?.join())).join(' '),
			runs: sorted.flatMap((term) => runOf(terms.get(term) ?? [])),
		};
	});
}

function runOf(texts: readonly number[]): number[] {
	return [texts.length, ...texts.map((text, at) => text - (texts[at - 1] ?? -1))];
}

/**
 * The concordance of frozen texts.
 * @throws Error when they are not those of these patterns, or malformed
 */
export function thawTexts(patterns: readonly PatternRecord[], frozen: readonly unknown[]): Concordance {
	if (frozen.length !== patterns.length) throw new Error(`it is about ${frozen.length} records`);
	const rows = patterns.map((record, at) => checkTexts(record, frozen[at]));
	const terms = new Map<string, number[]>();
	let before = 0;
	for (const { id, texts, terms: own, runs } of rows) {
		let at = 0;
		for (const term of split(own)) {
			const held = terms.get(term) ?? [];
			if (held.length === 0) terms.set(term, held);
			const end = at + 1 + (runs[at] ?? 0);
			if (end > runs.length) throw new Error(`its terms of ${id} do not match their runs`);
			let text = -1;
			for (at++; at < end; at++) {
				text += runs[at] ?? 0;
				held.push(before + text);
			}
			if (text >= texts) throw new Error(`"${term}" stands in a text of ${id} that is none`);
		}
		if (at !== runs.length) throw new Error(`its terms of ${id} do not match their runs`);
		before += texts;
	}
	return { texts: before, terms, words: () => wordsOf(rows) };
}

function checkTexts(record: PatternRecord, value: unknown): FrozenTexts {
	const row = (typeof value === 'object' ? value : null) as Partial<FrozenTexts> | null;
	const isOf = row?.id === record.id && row.texts === countTexts(record);
	if (!isOf || typeof row.terms !== 'string' || typeof row.words !== 'string')
		throw new Error(`it has no texts of ${record.id}`);
	if (!Array.isArray(row.runs) || !row.runs.every((run) => Number.isInteger(run) && run > 0))
		throw new Error(`its terms of ${record.id} do not match their runs`);
	return row as FrozenTexts;
}

function wordsOf(rows: readonly FrozenTexts[]): Map<string, string> {
	const words = new Map<string, string>();
	for (const { terms, words: own } of rows) {
		const lists = own.split(' ');
		for (const [at, term] of split(terms).entries()) {
			for (const word of (lists[at] || term).split(',')) words.set(word, term);
		}
	}
	return words;
}

function split(list: string): string[] {
	return list === '' ? [] : list.split(' ');
}
