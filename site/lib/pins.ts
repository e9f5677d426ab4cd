import { declaredTests, type Invariant, isScript } from './catalog.ts';
import { readText } from './source.ts';

/** The test that pins an invariant. */
export interface Pin {
	/** From the root of the repository. */
	file: string;
	/** Full name, blocks joined by ` > `. */
	name: string;
	/** 1-based line of the test in its file; undefined when the file has no such test. */
	line: number | undefined;
}

const tests = new Map<string, ReturnType<typeof declaredTests>>();

/** Where an invariant's test stands, found as validation finds it; undefined for an invariant that no test pins. */
export function pinOf(invariant: Invariant): Pin | undefined {
	if (typeof invariant === 'string') return undefined;
	const hash = invariant.pinned_by.indexOf('#');
	const file = hash < 0 ? invariant.pinned_by : invariant.pinned_by.slice(0, hash);
	const name = hash < 0 ? '' : invariant.pinned_by.slice(hash + 1);
	return { file, name, line: lineOf(file, name) };
}

/** How many tests a file declares; a table of cases counts as one. */
export function testCount(file: string): number {
	const declared = testsOf(file);
	return declared && 'tests' in declared ? declared.tests.length : 0;
}

function lineOf(file: string, name: string): number | undefined {
	const declared = testsOf(file);
	if (declared) return 'tests' in declared ? declared.tests.find((test) => test.matches(name))?.line : undefined;
	// In other languages the name's last part is looked for as text.
	const at = (readText(file) ?? '').split('\n').findIndex((line) => line.includes(name.split(' > ').at(-1) ?? name));
	return at < 0 ? undefined : at + 1;
}

function testsOf(file: string): ReturnType<typeof declaredTests> | undefined {
	const text = isScript(file) ? readText(file) : undefined;
	if (text === undefined) return undefined;
	const known = tests.get(file) ?? declaredTests(text, file);
	tests.set(file, known);
	return known;
}
