import type { Category, Group, PatternRecord, Registry } from './schema.ts';

/** A group with its categories and their patterns, as every surface lists them. */
export interface GroupSection {
	group: Group;
	categories: { category: Category; patterns: PatternRecord[] }[];
}

/**
 * The patterns that readers see, in the order of every surface: by group, then by category, each as the registry lists
 * them, then in the file's order. Hidden records are left out, here and so everywhere; empty categories and groups too.
 * A record of an unknown category (which validation refuses) comes last, under a group of its own.
 */
export function sections(registry: Registry): GroupSection[] {
	const visible = registry.patterns.filter((pattern) => !pattern.hidden);
	const known = new Set(registry.categories.map((category) => category.id));
	const inGroups = registry.groups.map((group) => ({
		group,
		categories: registry.categories
			.filter((category) => category.group === group.id)
			.map((category) => ({ category, patterns: visible.filter((pattern) => pattern.category === category.id) }))
			.filter(({ patterns }) => patterns.length > 0),
	}));
	const groupIds = new Set(registry.groups.map((group) => group.id));
	const lost = registry.categories.filter((category) => !groupIds.has(category.group));
	const rest = visible.filter(
		(pattern) => !known.has(pattern.category) || lost.some((category) => category.id === pattern.category),
	);
	const other = { id: 'other', title: 'Other' };
	const tail = { group: other, categories: [{ category: { ...other, group: 'other' }, patterns: rest }] };
	return [...inGroups, ...(rest.length > 0 ? [tail] : [])].filter(({ categories }) => categories.length > 0);
}

/** The patterns that readers see, flat, in the order of every surface. */
export function visiblePatterns(registry: Registry): PatternRecord[] {
	return sections(registry).flatMap(({ categories }) => categories.flatMap(({ patterns }) => patterns));
}
