import { aboutness, evidenceOf, type Grade, gradeOf, isRareLookup, RANKING } from './search-evidence.ts';
import { nameKey, type SearchIndex } from './search-index.ts';
import type { QueryTerm } from './search-terms.ts';
import { FIELD_WEIGHTS, SEARCH_FIELDS } from './search-texts.ts';

/** A record that shares a term with the query, by its index. */
export interface Scored {
	pattern: number;
	score: number;
	grade: Grade;
	exact: boolean;
	/** The ask nearest to the query, as an index, when it is near enough to have decided the grade. */
	ask: number | undefined;
}

/** More than any score without it: a record that was asked for by name comes first. */
const EXACT_BONUS = 10;

/** From this likeness on an ask is near enough to the query to be shown as the reason for a hit. */
const NEAR_ASK = 0.4;

/** From this coverage on a card has all words of a query, typos counting as the words that they were taken for. */
const ALL = 0.79;

/** Scores every record that shares a term with the query. Sums live in arrays by record: this loop is all that grows with the registry. */
export function scoreAll(index: SearchIndex, query: string, terms: readonly QueryTerm[]): Scored[] {
	const exact = new Set(namedBy(index, query, terms));
	const size = index.patterns.length;
	const fields = new Float64Array(size);
	const covered = new Float64Array(size);
	const about = new Float64Array(size);
	for (const term of terms) {
		const { patterns, fields: best, texts, allTexts, weight } = matchesOf(index, term);
		for (let at = 0; at < patterns.length; at++) {
			const pattern = patterns[at] ?? 0;
			fields[pattern] = (fields[pattern] ?? 0) + weight * (WEIGHTS[best[at] ?? 0] ?? 0) * term.idf;
			covered[pattern] = (covered[pattern] ?? 0) + weight * term.idf;
			about[pattern] =
				(about[pattern] ?? 0) + weight * aboutness(index, pattern, texts[at] ?? 1, allTexts, patterns.length);
		}
	}
	const asks = nearestAsks(index, terms);
	// A query that is a keyword or a capability, whole, is as near as an ask can be.
	const phrased = new Set(readings(terms).flatMap((meant) => index.phrased(meant, ['keywords', 'capabilities'])));
	const mass = terms.reduce((sum, { idf }) => sum + idf, 0) || 1;
	const most = Math.log(1 + size);
	const rare = isRareLookup(index, terms);
	const unknown = terms.reduce((sum, { stands, idf }) => sum + (stands.length === 0 ? idf : 0), 0) / mass;
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
				RANKING.about * ((about[pattern] ?? 0) / (most * (terms.length || 1))) +
				RANKING.ask * similarity +
				(isExact ? EXACT_BONUS : 0),
			grade:
				isExact || (rare && phrased.has(pattern))
					? 'strong'
					: gradeOf(
							(rare && coverage >= ALL) || (phrased.has(pattern) && phrased.size <= Math.max(3, size / 10)),
							evidenceOf({
								coverage,
								ask: phrased.has(pattern) || index.patterns[pattern]?.asks.length ? similarity : undefined,
								about: (about[pattern] ?? 0) / most,
								unknown,
								texts: index.texts[pattern] ?? 1,
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
	const same = [...new Set(readings(terms).flatMap((meant) => index.phrased(meant, ['title'])))];
	return same.length === 1 ? same : [];
}

/** Queries of more typos than this are not read in every way that they may be meant. */
const MAX_READINGS = 16;

/**
 * What a query may mean, term by term: one reading when it has no typos, else one for each choice of the words that they
 * may stand for; none when a word stands for nothing, or for several terms for another reason.
 */
function readings(terms: readonly QueryTerm[]): string[][] {
	let meant: string[][] = [[]];
	for (const { stands } of terms) {
		if (stands.length > 1 && !stands.every(({ guess }) => guess)) return [];
		meant = meant.flatMap((before) => stands.map(({ term }) => [...before, ...term.split(' ')]));
		if (meant.length > MAX_READINGS) return [];
	}
	return terms.length > 0 ? meant : [];
}

/** The weights of the fields, by their index in `SEARCH_FIELDS`. */
const WEIGHTS = SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field]);

interface Matches {
	patterns: readonly number[];
	/** For each of `patterns` the best field, as an index into `SEARCH_FIELDS`. */
	fields: readonly number[];
	/** For each of `patterns` in how many of its texts the term stands. */
	texts: readonly number[];
	/** In how many texts of all records it stands. */
	allTexts: number;
	/** What a match of this term is worth, whatever the field. */
	weight: number;
}

/** The records that have a term in any of its forms, each with the best field that has it. */
export function matchesOf(index: SearchIndex, term: QueryTerm): Matches {
	const [only, ...more] = term.stands;
	if (!only) return { patterns: [], fields: [], texts: [], allTexts: 0, weight: 0 };
	if (more.length === 0) {
		const posting = index.postings.get(only.term);
		return posting
			? { ...posting, weight: only.weight }
			: { patterns: [], fields: [], texts: [], allTexts: 0, weight: 0 };
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
		allTexts: [...found.values()].reduce((sum, { count }) => sum + count, 0),
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
