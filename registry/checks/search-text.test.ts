import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { checkAskLength, checkSharedAsks, checkTerms } from './search-text.ts';
import { findings } from './testing.ts';

describe('checkTerms', () => {
	it('refuses a keyword or a capability that search can never find', () => {
		const patterns = [record({ id: 'a', keywords: ['n+1', 'how to', '→', 'c++'], capabilities: ['a'] })];
		const reason = 'has no term that search knows: only stop words, single letters or signs.';
		expect(findings(checkTerms, { patterns })).toEqual([
			`error patterns[0].keywords[1]: "how to" ${reason}`,
			`error patterns[0].keywords[2]: "→" ${reason}`,
			`error patterns[0].capabilities[0]: "a" ${reason}`,
		]);
	});
});

describe('checkAskLength', () => {
	it('warns of asks of fewer than 3 or more than 14 words', () => {
		const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
		const patterns = [record({ id: 'a', asks: [words(2), words(3), words(14), words(15), 'one'] })];
		expect(findings(checkAskLength, { patterns })).toEqual([
			'warning patterns[0].asks[0]: The ask has 2 words, expected 3 to 14.',
			'warning patterns[0].asks[3]: The ask has 15 words, expected 3 to 14.',
			'warning patterns[0].asks[4]: The ask has 1 word, expected 3 to 14.',
		]);
	});

	it('counts the words of a script that has no blanks', () => {
		const patterns = [record({ id: 'a', asks: ['検索結果を速くしたい'] })];
		expect(findings(checkAskLength, { patterns })).toEqual([]);
	});
});

describe('checkSharedAsks', () => {
	it('warns of an ask that means the same to search as one of another card', () => {
		const patterns = [
			record({ id: 'a', asks: ['retry a failing request'] }),
			record({ id: 'b', asks: ['slow page', 'Requests failing: retries?'] }),
		];
		expect(findings(checkSharedAsks, { patterns })).toEqual([
			'warning patterns[1].asks[1]: The ask means the same to search as "retry a failing request" of "a".',
		]);
	});

	it('leaves alone what one card says twice, and asks without any term', () => {
		const patterns = [
			record({ id: 'a', asks: ['slow page', 'slow page', 'how to'] }),
			record({ id: 'b', asks: ['to be'] }),
		];
		expect(findings(checkSharedAsks, { patterns })).toEqual([]);
	});
});
