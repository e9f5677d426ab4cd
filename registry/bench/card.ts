import type { LeaveOneOut } from './leave-one-out.ts';
import type { BenchQuery, Ranker } from './query-set.ts';

/** A query that a card should answer and does not: another comes first, or none is called a match. */
export interface Missed {
	query: string;
	kind: string;
	/** The library says that it does not cover the query. */
	refused: boolean;
	/** 1-based rank of the card, near misses of a refusal included; absent when it is not among the first ten. */
	rank?: number;
	/** The card that comes first instead, when it is no answer. */
	first?: string;
}

/** How one card does on a set of queries. */
export interface CardOnSet {
	/** Queries of the set that it answers. */
	queries: number;
	missed: Missed[];
}

/** What leaving each ask out shows of one card. */
export interface CardAsks {
	asks: number;
	/** Its asks that find another card first, or none. */
	astray: { ask: string; found?: string }[];
	/** The cards that they find, with how many each takes, most first. */
	takenBy: { id: string; count: number }[];
}

/** The queries of a set that a card answers, and those of them that are refused or answered with a wrong card first. */
export function cardOnSet(rank: Ranker, queries: readonly BenchQuery[], id: string): CardOnSet {
	const own = queries.filter(({ expect }) => expect.includes(id));
	const missed = own.flatMap(({ query, expect, kind }): Missed[] => {
		const { ids, match } = rank(query);
		const [first] = ids;
		const wrong = first !== undefined && !expect.includes(first);
		if (match && !wrong) return [];
		const at = ids.indexOf(id);
		return [{ query, kind, refused: !match, ...(at < 0 ? {} : { rank: at + 1 }), ...(wrong ? { first } : {}) }];
	});
	return { queries: own.length, missed };
}

/** The part of a leave-one-out that is about one card. @param asks how many it has */
export function cardAsks({ astray }: LeaveOneOut, id: string, asks: number): CardAsks {
	const own = astray.filter((one) => one.id === id);
	const counts = new Map<string, number>();
	for (const { found } of own) if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
	return {
		asks,
		astray: own.map(({ ask, found }) => ({ ask, ...(found === undefined ? {} : { found }) })),
		takenBy: [...counts]
			.map(([taker, count]) => ({ id: taker, count }))
			.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1)),
	};
}
