import { describe, expect, it } from 'vitest';
import { cardAsks, cardOnSet } from './card.ts';
import type { Ranking } from './query-set.ts';

const ANSWERS: Readonly<Record<string, Ranking>> = {
	right: { ids: ['cache', 'queue'], match: true },
	other: { ids: ['queue', 'cache'], match: true },
	refused: { ids: ['cache'], match: false },
	nowhere: { ids: ['queue'], match: false },
	nothing: { ids: [], match: false },
};
const rank = (query: string) => ANSWERS[query] ?? { ids: [], match: false };
const queries = (expected: string[]) =>
	Object.keys(ANSWERS).map((query) => ({ query, expect: expected, kind: 'task' }));

describe('a card on a set of queries', () => {
	it('misses those that are refused or answered with another card first', () => {
		expect(
			cardOnSet(rank, [...queries(['cache']), { query: 'other', expect: ['queue'], kind: 'task' }], 'cache'),
		).toEqual({
			queries: 5,
			missed: [
				{ query: 'other', kind: 'task', refused: false, rank: 2, first: 'queue' },
				{ query: 'refused', kind: 'task', refused: true, rank: 1 },
				{ query: 'nowhere', kind: 'task', refused: true, first: 'queue' },
				{ query: 'nothing', kind: 'task', refused: true },
			],
		});
	});

	it('does not miss a query that another right card answers', () => {
		const { missed } = cardOnSet(rank, queries(['cache', 'queue']), 'cache');
		expect(missed.map(({ query }) => query)).toEqual(['refused', 'nowhere', 'nothing']);
	});
});

describe('the asks of a card', () => {
	it('that go astray are counted by the card that takes them', () => {
		const astray = [
			{ id: 'cache', ask: 'a', found: 'queue' },
			{ id: 'queue', ask: 'b', found: 'cache' },
			{ id: 'cache', ask: 'c', found: 'lease' },
			{ id: 'cache', ask: 'd', found: undefined },
			{ id: 'cache', ask: 'e', found: 'queue' },
		];
		expect(cardAsks({ asks: 9, accuracyAt1: 0, recallAt3: 0, astray, confusable: [] }, 'cache', 6)).toEqual({
			asks: 6,
			astray: [{ ask: 'a', found: 'queue' }, { ask: 'c', found: 'lease' }, { ask: 'd' }, { ask: 'e', found: 'queue' }],
			takenBy: [
				{ id: 'queue', count: 2 },
				{ id: 'lease', count: 1 },
			],
		});
	});
});
