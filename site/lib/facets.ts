import { requirements } from './card.ts';
import type { PatternRecord } from './catalog.ts';
import { groups, library } from './source.ts';

/** One choice of a facet, and how many patterns have it. */
export interface FacetOption {
	value: string;
	label: string;
	count: number;
}

/** A way to narrow the catalog: choices within a facet widen, facets together narrow. */
export interface Facet {
	id: 'group' | 'category' | 'tier' | 'maturity' | 'requires';
	label: string;
	options: FacetOption[];
}

/** The value of `requires` for patterns that need nothing, with all that they build on. */
export const NOTHING = 'nothing';

const groupOf = new Map(
	groups.flatMap(({ group, categories }) =>
		categories.flatMap(({ patterns }) => patterns.map(({ id }) => [id, group.id] as const)),
	),
);
const categoryIds = new Set(groups.flatMap(({ categories }) => categories.map(({ category }) => category.id)));

/** What a pattern has in each facet. */
export function facetValues(record: PatternRecord): Record<Facet['id'], string[]> {
	const needs = requirements(record).map(({ id }) => id);
	return {
		group: [groupOf.get(record.id) ?? 'other'],
		category: [categoryIds.has(record.category) ? record.category : 'other'],
		tier: [record.tier],
		maturity: [record.maturity],
		requires: needs.length > 0 ? needs : [NOTHING],
	};
}

/** The facets of the catalog with the choices that occur, in the registry's order. */
export function facets(): Facet[] {
	const values = library.patterns.map(facetValues);
	const facet = (id: Facet['id'], label: string, options: readonly (readonly [string, string])[]): Facet => ({
		id,
		label,
		options: options
			.map(([value, name]) => ({ value, label: name, count: values.filter((one) => one[id].includes(value)).length }))
			.filter(({ count }) => count > 0),
	});
	const { requirements: known } = library.registry;
	return [
		facet(
			'group',
			'Group',
			groups.map(({ group }) => [group.id, group.title]),
		),
		facet(
			'category',
			'Category',
			groups.flatMap(({ categories }) => categories.map(({ category }) => [category.id, category.title] as const)),
		),
		facet('maturity', 'Maturity', [
			['proven', 'Proven'],
			['implemented', 'Implemented'],
			['planned', 'Planned'],
		]),
		facet('tier', 'Tier', [
			['deep', 'Deep: a full card'],
			['light', 'Light: an index entry'],
		]),
		facet('requires', 'Requires', [[NOTHING, 'Nothing'], ...known.map(({ id, title }) => [id, title] as const)]),
	].filter(({ options }) => options.length > 0);
}
