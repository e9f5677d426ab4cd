import type { PatternRecord } from './schema.ts';
import { FIELD_WEIGHTS, type SearchField, type SearchIndex } from './search-index.ts';
import { idf, type QueryTerm, queryTerms } from './search-terms.ts';
import { foldName, termsOf } from './text.ts';

/** How well a record covers a query: weak means that it shares words with it by accident. */
export type Grade = 'strong' | 'partial' | 'weak';

/** A query's term that a record has, and the best field it stands in. */
export interface MatchedTerm {
	word: string;
	field: SearchField;
	/** The word of the registry that stands in for a mistyped one. */
	guess?: string;
}

/** A record that shares something with a query. */
export interface Hit {
	record: PatternRecord;
	grade: Grade;
	/** Greater is better; comparable within one query only. */
	score: number;
	/** The id or the title is what was asked for. */
	exact: boolean;
	matched: MatchedTerm[];
	/** The ask of the card that is nearest to the query, when it decided the grade. */
	ask?: string;
}

export interface SearchResult {
	/** `no-match`: the registry has nothing for this, and `near` says what came closest. */
	verdict: 'match' | 'no-match';
	/** Best first, without weak hits, at most `limit`. */
	hits: Hit[];
	/** How many there are in all, shown or not. */
	total: number;
	/** The closest overlaps when there is no match, best first, at most three. */
	near: Hit[];
	/** Words that were taken for a typo of another. */
	guesses: { word: string; taken: string }[];
	/** Words that no card has. */
	unknown: string[];
	/** True when the query has no word to search by: only stop words, single letters or punctuation. */
	empty: boolean;
}

export interface SearchOptions {
	/** Most hits to return; 10 when absent. */
	limit?: number;
	category?: string;
	tier?: PatternRecord['tier'];
}

/** Numbers that shape the ranking; measured by `bench:search`, never on the blind set. */
export const RANKING = {
	/** What the nearest single ask adds to the score, against all fields together. */
	askWeight: 1,
	/** From which evidence on a hit is strong, and from which it is partial. */
	strong: 0.62,
	partial: 0.4,
	/** A word that no card has counts this much of what its rarity would give it. */
	unknown: 0.75,
};

const DEFAULT_LIMIT = 10;
const NEAR = 3;

/**
 * Ranks the cards of an index for a query in plain words. Deterministic; ties go to deep cards, then to the order of
 * every surface.
 */
export function searchPatterns(index: SearchIndex, query: string, options: SearchOptions = {}): SearchResult {
	const terms = queryTerms(index, query);
	const allowed = (record: PatternRecord) =>
		(options.category === undefined || record.category === options.category) &&
		(options.tier === undefined || record.tier === options.tier);
	const hits = rank(index, query, terms).filter(({ record }) => allowed(record));
	const good = hits.filter(({ grade }) => grade !== 'weak');
	return {
		verdict: good.length > 0 ? 'match' : 'no-match',
		hits: good.slice(0, options.limit ?? DEFAULT_LIMIT),
		total: good.length,
		near: good.length > 0 ? [] : hits.slice(0, NEAR),
		guesses: terms.flatMap(({ word, guess }) => (guess ? [{ word, taken: guess }] : [])),
		unknown: terms.filter(({ stands }) => stands.length === 0).map(({ word }) => word),
		empty: terms.length === 0 && good.length === 0,
	};
}

interface Candidate {
	/** For each term of the query, the weight of its best match. */
	weights: number[];
	fields: (SearchField | undefined)[];
	ask: number;
	askText?: string;
}

