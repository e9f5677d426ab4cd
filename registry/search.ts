import type { PatternRecord } from './schema.ts';
import {
	FIELD_WEIGHTS,
	idf,
	nameKey,
	SEARCH_FIELDS,
	type SearchField,
	type SearchIndex,
	termsKey,
} from './search-index.ts';
import { type QueryTerm, queryTerms } from './search-terms.ts';

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
	ask: 0.8,
	/** What it adds that a term stands in several texts of a card. */
	support: 1,
	/** What each kind of evidence adds to the grade; together 1. See `evidenceOf`. */
	evidence: { coverage: 0.15, ask: 0.2, matter: 0.65 },
	/** From which evidence on a hit is strong, and from which it is partial. */
	strong: 0.6,
	partial: 0.47,
} as const;

const DEFAULT_LIMIT = 10;
const NEAR = 3;

/**
 * Ranks the cards of an index for a query in plain words. Deterministic; ties go to deep cards, then to the order of
 * every surface.
 */
export function searchPatterns(index: SearchIndex, query: string, options: SearchOptions = {}): SearchResult {
	const terms = queryTerms(index, query);
	const scored = scoreAll(index, query, terms).filter(({ pattern }) => {
		const record = index.patterns[pattern];
		if (options.category !== undefined && record?.category !== options.category) return false;
		return options.tier === undefined || record?.tier === options.tier;
	});
	const good = scored.filter(({ grade }) => grade !== 'weak').sort(byScore(index));
	const near = good.length > 0 ? [] : firstFew(scored, NEAR, byScore(index));
	const toHit = (one: Scored) => hit(index, terms, one);
	return {
		verdict: good.length > 0 ? 'match' : 'no-match',
		hits: good.slice(0, options.limit ?? DEFAULT_LIMIT).flatMap(toHit),
		total: good.length,
		near: near.flatMap(toHit),
		guesses: terms.flatMap(({ word, guess }) => (guess ? [{ word, taken: guess }] : [])),
		unknown: terms.filter(({ stands }) => stands.length === 0).map(({ word }) => word),
		empty: terms.length === 0 && good.length === 0,
	};
}

/** A record that shares a term with the query, by its index. */
interface Scored {
	pattern: number;
	score: number;
	grade: Grade;
	exact: boolean;
	/** The ask nearest to the query, as an index, when it is near enough to have decided the grade. */
	ask: number | undefined;
}

/** Scores every record that shares a term with the query. Sums live in arrays by record: this loop is all that grows with the registry. */
function scoreAll(index: SearchIndex, query: string, terms: readonly QueryTerm[]): Scored[] {
	const exact = new Set(namedBy(index, query, terms));
	const size = index.patterns.length;
	const fields = new Float64Array(size);
	const covered = new Float64Array(size);
	const support = new Float64Array(size);
	for (const term of terms) {
		const { patterns, fields: best, texts, weight } = matchesOf(index, term);
		for (let at = 0; at < patterns.length; at++) {
			const pattern = patterns[at] ?? 0;
			fields[pattern] = (fields[pattern] ?? 0) + weight * (WEIGHTS[best[at] ?? 0] ?? 0) * term.idf;
			covered[pattern] = (covered[pattern] ?? 0) + weight * term.idf;
			const count = texts[at] ?? 1;
			support[pattern] = (support[pattern] ?? 0) + (weight * term.idf * count) / (count + 1);
		}
	}
	const asks = nearestAsks(index, terms);
	// A query that is a keyword or a capability, whole, is as near as an ask can be.
	const phrased = new Set(index.phrases.get(meantKey(terms)));
	const mass = terms.reduce((sum, { idf }) => sum + idf, 0) || 1;
	const rarest = idf(size, 1);
	const scored: Scored[] = [];
	for (let pattern = 0; pattern < size; pattern++) {
		const isExact = exact.has(pattern);
		const coverage = (covered[pattern] ?? 0) / mass;
		if (coverage === 0 && !isExact) continue;
		const share = (fields[pattern] ?? 0) / mass;
		const similarity = phrased.has(pattern) ? 1 : (asks.similarity[pattern] ?? 0);
		scored.push({
			pattern,
			score:
				share * coverage +
				RANKING.support * ((support[pattern] ?? 0) / mass) +
				RANKING.ask * similarity +
				(isExact ? EXACT_BONUS : 0),
			grade: isExact
				? 'strong'
				: gradeOf(
						evidenceOf({
							coverage,
							ask: phrased.has(pattern) || index.patterns[pattern]?.asks.length ? similarity : undefined,
							matter: (covered[pattern] ?? 0) / rarest,
						}),
					),
			exact: isExact,
			ask: (asks.similarity[pattern] ?? 0) >= NEAR_ASK ? asks.ask[pattern] : undefined,
		});
	}
	return scored;
}

/**
 * The records that a query names: by id or title as written, or by the words of a title that no other card has, typos
 * included.
 */
function namedBy(index: SearchIndex, query: string, terms: readonly QueryTerm[]): readonly number[] {
	const written = index.names.get(nameKey(query));
	if (written) return written;
	const same = index.names.get(meantKey(terms)) ?? [];
	return same.length === 1 ? same : [];
}

/** The key of what the terms of a query mean, typos corrected. */
function meantKey(terms: readonly QueryTerm[]): string {
	const certain = terms.every(({ stands }) => stands.length === 1);
	return certain && terms.length > 0 ? termsKey(terms.flatMap(({ stands }) => stands.map(({ term }) => term))) : '';
}

