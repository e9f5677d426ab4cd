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
 * that needs no test set. Rebuilds the index once for each ask; a registry of a few hundred cards takes seconds.
 */
export function leaveOneOut(patterns: readonly PatternRecord[]): LeaveOneOut {
	let asks = 0;
	let first = 0;
	let third = 0;
	const astray: LeaveOneOut['astray'] = [];
	const pairs = new Map<string, number>();
	for (const [at, record] of patterns.entries()) {
		for (const ask of record.asks) {
			asks++;
			const without = { ...record, asks: record.asks.filter((other) => other !== ask) };
			const { hits, near } = searchPatterns(buildIndex(patterns.with(at, without)), ask, { limit: 3 });
			const ids = [...hits, ...near].map((hit) => hit.record.id);
			if (ids.includes(record.id)) third++;
			if (ids[0] === record.id) first++;
			else {
				const found = hits[0]?.record.id;
				astray.push({ id: record.id, ask, found });
				if (found) {
					const pair = [record.id, found].sort().join(' ');
					pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
				}
			}
		}
	}
	const confusable = [...pairs]
		.map(([pair, count]) => ({ pair: pair.split(' ') as [string, string], count }))
		.sort((a, b) => b.count - a.count || (a.pair.join() < b.pair.join() ? -1 : 1));
	return { asks, accuracyAt1: first / asks, recallAt3: third / asks, astray, confusable };
}
