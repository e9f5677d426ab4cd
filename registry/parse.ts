import { findNodeAtLocation, getNodeValue, type JSONPath, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { conflictMarkers, describe, firstTooDeep, mildSlip } from './syntax.ts';

/** A place in a text: 1-based line and column, the column in UTF-16 code units. */
export interface Position {
	line: number;
	column: number;
}

/** A place in parsed JSON: keys and indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** Something about the text itself that strict JSON, or this project, refuses. */
export interface SyntaxProblem extends Position {
	message: string;
	fix: string;
	/** Where it lies in the data, when that is known. */
	path: JsonPath;
}

/** JSON text with the places of its values. */
export interface ParsedText {
	/** Every syntax problem; strict JSON has none. */
	problems: SyntaxProblem[];
	/** The data, when the text has no problem or only such that leave its meaning clear (a comment, a comma too many). */
	data?: { value: unknown };
	/**
	 * Where a value stands; with `at: 'key'`, where its key does. A path that does not exist yields its nearest ancestor
	 * that does.
	 */
	locate(path: JsonPath, at?: 'key' | 'value'): Position;
}

/** Largest registry that is parsed. At some 4 KB a card this is room for thousands of cards. */
export const MAX_REGISTRY_BYTES = 16 * 1024 * 1024;
/** Deepest nesting that is parsed; a registry has six levels. */
const MAX_DEPTH = 64;

/**
 * Parses authored JSON strictly (RFC 8259, without a byte order mark and without repeated keys) and keeps positions.
 * Never throws; everything it objects to is in `problems`.
 * @param noun what the file is, for messages
 */
export function parseText(text: string, noun = 'registry'): ParsedText {
	const lines = lineStarts(text);
	const position = (offset: number) => positionAt(lines, offset);
	const problem = (offset: number, message: string, fix: string, path: JsonPath = []): SyntaxProblem => ({
		...position(offset),
		message,
		fix,
		path,
	});
	const refuse = (...problems: SyntaxProblem[]): ParsedText => ({ problems, locate: () => position(0) });

	const bytes = new TextEncoder().encode(text).length;
	if (bytes > MAX_REGISTRY_BYTES) {
		const found = `The file has ${megabytes(bytes)} MB; a ${noun} has at most ${megabytes(MAX_REGISTRY_BYTES)} MB.`;
		return refuse(
			problem(0, `${found} It was not read.`, 'Keep long text in documents, and let entries point to them.'),
		);
	}
	if (text.trim() === '') {
		return refuse(problem(0, `The file is empty; a ${noun} was expected.`, 'Write one, or restore the file.'));
	}
	const conflicts = conflictMarkers(text).map(({ offset, marker }) =>
		problem(
			offset,
			`A merge conflict is unresolved here: the line begins with ${marker}`,
			'Keep one side (or both records), and delete the marker lines.',
		),
	);
	if (conflicts.length > 0) return refuse(...conflicts);

	const problems: SyntaxProblem[] = [];
	if (text.startsWith('\uFEFF')) {
		problems.push(problem(0, 'The file begins with a byte order mark.', 'Save it as UTF-8 without BOM.'));
	}
	const broken = text.indexOf('\uFFFD');
	if (broken >= 0) {
		problems.push(
			problem(broken, 'A character here is not valid UTF-8 (or is U+FFFD itself).', 'Save it as UTF-8 and retype it.'),
		);
	}
	// A blank in its place keeps every offset.
	const source = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
	const tooDeep = firstTooDeep(source, MAX_DEPTH);
	if (tooDeep !== undefined) {
		return refuse(
			...problems,
			problem(
				tooDeep,
				`Nested more than ${MAX_DEPTH} levels deep; a ${noun} has fewer.`,
				'Look for a bracket too many.',
			),
		);
	}

	const errors: ParseError[] = [];
	const root = parseTree(source, errors, { disallowComments: true, allowTrailingComma: false });
	const mild = errors.map((error) => mildSlip(source, error));
	for (const found of mild) {
		if (found && !problems.some((known) => sameOffset(known, position(found.offset)))) {
			problems.push(problem(found.offset, found.message, found.fix));
		}
	}
	// One slip makes a parser complain many times after it, so only the first of the grave ones is worth a reader's time.
	const grave = errors[mild.indexOf(undefined)];
	if (grave) {
		problems.push(problem(grave.offset, describe(source, grave), 'Mend the JSON here; what follows was not checked.'));
	}
	if (grave || !root) return { problems, locate: () => position(0) };
	for (const { node, path, first } of repeatedKeys(root)) {
		const key = JSON.stringify(path.at(-1));
		const message = `The key ${key} is repeated in this object (first on line ${position(first.offset).line}).`;
		problems.push(problem(node.offset, message, 'Keep one of them; readers would take the last.', path));
	}
	return {
		problems,
		data: { value: getNodeValue(root) },
		locate: (path, at = 'value') => position(offsetOf(root, path, at)),
	};
}

/** `patterns[3].docs[0].path`; an empty path is an empty string. */
export function formatPath(path: JsonPath): string {
	return path.reduce<string>(
		(text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
		'',
	);
}

/** What stands at a path in parsed JSON, or undefined. */
export function valueAt(root: unknown, path: JsonPath): unknown {
	return path.reduce<unknown>(
		(value, part) =>
			typeof value === 'object' && value !== null && Object.hasOwn(value, part)
				? (value as Record<string | number, unknown>)[part]
				: undefined,
		root,
	);
}

function lineStarts(text: string): number[] {
	const starts = [0];
	for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
	return starts;
}

function positionAt(starts: readonly number[], offset: number): Position {
	let low = 0;
	let high = starts.length - 1;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? 0) <= offset) low = middle;
		else high = middle - 1;
	}
	return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

function sameOffset(a: Position, b: Position): boolean {
	return a.line === b.line && a.column === b.column;
}

function megabytes(bytes: number): string {
	return (bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '');
}

function repeatedKeys(root: Node): { node: Node; first: Node; path: JSONPath }[] {
	const found: { node: Node; first: Node; path: JSONPath }[] = [];
	walk(root, []);
	return found;

	function walk(node: Node, path: JSONPath): void {
		const children = node.children ?? [];
		if (node.type === 'array') {
			for (const [index, child] of children.entries()) walk(child, [...path, index]);
		}
		if (node.type !== 'object') return;
		const seen = new Map<string, Node>();
		for (const { children: property = [] } of children) {
			const [key, value] = property;
			if (!key) continue;
			const name: string = key.value;
			const first = seen.get(name);
			if (first) found.push({ node: key, first, path: [...path, name] });
			else seen.set(name, key);
			if (value) walk(value, [...path, name]);
		}
	}
}

function offsetOf(root: Node, path: JsonPath, at: 'key' | 'value'): number {
	for (let length = path.length; length > 0; length--) {
		const node = findNodeAtLocation(root, path.slice(0, length));
		if (!node) continue;
		const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
		return at === 'key' && length === path.length && key ? key.offset : node.offset;
	}
	return root.offset;
}
