import { formatPath, type JsonPath, valueAt } from './parse.ts';
import { readRegistry } from './read.ts';
import type { Registry } from './schema.ts';
import type { SchemaProblem } from './schema-problems.ts';

/** As much of a faulty registry as can still be checked, and where each part of it stands in the source. */
export interface Draft {
	registry: Registry;
	/** The path in the source of a path in `registry`: list items that the draft left out shift those after them. */
	sourcePath(path: JsonPath): JsonPath;
	/** True when the schema refused what stands at a path of the source, or something around it. */
	leftOut(path: JsonPath): boolean;
	/** True when the schema refused what stands at a path, something around it or something in it. */
	touched(path: JsonPath): boolean;
}

/**
 * A registry to run the contract checks on although the schema found faults, so that an author sees all problems at
 * once: what the schema refused is left out, its smallest enclosing list item or field, and the rest is read as usual.
 * Text that only breaks a rule of form (an id in upper case) stays, since other checks can still say something of it.
 * @returns undefined when nothing is left to check: no object, or no list of patterns
 */
export function draftRegistry(value: unknown, problems: readonly SchemaProblem[]): Draft | undefined {
	const dropped = new Set(problems.flatMap((problem) => droppedBy(problem, value)));
	const kept = new Map<string, number[]>();
	const pruned = prune(value, []);
	if (typeof pruned !== 'object' || pruned === null || !('patterns' in pruned) || !Array.isArray(pruned.patterns)) {
		return undefined;
	}
	const patterns = pruned.patterns.map((record: Record<string, unknown>, index) => ({
		...record,
		id: typeof record.id === 'string' && record.id !== '' ? record.id : `(record ${index + 1})`,
	}));
	return { registry: readRegistry({ ...pruned, patterns }), sourcePath, leftOut, touched };

	function leftOut(path: JsonPath): boolean {
		return path.some((_, index) => dropped.has(formatPath(path.slice(0, index + 1))));
	}

	function touched(path: JsonPath): boolean {
		const prefix = `${formatPath(path)}[`;
		return leftOut(path) || [...dropped].some((one) => one.startsWith(prefix));
	}

	function prune(part: unknown, path: JsonPath): unknown {
		if (Array.isArray(part)) {
			const indexes = [...part.keys()].filter((index) => !dropped.has(formatPath([...path, index])));
			kept.set(formatPath(path), indexes);
			return indexes.map((index) => prune(part[index], [...path, index]));
		}
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(
			Object.entries(part)
				.filter(([key]) => !dropped.has(formatPath([...path, key])))
				.map(([key, child]) => [key, prune(child, [...path, key])]),
		);
	}

	function sourcePath(path: JsonPath): JsonPath {
		const source: (string | number)[] = [];
		for (const part of path) {
			source.push(typeof part === 'number' ? (kept.get(formatPath(source))?.[part] ?? part) : part);
		}
		return source;
	}
}

/** What goes with a refused value: the list item that it belongs to, or itself when it is a field of a record. */
function droppedBy({ path: found, at, unreadable, meant }: SchemaProblem, root: unknown): string[] {
	const path = meant ?? found;
	const item = path.findLastIndex((part) => typeof part === 'number');
	const isRecordField = path[0] === 'patterns' && item === 1 && path.length > 2;
	// The reader ignores a field that it does not know, and keeps text that only has the wrong form.
	if (meant ? !isRecordField && !unreadable : at === 'key' || (!unreadable && valueAt(root, path) !== '')) return [];
	return [formatPath(isRecordField ? path : path.slice(0, item + 1 || path.length))];
}