/** More than any score without it: a record that was asked for by name comes first. */
const EXACT_BONUS = 10;

/** From this likeness on an ask is near enough to the query to be shown as the reason for a hit. */
const NEAR_ASK = 0.4;

/**
 * How much speaks for a hit, 0..1, from three sides. Coverage: the share of the query that the card has. Ask: the
 * likeness of its nearest ask; a card without asks is judged by the rest. Matter: how much was matched at all, in units
 * of one term that a single card has, saturating; half of a long question is more evidence than half of two words.
 */
function evidenceOf({ coverage, ask, matter }: { coverage: number; ask: number | undefined; matter: number }): number {
	const weights = RANKING.evidence;
	const sum = weights.coverage * coverage + weights.ask * (ask ?? 0) + weights.matter * (matter / (matter + 1));
	return ask === undefined ? sum / (1 - weights.ask) : sum;
}

function gradeOf(evidence: number): Grade {
	if (evidence >= RANKING.strong) return 'strong';
	return evidence >= RANKING.partial ? 'partial' : 'weak';
}

/** The weights of the fields, by their index in `SEARCH_FIELDS`. */
const WEIGHTS = SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field]);

interface Matches {
	patterns: readonly number[];
	/** For each of `patterns` the best field, as an index into `SEARCH_FIELDS`. */
	fields: readonly number[];
	/** For each of `patterns` in how many of its texts the term stands. */
	texts: readonly number[];
	/** What a match of this term is worth, whatever the field. */
	weight: number;
}

/** The records that have a term in any of its forms, each with the best field that has it. */
function matchesOf(index: SearchIndex, term: QueryTerm): Matches {
	const [only, ...more] = term.stands;
	if (!only) return { patterns: [], fields: [], texts: [], weight: 0 };
	if (more.length === 0) {
		const posting = index.postings.get(only.term);
		return posting ? { ...posting, weight: only.weight } : { patterns: [], fields: [], texts: [], weight: 0 };
	}
	const found = new Map<number, { field: number; count: number }>();
	for (const stand of term.stands) {
		const posting = index.postings.get(stand.term);
		for (const [at, pattern] of posting?.patterns.entries() ?? []) {
			const field = posting?.fields[at] ?? 0;
			const count = posting?.texts[at] ?? 1;
			const known = found.get(pattern);
			found.set(pattern, { field: Math.min(field, known?.field ?? field), count: Math.max(count, known?.count ?? 0) });
		}
	}
	return {
		patterns: [...found.keys()],
		fields: [...found.values()].map(({ field }) => field),
		texts: [...found.values()].map(({ count }) => count),
		weight: only.weight,
	};
}

/** By record: how near its nearest ask is to the query, and which it is. Overlap weighted by IDF, as a cosine in 0..1. */
function nearestAsks(index: SearchIndex, terms: readonly QueryTerm[]): { similarity: Float64Array; ask: Int32Array } {
	const overlap = new Float64Array(index.asks.length);
	const touched: number[] = [];
	for (const term of terms) {
		for (const stand of term.stands) {
			const shared = stand.weight * term.idf ** 2;
			for (const ask of index.postings.get(stand.term)?.asks ?? []) {
				if (overlap[ask] === 0) touched.push(ask);
				overlap[ask] = (overlap[ask] ?? 0) + shared;
			}
		}
	}
	const length = Math.hypot(...terms.map(({ idf }) => idf)) || 1;
	const similarity = new Float64Array(index.patterns.length);
	const nearest = new Int32Array(index.patterns.length);
	for (const at of touched) {
		const ask = index.asks[at];
		if (!ask) continue;
		const likeness = (overlap[at] ?? 0) / (length * ask.length);
		if (likeness > (similarity[ask.pattern] ?? 0)) {
			similarity[ask.pattern] = likeness;
			nearest[ask.pattern] = at;
		}
	}
	return { similarity, ask: nearest };
}

function byScore(index: SearchIndex): (a: Scored, b: Scored) => number {
	const tier = ({ pattern }: Scored) => (index.patterns[pattern]?.tier === 'deep' ? 0 : 1);
	return (a, b) => b.score - a.score || tier(a) - tier(b) || a.pattern - b.pattern;
}

/** The first few of a list in order, without sorting all of it. */
function firstFew<Item>(items: readonly Item[], count: number, compare: (a: Item, b: Item) => number): Item[] {
	let first: Item[] = [];
	for (const item of items) {
		const last = first[count - 1];
		if (last === undefined || compare(item, last) < 0) first = [...first, item].sort(compare).slice(0, count);
	}
	return first;
}

function hit(index: SearchIndex, terms: readonly QueryTerm[], { pattern, grade, score, exact, ask }: Scored): Hit[] {
	const record = index.patterns[pattern];
	if (!record) return [];
	const matched = terms.flatMap((term) => {
		const { patterns, fields } = matchesOf(index, term);
		const field = SEARCH_FIELDS[fields[patterns.indexOf(pattern)] ?? -1];
		return field ? [{ word: term.word, field, ...(term.guess ? { guess: term.guess } : {}) }] : [];
	});
	const text = ask === undefined ? undefined : index.asks[ask]?.text;
	return [{ record, grade, score, exact, matched, ...(text === undefined ? {} : { ask: text }) }];
}
