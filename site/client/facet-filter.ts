/** The values chosen in each facet, by its id. */
export type Selection = Readonly<Record<string, readonly string[]>>;

/** What an item has in each facet, by its id. */
export type ItemFacets = Readonly<Record<string, readonly string[]>>;

/**
 * The items, by index, that have one of the chosen values in every facet where any is chosen; and for each `facet=value`
 * how many items choosing it would show beside what is chosen in the other facets.
 */
export function filterItems(
	items: readonly ItemFacets[],
	selection: Selection,
): { shown: Set<number>; counts: Map<string, number> } {
	const shown = new Set<number>();
	const counts = new Map<string, number>();
	for (const [at, item] of items.entries()) {
		const missed = Object.entries(selection).filter(
			([facet, values]) => values.length > 0 && !values.some((value) => item[facet]?.includes(value)),
		);
		if (missed.length === 0) shown.add(at);
		if (missed.length > 1) continue;
		for (const [facet, values] of Object.entries(item)) {
			if (missed.some(([other]) => other !== facet)) continue;
			for (const value of values) counts.set(`${facet}=${value}`, (counts.get(`${facet}=${value}`) ?? 0) + 1);
		}
	}
	return { shown, counts };
}

/** Reads a selection from an address's query: each facet may stand in it several times. Other keys are not ours. */
export function selectionFrom(query: URLSearchParams, facets: readonly string[]): Selection {
	return Object.fromEntries(facets.map((facet) => [facet, query.getAll(facet)]));
}

/** The query of a selection, in the order of the facets; empty when nothing is chosen. */
export function selectionQuery(selection: Selection): string {
	const query = new URLSearchParams();
	for (const [facet, values] of Object.entries(selection)) for (const value of values) query.append(facet, value);
	return query.toString();
}
