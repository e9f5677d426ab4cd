import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterItems, selectionFrom, selectionQuery } from './facet-filter.ts';

const items = [
	{ group: ['data'], requires: ['postgres', 'node'] },
	{ group: ['data'], requires: ['nothing'] },
	{ group: ['agents'], requires: ['llm'] },
];

describe('the filter of the catalog', () => {
	it('shows everything when nothing is chosen', () => {
		expect([...filterItems(items, { group: [], requires: [] }).shown]).toEqual([0, 1, 2]);
	});

	it('widens within a facet and narrows between facets', () => {
		expect([...filterItems(items, { group: ['data', 'agents'], requires: [] }).shown]).toEqual([0, 1, 2]);
		expect([...filterItems(items, { group: ['data'], requires: ['node', 'llm'] }).shown]).toEqual([0]);
	});

	it('shows nothing for a value that no item has', () => {
		expect(filterItems(items, { group: ['none'] }).shown.size).toBe(0);
	});

	const value = fc.constantFrom('a', 'b', 'c');
	const facets = fc.record({ one: fc.uniqueArray(value), two: fc.uniqueArray(value) });

	it('counts for each value what choosing it alone in its facet would show', () => {
		fc.assert(
			fc.property(fc.array(facets, { maxLength: 12 }), facets, (all, selection) => {
				const { counts } = filterItems(all, selection);
				for (const facet of ['one', 'two'] as const) {
					for (const choice of ['a', 'b', 'c']) {
						const { shown } = filterItems(all, { ...selection, [facet]: [choice] });
						expect(counts.get(`${facet}=${choice}`) ?? 0).toBe(shown.size);
					}
				}
			}),
		);
	});

	it('keeps a selection through an address, whatever its values', () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.constantFrom('group', 'tier'), fc.array(fc.string(), { minLength: 1 })),
				(selection) => {
					const read = selectionFrom(new URLSearchParams(selectionQuery(selection)), Object.keys(selection));
					expect(read).toEqual({ ...selection });
				},
			),
		);
	});
});
