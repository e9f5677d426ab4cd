import type { SearchIndex } from './search-index.ts';
import type { QueryTerm } from './search-terms.ts';

/** How well a record covers a query: weak means that it shares words with it by accident. */
export type Grade = 'strong' | 'partial' | 'weak';

/** Numbers that shape the ranking; measured by `bench:search`, never on the blind set. */
export const RANKING = {
	/** What the nearest single ask adds to the score, against all fields together. */
	ask: 0.8,
	/** What it adds that the card is about the terms, and not only has them: see `aboutness`. */
	about: 2,
	/** Of this many texts a term may stand in one by chance; where cards have more of them, one text says less. */
	textsByChance: 20,
	/** Cards are taken to have this fraction of the average number of texts more than they have. */
	textsAdded: 8,
	/** What each kind of evidence adds to the grade, and what unknown words take from it. See `evidenceOf`. */
	evidence: { coverage: 0.27, ask: 0.09, about: 0.64, unknown: 0.06 },
	/** A card without asks can show no nearness to one; it is taken to have an ask of this likeness, as most right cards do. */
	withoutAsks: 0.4,
	/** What is taken from the evidence for a card for each e-fold of its texts: the more it has, the more match by chance. */
	chance: 0.05,
	/** From which evidence on a hit is strong, and from which it is partial. */
	strong: 0.375,
	partial: 0.275,
} as const;

/**
 * How much a card is about a term, and not only has it: the logarithm of how much denser the term stands in the card's
 * texts than in all texts, damped when that rests on one text or two, which may have it by chance, and when most cards
 * have the term.
 * @param count in how many texts of the card the term stands; `all` in how many of all cards; `cards` how many have it
 */
export function aboutness(index: SearchIndex, pattern: number, count: number, all: number, cards: number): number {
	const average = index.allTexts / index.patterns.length;
	// A share of the average is added, so that one text of a card with few does not look dense.
	const density = count / ((index.texts[pattern] ?? 0) + average / RANKING.textsAdded);
	const chance = average / RANKING.textsByChance;
	const common = (cards / index.patterns.length) ** 6;
	return (1 - common) * (count / (count + chance)) * Math.log(1 + (density * index.allTexts) / all);
}

/** What speaks for a hit, and what against it. */
export interface Evidence {
	/** The share of the query that the card has, by weight. */
	coverage: number;
	/** The likeness of its nearest ask; undefined for a card without asks. */
	ask: number | undefined;
	/** How much the card is about what was matched, in units of a term that one card of all is about. */
	about: number;
	/** The share of the query that no card has, by weight. */
	unknown: number;
	/** How many texts the card has. */
	texts: number;
}

/** Weighs the evidence for a hit. What was matched saturates: half of a long question says more than half of two words. */
export function evidenceOf({ coverage, ask, about, unknown, texts }: Evidence): number {
	const weights = RANKING.evidence;
	return (
		weights.coverage * coverage +
		weights.ask * (ask ?? RANKING.withoutAsks) +
		weights.about * (about / (about + 1)) -
		weights.unknown * unknown -
		RANKING.chance * Math.log(texts)
	);
}

/**
 * Whether a query is one word or two that hardly any card has, like the name of an error or a product. A card that has
 * all of it is no accident, however little there is to match.
 */
export function isRareLookup(index: SearchIndex, terms: readonly QueryTerm[]): boolean {
	const few = Math.max(2, index.patterns.length / 20);
	return terms.length <= 2 && terms.every(({ frequency }) => frequency <= few);
}

/** The grade of evidence; a look-up, by rare words or by a keyword that few cards have, is never weak. */
export function gradeOf(lookup: boolean, evidence: number): Grade {
	if (evidence >= RANKING.strong) return 'strong';
	return lookup || evidence >= RANKING.partial ? 'partial' : 'weak';
}
