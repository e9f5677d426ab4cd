import type { PatternRecord } from './schema.ts';
import type { Grade } from './search-evidence.ts';
import type { SearchIndex } from './search-index.ts';
import { matchesOf, type Scored, scoreAll } from './search-score.ts';
import { type QueryTerm, queryTerms, type Stand } from './search-terms.ts';
import { SEARCH_FIELDS, type SearchField } from './search-texts.ts';

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
	/** Best first, by grade, then by score; at most `limit`. The first is never weak; weak ones may follow, when they come near. */
	hits: Hit[];
	/** How many there are in all, shown or not. */
	total: number;
	/** How many of all are weak. */
	weak: number;
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

const DEFAULT_LIMIT = 10;
/** Characters of a query that are read; what follows them would not change the answer. */
const MAX_QUERY = 10_000;
const NEAR = 3;

/**
 * Ranks the cards of an index for a query in plain words. Deterministic; ties go to deep cards, then to the order of
 * every surface.
 */
export function searchPatterns(index: SearchIndex, asked: string, options: SearchOptions = {}): SearchResult {
	const query = asked.slice(0, MAX_QUERY);
	const terms = queryTerms(index, query);
	const scored = scoreAll(index, query, terms).filter(({ pattern }) => {
		const record = index.patterns[pattern];
		if (options.category !== undefined && record?.category !== options.category) return false;
		return options.tier === undefined || record?.tier === options.tier;
	});
	const order = byRank(index);
	const good = scored.filter(({ grade }) => grade !== 'weak').sort(order);
	const listed = [...good, ...weakToo(scored, good).sort(order)];
	const near = good.length > 0 ? [] : firstFew(scored, NEAR, order);
	const toHit = (one: Scored) => hit(index, terms, one);
	return {
		verdict: good.length > 0 ? 'match' : 'no-match',
		hits: listed.slice(0, options.limit ?? DEFAULT_LIMIT).flatMap(toHit),
		total: listed.length,
		weak: listed.length - good.length,
		near: near.flatMap(toHit),
		guesses: guessesOf(index, terms, (good[0] ?? near[0])?.pattern),
		unknown: terms.filter(({ stands }) => stands.length === 0).map(({ word }) => word.slice(0, 40)),
		empty: terms.length === 0 && good.length === 0,
	};
}

/** Weak hits that follow the good ones when there are any: those whose score is at least half of the best. */
function weakToo(scored: readonly Scored[], good: readonly Scored[]): Scored[] {
	const best = good.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY);
	return good.length === 0 ? [] : scored.filter(({ grade, score }) => grade === 'weak' && score >= best / 2);
}

const GRADES: readonly Grade[] = ['strong', 'partial', 'weak'];

/** A better grade goes first, whatever the score: whoever takes the first hit takes the surest. */
function byRank(index: SearchIndex): (a: Scored, b: Scored) => number {
	const grade = (one: Scored) => GRADES.indexOf(one.grade);
	const tier = ({ pattern }: Scored) => (index.patterns[pattern]?.tier === 'deep' ? 0 : 1);
	return (a, b) => grade(a) - grade(b) || b.score - a.score || tier(a) - tier(b) || a.pattern - b.pattern;
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
		const guess = standIn(index, term, pattern)?.guess;
		return field ? [{ word: term.word, field, ...(guess ? { guess } : {}) }] : [];
	});
	const text = ask === undefined ? undefined : index.asks[ask]?.text;
	return [{ record, grade, score, exact, matched, ...(text === undefined ? {} : { ask: text }) }];
}

/** The first of the terms that stand for a query's term which a record has. */
function standIn(index: SearchIndex, { stands }: QueryTerm, pattern: number): Stand | undefined {
	return stands.find(({ term }) => index.postings.get(term)?.patterns.includes(pattern));
}

/** What each mistyped word was taken for: where several words are as near, the one that the best record has. */
function guessesOf(index: SearchIndex, terms: readonly QueryTerm[], best: number | undefined): SearchResult['guesses'] {
	return terms.flatMap((term) => {
		const stand = (best === undefined ? undefined : standIn(index, term, best)) ?? term.stands[0];
		return stand?.guess ? [{ word: term.word, taken: stand.guess }] : [];
	});
}
