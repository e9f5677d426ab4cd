import MiniSearch from 'minisearch';
import type { PatternRecord } from '../schema.ts';
import { searchPatterns } from '../search.ts';
import type { SearchIndex } from '../search-index.ts';
import { stem } from '../stemmer.ts';
import type { Ranker } from './query-set.ts';

/** The ranking of this library, as the server answers with it. */
export function ownRanker(index: SearchIndex): Ranker {
	return (query) => {
		const { verdict, hits, near } = searchPatterns(index, query, { limit: 10 });
		return { match: verdict === 'match', ids: [...hits, ...near].map(({ record }) => record.id) };
	};
}

/**
 * MiniSearch over the same fields, stemmed, with boosts for the short fields, prefixes and typos: what a team would set
 * up in an afternoon. It has no notion of "not covered", so it refuses only what shares no word at all.
 */
export function miniSearchRanker(patterns: readonly PatternRecord[]): Ranker {
	const search = new MiniSearch({
		fields: ['title', 'keywords', 'capabilities', 'asks', 'summary', 'when_to_use', 'invariants'],
		processTerm: (term) => (term.length > 1 ? stem(term.toLowerCase()) : null),
		searchOptions: { boost: { title: 3, keywords: 2, capabilities: 2, asks: 2 }, prefix: true, fuzzy: 0.1 },
	});
	search.addAll(
		patterns.map((record) => ({
			id: record.id,
			title: record.title,
			summary: record.summary,
			when_to_use: record.when_to_use,
			keywords: record.keywords.join(' . '),
			capabilities: record.capabilities.join(' . '),
			asks: record.asks.join(' . '),
			invariants: record.invariants.map((one) => (typeof one === 'string' ? one : one.rule)).join(' . '),
		})),
	);
	return (query) => {
		const ids = search.search(query).map(({ id }) => String(id));
		return { match: ids.length > 0, ids };
	};
}
