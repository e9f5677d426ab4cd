import { error, type Problem, warning } from '../problem.ts';
import { foldName } from '../repository-files.ts';
import type { PatternRecord } from '../schema.ts';
import { type Check, eachPattern } from './check.ts';

/** Ids are unique, also on a disk that folds case: each becomes a file, a folder and a route. */
export const checkUniqueIds: Check = ({ registry }) =>
	(['groups', 'categories', 'requirements', 'patterns'] as const).flatMap((list) => {
		const seen = new Map<string, string>();
		return registry[list].flatMap(({ id }, index): Problem[] => {
			const first = seen.get(foldName(id));
			if (first === undefined) {
				seen.set(foldName(id), id);
				return [];
			}
			const message =
				first === id
					? `The id ${JSON.stringify(id)} stands twice in ${list}.`
					: `The id ${JSON.stringify(id)} is ${JSON.stringify(first)} on a disk that folds case.`;
			return [error([list, index, 'id'], message, 'Rename one of them, or merge the two.')];
		});
	});

const TEXT_LISTS = [
	'asks',
	'avoid_when',
	'requires',
	'capabilities',
	'keywords',
	'depends_on',
	'emulation_notes',
] as const;
const REF_LISTS = ['docs', 'code', 'tests', 'showcases'] as const;

/** No list of a record says the same thing twice. */
export const checkDuplicates = eachPattern((record, path) => [
	...TEXT_LISTS.flatMap((field) => repeats([...path, field], record[field], (item) => item.trim().toLowerCase())),
	...REF_LISTS.flatMap((field) => repeats([...path, field], record[field], (item) => item.path, 'path')),
	...repeats([...path, 'invariants'], record.invariants, ruleOf),
	...repeats([...path, 'alternatives'], record.alternatives, (item) => item.approach.trim().toLowerCase(), 'approach'),
]);

function repeats<Item>(
	path: Problem['path'],
	items: readonly Item[],
	keyOf: (item: Item) => string,
	field?: string,
): Problem[] {
	const first = new Map<string, number>();
	return items.flatMap((item, index) => {
		const key = keyOf(item);
		const before = first.get(key);
		if (before === undefined) {
			first.set(key, index);
			return [];
		}
		const where = [...path, index, ...(field === undefined ? [] : [field])];
		const list = String(path.at(-1));
		return [warning(where, `The same as ${list}[${before}] of this record.`, 'Delete one of them.')];
	});
}

function ruleOf(invariant: PatternRecord['invariants'][number]): string {
	return typeof invariant === 'string' ? invariant : invariant.rule;
}
