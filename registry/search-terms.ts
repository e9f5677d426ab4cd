import { idf, type SearchIndex } from './search-index.ts';
import { tokenize } from './text.ts';

/**
 * What a query asks for, term by term: each of its words with the terms of the registry that stand for it, and how sure
 * that is. A word that the registry has stands for itself; one that it lacks is tried as two words written as one (or one
 * written as two), as the beginning of a word, as a typo, which is a guess and is said to be one, and last as a word that
 * goes on after one of the registry.
 */
export interface QueryTerm {
	/** The word as the query has it. */
	word: string;
	term: string;
	/** The terms of the registry that stand for it; empty when it has none. */
	stands: readonly Stand[];
	/** How many records have it, as far as it could be matched. */
	frequency: number;
	/** Its weight: rare terms decide, terms of most records barely count. */
	idf: number;
}

/** A term of the registry that stands for a word of the query. */
export interface Stand {
	term: string;
	/** How sure it is, 0..1. */
	weight: number;
	/** The word of the registry that the query's was taken for, when it took a guess. */
	guess?: string;
}

/** A word's beginning is half a match: `auth` for authentication. */
const PREFIX_WEIGHT = 0.5;
/** The shortest word that is taken for a beginning. */
const MIN_PREFIX = 4;
/** The shortest term of the registry that a longer word is taken to go on from: `oauth` of oauth2. */
const MIN_BEGINNING = 5;
/** A word that lacks its last letter is nearly the word. */
const NEARLY_WEIGHT = 0.8;
/** A typo's correction counts a little less than the word itself. */
const GUESS_WEIGHT = 0.8;
/** The shortest word that is taken for a typo: shorter ones are near too many others. */
const MIN_GUESS = 5;
/** A word of this length is taken for one only when two neighbours have changed places. */
const MIN_SWAP = 4;
/** From this length on a word may hold two typos. */
const TWO_TYPOS = 9;
/** Two typos are believed only after so many right letters: prediction is no production. */
const SURE_START = 3;
/** More words than these are as near to a mistyped one only when it is hardly a word. */
const MAX_GUESSES = 4;
/** So many words of a query are looked up as typos: one with more is no question, and each takes a walk through the words. */
const MAX_GUESSED = 16;
/** Terms beyond this many add nothing that the first did not say; they would only take time. */
const MAX_TERMS = 64;
/** A longer word is no word: it is looked up as it stands, and neither split nor taken for a typo. */
const MAX_WORD = 40;

/** Reads a query against an index. Terms come in the query's order, each once, at most 64 of them. */
export function queryTerms(index: SearchIndex, query: string): QueryTerm[] {
	const tokens = distinct(tokenize(query), ({ term }) => term).slice(0, MAX_TERMS);
	const terms: QueryTerm[] = [];
	let guesses = MAX_GUESSED;
	for (let at = 0; at < tokens.length; at++) {
		const token = tokens[at];
		const next = tokens[at + 1];
		if (!token) continue;
		const joined = next && joinedTerm(index, token, next);
		if (joined) {
			terms.push(describe(index, `${token.word} ${next.word}`, joined, [{ term: joined, weight: 1 }]));
			at++;
			continue;
		}
		const term = resolve(index, token.word, token.term, guesses > 0);
		if (term.stands.length === 0 || term.stands[0]?.guess) guesses--;
		terms.push(term);
	}
	return terms;
}

function resolve(index: SearchIndex, word: string, term: string, mayGuess: boolean): QueryTerm {
	if (index.postings.has(term)) return describe(index, word, term, [{ term, weight: 1 }]);
	if (word.length > MAX_WORD) return describe(index, word, term, []);
	const split = splitTerm(index, word);
	if (split) return describe(index, word, term, [{ term: split, weight: 1 }]);
	const beginnings = startingWith(index.vocabulary, term);
	if (beginnings.length > 0) {
		const nearly = beginnings.filter((longer) => longer.length === term.length + 1);
		const [stands, weight] = nearly.length > 0 ? [nearly, NEARLY_WEIGHT] : [beginnings, PREFIX_WEIGHT];
		return describe(
			index,
			word,
			term,
			stands.map((longer) => ({ term: longer, weight })),
		);
	}
	const guesses = mayGuess ? nearestWords(index, word) : [];
	if (guesses.length === 0) {
		const short = longestBeginning(index, term);
		if (short) return describe(index, word, term, [{ term: short, weight: PREFIX_WEIGHT }]);
	}
	return describe(
		index,
		word,
		term,
		guesses.map((guess) => ({ term: guess.term, weight: GUESS_WEIGHT, guess: guess.word })),
	);
}

