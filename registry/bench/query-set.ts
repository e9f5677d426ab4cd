/** One query of a benchmark set, and the cards that answer it. */
export interface BenchQuery {
	query: string;
	/** Ids of the cards that answer it, each as good as the other; empty when the library does not cover it. */
	expect: string[];
	/** What sort of query it is: task, symptom, question, lookup, acronym, typo, …; results are printed by kind. */
	kind: string;
}

/** What a ranker says to a query: ids best first, and whether it takes them for a match at all. */
export interface Ranking {
	ids: string[];
	match: boolean;
}

export type Ranker = (query: string) => Ranking;

/**
 * Reads a benchmark set from parsed JSON.
 * @throws Error naming the entry that is malformed, or that expects a card which the library lacks
 */
export function readQuerySet(value: unknown, known: ReadonlySet<string>): BenchQuery[] {
	if (!Array.isArray(value)) throw new Error('a query set is a list of {query, expect, kind}');
	return value.map((entry: unknown, at) => {
		const { query, expect, kind } = (entry ?? {}) as Partial<BenchQuery>;
		if (typeof query !== 'string' || typeof kind !== 'string' || !Array.isArray(expect)) {
			throw new Error(`query ${at + 1} must have "query", "expect" (a list of ids) and "kind"`);
		}
		const stray = expect.find((id) => !known.has(id));
		if (stray !== undefined) throw new Error(`query ${at + 1} (${query}) expects "${stray}", which is no card`);
		return { query, expect, kind };
	});
}
