import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FROZEN_TEXTS, freezeTexts, readConcordance, thawTexts } from './concordance.ts';
import { record } from './fixtures.ts';
import { buildIndex } from './search-index.ts';

const RETRY = record({
	id: 'retry',
	title: 'Retry a call',
	keywords: ['retries', 'C++', '検索語'],
	asks: ['retrying calls'],
});
const CALLS = record({ id: 'calls', title: 'Calls', summary: 'A call that is called.' });

/** The concordance as plain data. */
const plain = ({ texts, terms, words }: ReturnType<typeof readConcordance>) => ({
	texts,
	terms: [...terms].sort(),
	words: [...words()].sort(),
});

describe('concordance', () => {
	it('says which texts hold which term, and which words were read as it', () => {
		const { texts, terms, words } = readConcordance([RETRY, CALLS]);
		expect(texts).toBe(10);
		expect(terms.get('retri')).toEqual([0, 1, 4]);
		expect(terms.get('call')).toEqual([0, 4, 7, 8]);
		expect([...words()].filter(([, term]) => term === 'retri').map(([word]) => word)).toEqual([
			'retry',
			'retries',
			'retrying',
		]);
	});

	it('is the same after it was frozen, written as JSON and thawed', () => {
		const words = fc.constantFrom('retry', 'Retries', 'C++', '検索語', 'a', 'n+1', 'call,', '__proto__', 'constructor');
		const text = fc.array(words, { maxLength: 6 }).map((list) => list.join(' '));
		const any = fc.record({ title: text, summary: text, asks: fc.array(text), keywords: fc.array(text) });
		fc.assert(
			fc.property(fc.array(any, { maxLength: 4 }), (list) => {
				const patterns = list.map((fields, at) => record({ id: `card-${at}`, ...fields }));
				const frozen = JSON.parse(JSON.stringify(freezeTexts(patterns)));
				expect(plain(thawTexts(patterns, frozen))).toEqual(plain(readConcordance(patterns)));
			}),
		);
	});

	it('freezes each record by itself, so that a change of one leaves the rows of the others', () => {
		const [, calls] = freezeTexts([RETRY, CALLS]);
		expect(freezeTexts([CALLS])).toEqual([calls]);
		expect(freezeTexts([{ ...RETRY, asks: ['another ask'] }, CALLS])[1]).toEqual(calls);
	});

	it('does not thaw what is of other records or malformed', () => {
		const [row] = freezeTexts([RETRY]);
		const thaw = (...rows: unknown[]) => thawTexts([RETRY], rows);
		expect(() => thaw(row)).not.toThrow();
		expect(() => thaw()).toThrow(/about 0 records/);
		expect(() => thaw(row, row)).toThrow(/about 2 records/);
		expect(() => thawTexts([CALLS], [row])).toThrow(/no texts of calls/);
		expect(() => thawTexts([{ ...RETRY, asks: [] }], [row])).toThrow(/no texts of retry/);
		for (const broken of [null, 7, 'x', [], {}, { ...row, terms: 7 }, { ...row, words: null }])
			expect(() => thaw(broken)).toThrow(/no texts of retry/);
		for (const runs of [
			7,
			[],
			[1],
			[2 ** 53, 1],
			row?.runs.with(0, 1e15),
			[...(row?.runs ?? []), 1],
			row?.runs.with(0, 0.5),
		])
			expect(() => thaw({ ...row, runs })).toThrow(/do not match their runs|that is none/);
		expect(() => thaw({ ...row, terms: 'one', words: '', runs: [1, 8] })).toThrow(/"one" stands in a text of retry/);
	});

	it('is refused by an index of other patterns', () => {
		expect(() => buildIndex([CALLS], readConcordance([RETRY, CALLS]))).toThrow(/10 texts.* have 3/);
	});

	it('has another version whenever texts are read into other terms', () => {
		const sample = `Retrying normalised behaviours: C++, C#, .NET, n+1, I/O & Q&A; client's caf\u00e9, e-mail 502s;
			検索語 полнотекстовый поиск; a1b2 node.js 10,000 relational conditionally generously happily sized dying skies`;
		const frozen = JSON.stringify(freezeTexts([record({ id: 'sample', summary: sample, asks: sample.split(/[:;]/) })]));
		const digests = { 1: '646e4daacc717047' };
		expect({ [FROZEN_TEXTS]: createHash('sha256').update(frozen).digest('hex').slice(0, 16) }).toEqual(digests);
	});
});
