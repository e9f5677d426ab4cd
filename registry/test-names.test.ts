import { describe, expect, it } from 'vitest';
import { type DeclaredTest, declaredTests } from './test-names.ts';

function testsIn(source: string, path = 'a.test.ts'): DeclaredTest[] {
	const declared = declaredTests(source, path);
	if ('failure' in declared) throw new Error(declared.failure);
	return declared.tests;
}

function names(source: string): string[] {
	return testsIn(source).map(({ name }) => name);
}

describe('declaredTests', () => {
	it('joins the names of nested blocks', () => {
		const source = `
			describe('outer', () => { suite("inner", function () { it('works', () => {}); test(\`too\`, async () => {}); }); });
			it('alone', () => {});`;
		expect(names(source)).toEqual(['outer > inner > works', 'outer > inner > too', 'alone']);
	});

	it('reads TypeScript and JSX', () => {
		expect(names('const a = <T,>(x: T): T => x; it("typed", (): void => { a<number>(1 satisfies number); });')).toEqual(
			['typed'],
		);
		expect(testsIn('it("page", () => <p>hi</p>)', 'a.test.tsx').map(({ name }) => name)).toEqual(['page']);
	});

	it('finds tests in loops, conditions and callbacks', () => {
		const source = `for (const n of [1, 2]) describe('sizes', () => { [3].forEach((m) => it(\`fits \${n} in \${m}\`, () => {})); });`;
		expect(names(source)).toEqual(['sizes > fits … in …']);
		expect(testsIn(source)[0]?.matches('sizes > fits 1 in 3')).toBe(true);
		expect(testsIn(source)[0]?.matches('sizes > fits 1 out of 3')).toBe(false);
	});

	it('matches the placeholders of tables with anything', () => {
		const source = `
			it.each([[1, 2]])('adds %d to %s', () => {});
			describe.each\`a | b\`('of $a and $b.c', () => { it('is 100%% sure', () => {}); });
			test.for([1])('takes %i', () => {});`;
		expect(names(source)).toEqual(['adds … to …', 'of … and … > is 100%% sure', 'takes …']);
		expect(testsIn(source)[0]?.matches('adds 1 to 2')).toBe(true);
		expect(testsIn(source)[0]?.matches('adds  to ')).toBe(true);
		expect(testsIn(source)[1]?.matches('of x and y > is 100%% sure')).toBe(true);
		expect(testsIn(source)[0]?.matches('subtracts 1 from 2')).toBe(false);
	});

	it('takes a percent sign outside a table for itself', () => {
		expect(testsIn("it('is 5%d', () => {})")[0]?.matches('is 5xx')).toBe(false);
	});

	it('knows names that are constants, sums or asserted', () => {
		const source =
			"export const RULE = 'never two'; it(RULE, () => {}); it('a' + ' b', () => {}); it('c' as string, () => {});";
		expect(names(source)).toEqual(['never two', 'a b', 'c']);
	});

	it('does not let a name that is all variable stand for every claim', () => {
		expect(testsIn('for (const { rule } of rules) it(rule, () => {})')[0]?.matches('anything')).toBe(false);
	});

	it.each([
		["it.skip('a', () => {})", 'skip'],
		["xit('a', () => {})", 'skip'],
		["xdescribe('x', () => { it('a', () => {}) })", 'skip'],
		["fit('a', () => {})", 'only'],
		["describe.skip('x', () => { it('a', () => {}) })", 'skip'],
		["it.todo('a')", 'todo'],
		["it.only('a', () => {})", 'only'],
		["describe.only('x', () => { it('a', () => {}) })", 'only'],
		["it.skipIf(process.env.X)('a', () => {})", 'condition'],
		["describe.runIf(x)('x', () => { it('a', () => {}) })", 'condition'],
		["test('a', { skip: true }, () => {})", 'skip'],
		["test('a', { skip: false }, () => {})", undefined],
		["it.concurrent('a', () => {})", undefined],
		["it('a', () => {})", undefined],
	])('says of %s that it is held by %s', (source, hindrance) => {
		expect(testsIn(source).map((test) => test.hindrance)).toEqual([hindrance]);
	});

	it('does not take other calls for tests', () => {
		expect(names("/x/.test('a'); regex.test('b'); it.each([1]); const it2 = test.extend({}); wait.it('c');")).toEqual(
			[],
		);
	});

	it('says why a file cannot be parsed', () => {
		expect(declaredTests('it("a", () => {', 'a.test.ts')).toEqual({ failure: expect.stringContaining('(1:15)') });
	});
});
