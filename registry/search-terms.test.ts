import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { describe, expect, it } from 'vitest';
import { editDistance } from './search-terms.ts';

describe('editDistance', () => {
	it('counts a swap of neighbours as one edit', () => {
		expect(editDistance('retreival', 'retrieval', 2)).toBe(1);
		expect(distance('retreival', 'retrieval')).toBe(2);
	});

	it('is never more than the Levenshtein distance, and equal to it where no neighbours are swapped', () => {
		const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
		fc.assert(
			fc.property(word, word, (a, b) => {
				const edits = editDistance(a, b, 10);
				expect(edits).toBeLessThanOrEqual(distance(a, b));
				expect(edits).toBeGreaterThanOrEqual(Math.ceil(distance(a, b) / 2));
				expect(editDistance(b, a, 10)).toBe(edits);
			}),
		);
	});

	it('stops as soon as the limit is certainly passed', () => {
		expect(editDistance('abcdefgh', 'zzzzzzzz', 1)).toBe(2);
	});
});
