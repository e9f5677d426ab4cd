import { describe, expect, it } from 'vitest';
import { coverWords } from './word-cover.ts';

const most = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

describe('coverWords', () => {
	it('puts the pages with all words first, and says of the others which they lack', () => {
		const groups = coverWords([
			{ word: 'charged', pages: ['ledger', 'retry'] },
			{ word: 'twice', pages: ['ledger', 'queue'] },
		]);
		expect(groups.map(({ has, lacks, pages }) => [has, lacks, [...pages]])).toEqual([
			[['charged', 'twice'], [], ['ledger']],
			[['charged'], ['twice'], ['retry']],
			[['twice'], ['charged'], ['queue']],
		]);
	});

	it('lets one rare word outweigh two that stand on nearly every page', () => {
		const [first] = coverWords([
			{ word: 'time', pages: most },
			{ word: 'call', pages: most },
			{ word: 'escrow', pages: ['rare'] },
		]);
		expect(first).toEqual({ has: ['escrow'], lacks: ['time', 'call'], pages: new Set(['rare']) });
	});

	it('leaves out pages that have little of what the best page has', () => {
		const groups = coverWords([
			{ word: 'charged', pages: ['ledger'] },
			{ word: 'twice', pages: ['ledger'] },
			{ word: 'time', pages: [...most, 'ledger'] },
		]);
		expect(groups.flatMap(({ pages }) => [...pages])).toEqual(['ledger']);
	});

	it('counts a word that no page has as lacking everywhere, and finds nothing by no words', () => {
		expect(
			coverWords([
				{ word: 'charged', pages: ['ledger'] },
				{ word: 'zzz', pages: [] },
			]),
		).toEqual([{ has: ['charged'], lacks: ['zzz'], pages: new Set(['ledger']) }]);
		expect(coverWords([])).toEqual([]);
		expect(coverWords([{ word: 'zzz', pages: [] }])).toEqual([]);
	});
});
