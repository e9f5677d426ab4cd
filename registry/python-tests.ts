import type { DeclaredTest } from './test-names.ts';

type Hindrance = DeclaredTest['hindrance'];

/** A class or a function whose body the scan is in. */
interface Block {
	kind: 'class' | 'function';
	name: string;
	indent: number;
	hindrance: Hindrance;
}

interface Found {
	/** Path of the enclosing classes. */
	owner: string;
	name: string;
	line: number;
	hindrance: Hindrance;
}

/** True for files whose tests are found as pytest and unittest find them. */
export function isPython(path: string): boolean {
	return path.endsWith('.py');
}

/**
 * Finds the tests of a Python file without running it: functions, and methods of the classes that pytest collects, whose
 * names begin with `test`; those that a class has from another one of the file too. Names are pytest's, `TestClass::test_name`; a claim may also write ` > ` for
 * `::`, and name one case of a parametrised test, `test_name[case]`.
 */
export function pythonTests(source: string): DeclaredTest[] {
	const { found, bases, inits, held } = scan(source);
	const collected = (owner: string) => owner === '' || isCollected(owner, bases, inits);
	const all = [...found, ...inherited(found, bases)].filter(({ owner }) => collected(owner));
	return all.map(({ owner, name, line, hindrance }) => {
		const full = owner === '' ? name : `${owner}::${name}`;
		const hindered = held ?? hindrance;
		return {
			name: full,
			...(hindered ? { hindrance: hindered } : {}),
			line,
			matches: (claim) => claim.replace(/\[.*\]$/s, '').replaceAll(' > ', '::') === full,
		};
	});
}

interface Scan {
	found: Found[];
	/** The bases of each class, as they are written. */
	bases: Map<string, string[]>;
	/** Classes that define `__init__`. */
	inits: Set<string>;
	held: Hindrance;
}

/**
 * Whether pytest looks for tests in a class and in those around it: one built on unittest's TestCase, by any name, or one
 * named Test… without an `__init__`. A base from elsewhere counts as a TestCase when it is called something with Test.
 */
function isCollected(owner: string, bases: Scan['bases'], inits: Scan['inits']): boolean {
	return owner.split('::').every((name, at, names) => {
		const whole = names.slice(0, at + 1).join('::');
		const line = [whole, ...basesAbove(whole, bases)];
		if (line.some((base) => !bases.has(base) && /Test\w*$/.test(base))) return true;
		return name.startsWith('Test') && !line.some((base) => inits.has(base));
	});
}

function basesAbove(owner: string, bases: ReadonlyMap<string, readonly string[]>): Set<string> {
	const above = new Set<string>();
	const queue = [...(bases.get(owner) ?? [])];
	for (const base of queue) {
		if (above.has(base) || base === owner) continue;
		above.add(base);
		queue.push(...(bases.get(base) ?? []));
	}
	return above;
}

function scan(source: string): Scan {
	const found: Found[] = [];
	const inits = new Set<string>();
	const bases = new Map<string, string[]>();
	const open: Block[] = [];
	let decorators: string[] = [];
	let held: Hindrance;
	for (const { text, line } of logicalLines(source)) {
		const indent = indentOf(text);
		while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop();
		const code = text.trim();
		if (code.startsWith('@')) {
			decorators.push(code);
			continue;
		}
		const [, keyword, name = '', rest = ''] = /^(?:async\s+)?(class|def)\s+(\w+)(.*)$/su.exec(code) ?? [];
		const marks = [hindranceIn(decorators.join('\n')), ...open.map((block) => block.hindrance)];
		const hindrance = marks.find((mark) => mark !== undefined);
		decorators = [];
		if (keyword === undefined) {
			if (indent === 0 && /^pytestmark\s*=/.test(code)) held = hindranceIn(code);
			continue;
		}
		// What a function declares inside is its own affair.
		const isReachable = open.every(({ kind }) => kind === 'class');
		const owner = open.map((block) => block.name).join('::');
		if (keyword === 'class') {
			if (isReachable) bases.set(owner === '' ? name : `${owner}::${name}`, baseNames(rest));
			open.push({ kind: 'class', name, indent, hindrance });
		} else {
			if (isReachable && name === '__init__') inits.add(owner);
			if (isReachable && name.startsWith('test')) found.push({ owner, name, line, hindrance });
			open.push({ kind: 'function', name, indent, hindrance });
		}
	}
	return { found, bases, inits, held };
}

/** Tests that a class has from the classes of the same file that it is built on. */
function inherited(found: readonly Found[], bases: ReadonlyMap<string, readonly string[]>): Found[] {
	return [...bases.keys()].flatMap((owner) => {
		const own = new Set(found.filter((test) => test.owner === owner).map(({ name }) => name));
		const above = basesAbove(owner, bases);
		const more = found.filter((test) => above.has(test.owner) && !own.has(test.name));
		return more.map((test) => ({ ...test, owner }));
	});
}

function baseNames(rest: string): string[] {
	const list = /^\s*(?:\[[^\]]*\]\s*)?\(([\s\S]*?)\)/.exec(rest)?.[1] ?? '';
	return list.split(',').flatMap((part) => /^\s*(\w+(?:\.\w+)*)\s*$/.exec(part)?.[1] ?? []);
}

/** What marks keep a test from running always, of pytest and of unittest. */
function hindranceIn(code: string): Hindrance {
	if (/\b(?:mark|unittest)\s*\.\s*(?:skip|xfail|expectedFailure)\b/.test(code)) return 'skip';
	if (/\b(?:skipif|skipIf|skipUnless)\b/.test(code)) return 'condition';
	return undefined;
}

/** The statements of a file, each with its first line (1-based); comments and the insides of strings are blank. */
function logicalLines(source: string): { text: string; line: number }[] {
	const lines: { text: string; line: number }[] = [];
	let depth = 0;
	let continued = false;
	for (const [at, text] of blankStrings(source).split('\n').entries()) {
		const last = lines.at(-1);
		if ((depth > 0 || continued) && last) last.text += `\n${text}`;
		else if (text.trim() !== '') lines.push({ text, line: at + 1 });
		for (const bracket of text.match(/[()[\]{}]/g) ?? [])
			depth = Math.max(0, depth + ('([{'.includes(bracket) ? 1 : -1));
		continued = text.trimEnd().endsWith('\\');
	}
	return lines;
}

const TEXT = /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|(["'])(?:\\[\s\S]|(?!\2)[^\\\n])*(?:\2|(?=\n)|$)/g;

/** The source with comments and strings replaced by spaces; line breaks stay, but those of strings that span lines. */
function blankStrings(source: string): string {
	// A string's own line breaks would look like statements; a backslash joins them to the line where it begins.
	return source.replace(/\r\n?/g, '\n').replace(TEXT, (text) => text.replace(/[^\n]/g, ' ').replaceAll('\n', '\\\n'));
}

/** Columns before the first character, as Python counts them: a tab goes to the next multiple of eight. */
function indentOf(text: string): number {
	let column = 0;
	for (const character of text) {
		if (character === ' ') column++;
		else if (character === '\t') column += 8 - (column % 8);
		else break;
	}
	return column;
}