function describe(index: SearchIndex, word: string, term: string, stands: readonly Stand[]): QueryTerm {
	const lists = stands.map((one) => index.postings.get(one.term)?.patterns ?? []);
	const [only = []] = lists;
	const frequency = lists.length > 1 ? new Set(lists.flat()).size : only.length;
	// A word that no card has is no rarer than one that a single card has.
	return { word, term, stands, frequency, idf: idf(index.patterns.length, Math.max(1, frequency)) };
}

/** The term that two neighbouring words make when they are written as one, if the registry has it and lacks one of them: "web hook". */
function joinedTerm(index: SearchIndex, first: Named, second: Named): string | undefined {
	if (index.postings.has(first.term) && index.postings.has(second.term)) return undefined;
	if (first.word.length + second.word.length > MAX_WORD) return undefined;
	const [joined] = tokenize(first.word + second.word);
	return joined && index.postings.has(joined.term) ? joined.term : undefined;
}

/** The two terms that a word consists of, joined by a space, if some text of the registry has both: "ratelimit". */
function splitTerm(index: SearchIndex, word: string): string | undefined {
	for (let at = 3; at <= word.length - 3; at++) {
		const parts = tokenize(`${word.slice(0, at)} ${word.slice(at)}`).map(({ term }) => term);
		if (parts.length === 2 && index.postings.get(parts.join(' '))) return parts.join(' ');
	}
	return undefined;
}

function startingWith(vocabulary: readonly string[], prefix: string): string[] {
	if (prefix.length < MIN_PREFIX) return [];
	const found: string[] = [];
	for (let at = firstAtLeast(vocabulary, prefix, (term) => term); vocabulary[at]?.startsWith(prefix); at++) {
		found.push(vocabulary[at] ?? '');
	}
	return found;
}

/** The longest term of the registry that a word begins with, when it is most of it: oauth for oauth2, quick for quicker. */
function longestBeginning(index: SearchIndex, term: string): string | undefined {
	for (let end = term.length - 1; end >= Math.max(MIN_BEGINNING, term.length * 0.7); end--) {
		if (index.postings.has(term.slice(0, end))) return term.slice(0, end);
	}
	return undefined;
}

function firstAtLeast<Item>(sorted: readonly Item[], value: string, key: (item: Item) => string): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const item = sorted[middle];
		if (item !== undefined && key(item) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * The words that a mistyped one may mean, one for each term, those of most records first, then in code-unit order: the
 * same first letter and the fewest edits. Which of them is meant, the other words of the query decide.
 */
function nearestWords(index: SearchIndex, mistyped: string): Named[] {
	if (mistyped.length < MIN_SWAP || !/^[a-z]+$/.test(mistyped)) return [];
	const letters = mistyped.length < MIN_GUESS ? lettersOf(mistyped) : undefined;
	let allowed = mistyped.length >= TWO_TYPOS ? 2 : 1;
	const start = mistyped.slice(0, 1);
	let nearest: Named[] = [];
	for (let at = firstAtLeast(index.words, start, ([word]) => word); at < index.words.length; at++) {
		const [word = '', term = ''] = index.words[at] ?? [];
		if (!word.startsWith(start)) break;
		if (Math.abs(word.length - mistyped.length) > allowed) continue;
		if (letters !== undefined && lettersOf(word) !== letters) continue;
		const edits = editDistance(mistyped, word, allowed);
		if (edits > allowed || (edits > 1 && !word.startsWith(mistyped.slice(0, SURE_START)))) continue;
		if (edits < allowed) nearest = [];
		allowed = edits;
		nearest.push({ word, term });
	}
	const records = ({ term }: Named) => index.postings.get(term)?.patterns.length ?? 0;
	return distinct(nearest, ({ term }) => term)
		.sort((a, b) => records(b) - records(a))
		.slice(0, MAX_GUESSES);
}

function lettersOf(word: string): string {
	return [...word].sort().join('');
}

/**
 * Edits between two words, a swap of neighbours counting as one (optimal string alignment); more than `limit` is
 * reported as `limit + 1` as soon as it is certain.
 */
export function editDistance(a: string, b: string, limit: number): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			let edits = Math.min(
				(last[column] ?? 0) + 1,
				(current[column - 1] ?? 0) + 1,
				(last[column - 1] ?? 0) + (same ? 0 : 1),
			);
			if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
				edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
			}
			current.push(edits);
		}
		if (Math.min(...current) > limit) return limit + 1;
		beforeLast = last;
		last = current;
	}
	return last[b.length] ?? 0;
}

interface Named {
	word: string;
	term: string;
}

function distinct<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
	return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed();
}