function rank(index: SearchIndex, query: string, terms: readonly QueryTerm[]): Hit[] {
	const candidates = new Map<number, Candidate>();
	const candidate = (pattern: number): Candidate => {
		const known = candidates.get(pattern);
		if (known) return known;
		const fresh: Candidate = { weights: [], fields: [], ask: 0 };
		candidates.set(pattern, fresh);
		return fresh;
	};

	for (const [position, term] of terms.entries()) {
		for (const stand of term.stands) {
			for (const { pattern, field } of index.postings.get(stand.term) ?? []) {
				const weight = stand.weight * FIELD_WEIGHTS[field];
				const found = candidate(pattern);
				if (weight > (found.weights[position] ?? 0)) {
					found.weights[position] = weight;
					found.fields[position] = field;
				}
			}
		}
	}
	for (const [pattern, { similarity, text }] of nearestAsks(index, terms)) {
		const found = candidate(pattern);
		found.ask = similarity;
		found.askText = text;
	}

	const exact = new Set(exactMatches(index, query));
	for (const pattern of exact) candidate(pattern);

	const weightOf = (term: QueryTerm) => term.idf * (term.stands.length === 0 ? RANKING.unknown : 1);
	const mass = terms.reduce((sum, term) => sum + weightOf(term), 0) || 1;
	const order: { pattern: number; hit: Hit }[] = [];
	for (const [pattern, found] of candidates) {
		const record = index.patterns[pattern];
		if (!record) continue;
		let fields = 0;
		let covered = 0;
		for (const [position, term] of terms.entries()) {
			const weight = found.weights[position] ?? 0;
			fields += weight * term.idf;
			if (weight > 0) covered += term.idf;
		}
		const coverage = covered / mass;
		const lexical = (fields / mass) * coverage;
		const evidence = Math.max(fields / mass, found.ask);
		const isExact = exact.has(pattern);
		const score = lexical + RANKING.askWeight * found.ask + (isExact ? 10 : 0);
		const grade = isExact || evidence >= RANKING.strong ? 'strong' : evidence >= RANKING.partial ? 'partial' : 'weak';
		order.push({
			pattern,
			hit: {
				record,
				grade,
				score,
				exact: isExact,
				matched: matchedTerms(terms, found),
				...(found.askText !== undefined && found.ask >= RANKING.partial ? { ask: found.askText } : {}),
			},
		});
	}
	const tier = (hit: Hit) => (hit.record.tier === 'deep' ? 0 : 1);
	order.sort((a, b) => b.hit.score - a.hit.score || tier(a.hit) - tier(b.hit) || a.pattern - b.pattern);
	return order.map(({ hit }) => hit);
}

function matchedTerms(terms: readonly QueryTerm[], found: Candidate): MatchedTerm[] {
	return terms.flatMap(({ word, guess }, position) => {
		const field = found.fields[position];
		return field ? [{ word, field, ...(guess ? { guess } : {}) }] : [];
	});
}

/** For each record that has asks, its ask nearest to the query: the overlap of the two, weighted by IDF, as a cosine in 0..1. */
function nearestAsks(
	index: SearchIndex,
	terms: readonly QueryTerm[],
): Map<number, { similarity: number; text: string }> {
	const overlap = new Map<number, number>();
	for (const term of terms) {
		for (const stand of term.stands) {
			const shared = stand.weight * term.idf ** 2;
			for (const ask of index.askPostings.get(stand.term) ?? []) overlap.set(ask, (overlap.get(ask) ?? 0) + shared);
		}
	}
	const length =
		Math.sqrt(
			terms.reduce((sum, term) => sum + (term.idf * (term.stands.length === 0 ? RANKING.unknown : 1)) ** 2, 0),
		) || 1;
	const nearest = new Map<number, { similarity: number; text: string }>();
	for (const [at, shared] of overlap) {
		const ask = index.asks[at];
		if (!ask) continue;
		const askLength = Math.sqrt(
			ask.terms.reduce((sum, term) => sum + idf(index.patterns.length, index.postings.get(term)?.length ?? 0) ** 2, 0),
		);
		const similarity = shared / (length * (askLength || 1));
		if (similarity > (nearest.get(ask.pattern)?.similarity ?? 0))
			nearest.set(ask.pattern, { similarity, text: ask.text });
	}
	return nearest;
}

/** Records whose id or title is the query, or whose title consists of the query's terms and no other. */
function exactMatches(index: SearchIndex, query: string): readonly number[] {
	const named = index.names.get(foldName(query));
	if (named) return named;
	const asked = termsOf(query).sort().join(' ');
	return asked === ''
		? []
		: index.patterns.flatMap((record, at) => (termsOf(record.title).sort().join(' ') === asked ? [at] : []));
}
