import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { findings } from './testing.ts';
import { checkDuplicates, checkUniqueIds } from './unique.ts';

describe('checkUniqueIds', () => {
	it('refuses an id that stands twice, in any list', () => {
		const given = {
			patterns: [record({ id: 'a' }), record({ id: 'b' }), record({ id: 'a' })],
			registry: { groups: [1, 2].map(() => ({ id: 'g', title: 'G' })) },
		};
		expect(findings(checkUniqueIds, given)).toEqual([
			'error groups[1].id: The id "g" stands twice in groups.',
			'error patterns[2].id: The id "a" stands twice in patterns.',
		]);
	});

	it('refuses ids that a case-folding disk takes for one', () => {
		expect(findings(checkUniqueIds, { patterns: [record({ id: 'rag' }), record({ id: 'RAG' })] })).toEqual([
			'error patterns[1].id: The id "RAG" is "rag" on a disk that folds case.',
		]);
	});
});

describe('checkDuplicates', () => {
	it('warns of the same entry twice in a list of a record, and of the same ref', () => {
		const patterns = [
			record({
				id: 'a',
				keywords: ['cache', 'Cache ', 'queue'],
				docs: [{ path: 'a.md' }, { path: 'a.md', note: 'again' }, { path: 'a.md#part' }],
				invariants: ['Never two.', { rule: 'Never two.', pinned_by: 'a.test.ts#x' }],
			}),
		];
		expect(findings(checkDuplicates, { patterns })).toEqual([
			'warning patterns[0].keywords[1]: The same as keywords[0] of this record.',
			'warning patterns[0].docs[1].path: The same as docs[0] of this record.',
			'warning patterns[0].invariants[1]: The same as invariants[0] of this record.',
		]);
	});

	it('lets two records say the same', () => {
		const patterns = [record({ id: 'a', keywords: ['cache'] }), record({ id: 'b', keywords: ['cache'] })];
		expect(findings(checkDuplicates, { patterns })).toEqual([]);
	});
});
