import { didYouMean, error, type Problem } from '../problem.ts';
import type { Check } from './check.ts';

/** Every id that a record or a category names is declared. */
export const checkVocabulary: Check = ({ registry }) => {
	const groups = idsOf(registry.groups);
	const categories = idsOf(registry.categories);
	const requirements = idsOf(registry.requirements);
	const patterns = idsOf(registry.patterns);
	return [
		...registry.categories.flatMap(({ group }, index) =>
			unknown(['categories', index, 'group'], group, 'group', groups, 'groups'),
		),
		...registry.patterns.flatMap(({ category, requires, depends_on }, index) => [
			...unknown(['patterns', index, 'category'], category, 'category', categories, 'categories'),
			...requires.flatMap((id, at) =>
				unknown(['patterns', index, 'requires', at], id, 'requirement', requirements, 'requirements'),
			),
			...depends_on.flatMap((id, at) =>
				unknown(['patterns', index, 'depends_on', at], id, 'pattern', patterns, 'patterns'),
			),
		]),
	];
};

function idsOf(items: readonly { id: string }[]): ReadonlySet<string> {
	return new Set(items.map(({ id }) => id));
}

function unknown(path: Problem['path'], id: string, noun: string, known: ReadonlySet<string>, list: string): Problem[] {
	if (id === '' || known.has(id)) return [];
	const otherwise = known.size === 0 ? `Declare it: ${list} is empty.` : `Declare it in ${list}, or use one of them.`;
	return [error(path, `Unknown ${noun} ${JSON.stringify(id)}.`, didYouMean(id, known, otherwise))];
}
