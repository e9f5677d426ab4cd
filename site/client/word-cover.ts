/** A word of a query, and the pages that have it. */
export interface WordPages {
	word: string;
	pages: readonly string[];
}

/** Pages that have the same words of a query. */
export interface PageGroup {
	/** The words that they have, and those that they lack, both in the order of the query. */
	has: string[];
	lacks: string[];
	pages: ReadonlySet<string>;
}

/** Pages whose words weigh less than this share of what the best page's words weigh are no answer. */
const ENOUGH = 0.5;

/**
 * Groups pages by the words that they have, best first: a rare word weighs more than one that stands on most pages, so
 * that two words of the subject outrank three of everyday speech. Pages with too little are left out. Pure.
 */
export function coverWords(found: readonly WordPages[]): PageGroup[] {
	const pages = new Set(found.flatMap((one) => one.pages));
	const held = found.map((one) => new Set(one.pages));
	const weights = held.map(({ size }) => (size === 0 ? 0 : Math.log(1 + pages.size / size)));
	const groups = new Map<string, { weight: number; at: number[]; pages: Set<string> }>();
	for (const page of pages) {
		const at = found.map((_, index) => index).filter((index) => held[index]?.has(page));
		const group = groups.get(at.join()) ?? {
			weight: at.reduce((sum, i) => sum + (weights[i] ?? 0), 0),
			at,
			pages: new Set(),
		};
		groups.set(at.join(), group);
		group.pages.add(page);
	}
	const sorted = [...groups.values()].sort((a, b) => b.weight - a.weight);
	const least = ENOUGH * (sorted[0]?.weight ?? 0);
	return sorted
		.filter(({ weight }) => weight >= least)
		.map(({ at, pages }) => ({
			has: found.filter((_, index) => at.includes(index)).map(({ word }) => word),
			lacks: found.filter((_, index) => !at.includes(index)).map(({ word }) => word),
			pages,
		}));
}
