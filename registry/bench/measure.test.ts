import { describe, expect, it } from 'vitest';
import { measure, measureByKind } from './measure.ts';
import type { BenchQuery, Ranking } from './query-set.ts';

/** A ranker that says to each query what the test wants it to say. */
const says = (answers: Record<string, Ranking>) => (query: string) => answers[query] ?? { ids: [], match: false };
const query = (query: string, expect: string[], kind = 'task'): BenchQuery => ({ query, expect, kind });

describe('measure', () => {
	const set = [query('first', ['a']), query('third', ['a', 'b']), query('refused', ['a']), query('nowhere', ['a'])];
	const rank = says({
		first: { ids: ['a', 'b'], match: true },
		third: { ids: ['x', 'y', 'b', 'a'], match: true },
		refused: { ids: ['a'], match: false },
		nowhere: { ids: ['x'], match: true },
		chatter: { ids: ['x'], match: true },
	});

	it('counts the near misses of a refused query as its ranking, and a refusal as a miss in what was answered', () => {
		const result = measure(rank, set);
		expect(result).toMatchObject({ covered: 4, uncovered: 0, accuracyAt1: 0.5, recallAt3: 0.75, recallAt5: 0.75 });
		expect(result).toMatchObject({ answeredAt1: 0.25, answeredAt3: 0.5, coveredRefused: 0.25 });
		expect(result.mrr).toBeCloseTo((1 + 1 / 3 + 1 + 0) / 4);
		expect(result.uncoveredRefused).toBeNaN();
	});

	it('counts refusals of uncovered queries apart from those of covered ones', () => {
		expect(measure(rank, [query('chatter', []), query('silence', [])])).toMatchObject({
			covered: 0,
			uncovered: 2,
			uncoveredRefused: 0.5,
		});
	});

	it('measures by kind, in the order in which kinds first occur', () => {
		const byKind = measureByKind(rank, [query('first', ['a'], 'typo'), ...set]);
		expect([...byKind].map(([kind, { covered }]) => [kind, covered])).toEqual([
			['typo', 1],
			['task', 4],
		]);
	});
});
