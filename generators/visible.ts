import type { Registry } from '../registry/schema.ts';

/**
 * The registry as readers may see it: without hidden records, without links to them, and without the groups, categories
 * and requirements that only hidden records use. Everything else keeps the file's order.
 */
export function withoutHidden(registry: Registry): Registry {
	const shown = registry.patterns.filter(({ hidden }) => !hidden);
	const concealed = registry.patterns.filter(({ hidden }) => hidden);
	const ids = new Set(shown.map(({ id }) => id));
	const unlessConcealed = <T>(of: (record: Registry['patterns'][number]) => readonly T[]) => {
		const visible = new Set(shown.flatMap(of));
		const secret = new Set(concealed.flatMap(of).filter((item) => !visible.has(item)));
		return (item: T) => !secret.has(item);
	};
	const categoryShown = unlessConcealed(({ category }) => [category]);
	const requirementShown = unlessConcealed(({ requires }) => requires);
	const categories = registry.categories.filter(({ id }) => categoryShown(id));
	const groups = new Set(categories.map(({ group }) => group));
	const emptied = new Set(registry.categories.map(({ group }) => group).filter((group) => !groups.has(group)));
	const secretIds = new Set(concealed.map(({ id }) => id).filter((id) => !ids.has(id)));
	return {
		...registry,
		groups: registry.groups.filter(({ id }) => !emptied.has(id)),
		categories,
		requirements: registry.requirements.filter(({ id }) => requirementShown(id)),
		patterns: shown.map((record) => ({
			...record,
			depends_on: record.depends_on.filter((id) => !secretIds.has(id)),
		})),
	};
}
