/** Lines of a file, 1-based, both ends included. */
export interface Lines {
	from: number;
	to: number;
}

/** A file up to this long is shown whole. */
const SHORT = 40;
/** So many lines are an excerpt. */
const EXCERPT = 28;
/** Fewer than these, above or below, are not worth a fold. */
const LEAST_FOLD = 6;

const EXPORTED =
	/^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(class|function\*?|const|let)\s+([\w$]+)/;

/**
 * The lines of a file that a reader should see first: those of its main declaration, with the comment before it. All
 * lines of a short file, and the first ones where nothing is exported that could be called the main thing.
 * @param path tells by its name which declaration is the main one
 */
export function excerpt(lines: readonly string[], path: string): Lines {
	const whole = { from: 1, to: lines.length };
	if (lines.length <= SHORT) return whole;
	const declared = mainDeclaration(lines, path);
	const begins = declared === undefined ? 1 : withComment(lines, declared);
	const from = begins - 1 < LEAST_FOLD ? 1 : begins;
	const to = from + EXCERPT - 1;
	return { from, to: lines.length - to < LEAST_FOLD ? lines.length : to };
}

/** The 1-based line of the exported class or function that is named like the file, else of the longest one. */
function mainDeclaration(lines: readonly string[], path: string): number | undefined {
	const stem = bare(path.replace(/^.*\//, '').replace(/\.[^.]*$/, ''));
	const found = lines.flatMap((line, index) => {
		const [, kind = '', name = ''] = EXPORTED.exec(line) ?? [];
		if (name === '') return [];
		const isFunction = kind.startsWith('function') || kind === 'class';
		return [{ line: index + 1, name: bare(name), isFunction, length: lengthFrom(lines, index) }];
	});
	const named = found.find(({ name }) => name === stem);
	const longest = found.toSorted((a, b) => Number(b.isFunction) - Number(a.isFunction) || b.length - a.length)[0];
	return (named ?? longest)?.line;
}

/** Lines until one closes the declaration at the margin. */
function lengthFrom(lines: readonly string[], index: number): number {
	const end = lines.findIndex((line, at) => at > index && /^[}\])]/.test(line) && !/\{$/.test(line));
	return (end < 0 ? lines.length : end) - index;
}

function withComment(lines: readonly string[], line: number): number {
	let first = line;
	while (first > 1 && /^(?:\/\*\*?| \*|\/\/|@)/.test(lines[first - 2] ?? '')) first--;
	return first;
}

function bare(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
