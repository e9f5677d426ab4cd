import type { BenchQuery, Ranker } from './query-set.ts';

/** How well a ranker does on a set. Shares are 0..1; NaN where the set has no such query. */
export interface Measure {
	covered: number;
	uncovered: number;
	/**
	 * Covered queries whose first card is right. Ranking is measured apart from refusal: of a query that is answered with a
	 * no-match the near misses count, which the answer shows as well. `answeredAt1` and `answeredAt3` count them as missed.
	 */
	accuracyAt1: number;
	/** Covered queries with a right card among the first three, and among the first five. */
	recallAt3: number;
	recallAt5: number;
	/** Mean reciprocal rank of the first right card, 0 where there is none. */
	mrr: number;
	/** Covered queries that are answered with a match and with a right card first, or among the first three: both at once. */
	answeredAt1: number;
	answeredAt3: number;
	/** Covered queries that were answered with a no-match, and uncovered ones that were. */
	coveredRefused: number;
	uncoveredRefused: number;
}

/** Runs a ranker over a set. */
export function measure(rank: Ranker, queries: readonly BenchQuery[]): Measure {
	const covered = queries.filter(({ expect }) => expect.length > 0);
	const uncovered = queries.filter(({ expect }) => expect.length === 0);
	const places = covered.map(({ query, expect }) => {
		const { ids, match } = rank(query);
		return { match, place: ids.findIndex((id) => expect.includes(id)) };
	});
	const within = (count: number) => share(places, ({ place }) => place >= 0 && place < count);
	return {
		covered: covered.length,
		uncovered: uncovered.length,
		accuracyAt1: within(1),
		recallAt3: within(3),
		recallAt5: within(5),
		mrr: places.reduce((sum, { place }) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0) / places.length,
		answeredAt1: share(places, ({ match, place }) => match && place === 0),
		answeredAt3: share(places, ({ match, place }) => match && place >= 0 && place < 3),
		coveredRefused: share(places, ({ match }) => !match),
		uncoveredRefused: share(uncovered, ({ query }) => !rank(query).match),
	};
}

/** The same by kind of query, in the order in which kinds first occur. */
export function measureByKind(rank: Ranker, queries: readonly BenchQuery[]): Map<string, Measure> {
	const kinds = [...new Set(queries.map(({ kind }) => kind))];
	return new Map(
		kinds.map((kind) => [
			kind,
			measure(
				rank,
				queries.filter((query) => query.kind === kind),
			),
		]),
	);
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
	return items.filter(holds).length / items.length;
}
