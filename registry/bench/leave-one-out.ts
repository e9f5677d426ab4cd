import type { PatternRecord } from '../schema.ts';
import { searchPatterns } from '../search.ts';
import { buildIndex } from '../search-index.ts';

/** What asking each ask of a registry without having it in the index shows about the curation. */
export interface LeaveOneOut {
	asks: number;
	/** Share of asks whose own card still comes first, and among the first three. */
	accuracyAt1: number;
	recallAt3: number;
	/** Asks that find another card first, or none. */
	astray: { id: string; ask: string; found: string | undefined }[];
	/** Pairs of cards whose asks find each other, with how many do, most first. */
	confusable: { pair: [string, string]; count: number }[];
}

/**
 * Takes each ask out of the index, asks it, and sees whether its card still comes first: a gauge of the cards' words
 * that needs no test set. One ask of every card is taken out at a time, so that the index is built as often as the card
 * with the most asks has asks, and not once for each ask.
 */
export function leaveOneOut(patterns: readonly PatternRecord[]): LeaveOneOut {
	const rounds = Math.max(0, ...patterns.map(({ asks }) => asks.length));
	let asks = 0;
	let first = 0;
	let third = 0;
	const astray: LeaveOneOut['astray'] = [];
	const pairs = new Map<string, number>();
	for (let round = 0; round < rounds; round++) {
		const index = buildIndex(patterns.map((record) => ({ ...record, asks: record.asks.toSpliced(round, 1) })));
		for (const { id, asks: own } of patterns) {
			const ask = own[round];
			if (ask === undefined) continue;
			asks++;
			const { hits, near } = searchPatterns(index, ask, { limit: 3 });
			const ids = [...hits, ...near].map((hit) => hit.record.id);
			if (ids.includes(id)) third++;
			if (ids[0] === id) {
				first++;
				continue;
			}
			const found = hits[0]?.record.id;
			astray.push({ id, ask, found });
			if (found === undefined) continue;
			const pair = [id, found].sort().join(' ');
			pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
		}
	}
	const order = new Map(patterns.map(({ id }, at) => [id, at]));
	astray.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
	const confusable = [...pairs]
		.map(([pair, count]) => ({ pair: pair.split(' ') as [string, string], count }))
		.sort((a, b) => b.count - a.count || (a.pair.join() < b.pair.join() ? -1 : 1));
	return { asks, accuracyAt1: first / asks, recallAt3: third / asks, astray, confusable };
}
