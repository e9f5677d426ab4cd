import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureFaults } from './rule-fixtures.ts';
import { type RuleFault, readRules } from './rule-form.ts';
import { RULE } from './rule-testing.ts';
import { SNIPPET_RULES } from './snippet.ts';

/** A rule that is as it should be, with some fields changed or, as undefined, left out. */
function rule(changes: Record<string, unknown> = {}): Record<string, unknown> {
	const whole: Record<string, unknown> = { ...RULE, ...changes };
	return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

function faultsOf(value: unknown): RuleFault[] {
	const read = readRules(value);
	return 'faults' in read ? read.faults : [];
}

const lines = (changes: Record<string, unknown>) =>
	faultsOf({ rules: [rule(changes)] }).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the form of snippet rules', () => {
	it('is that of the built-in ones', () => {
		expect(faultsOf({ rules: SNIPPET_RULES })).toEqual([]);
		expect(readRules({ $schema: './x.json', rules: [rule()] })).toEqual({ rules: [rule()] });
	});

	it.each([
		[{ id: 'No_Any' }, 'rules.0.id: Expected a kebab-case name of at most 60 characters.'],
		[{ id: undefined }, 'rules.0: The field "id" is missing.'],
		[{ languages: ['python'] }, 'rules.0.languages: Expected a list of ts, tsx, js, jsx.'],
		[{ languages: [] }, 'rules.0.languages: Expected a list of ts, tsx, js, jsx.'],
		[{ pattern: '(' }, 'rules.0.pattern: It does not compile with the flags gmu: Invalid'],
		[{ pattern: '\\w+' }, 'rules.0.pattern: It could run without end: + repeats without a bound.'],
		[{ pattern: 'a{0,9}' }, 'rules.0.pattern: It matches the empty text'],
		[{ pattern: 'a'.repeat(1001) }, 'rules.0.pattern: The pattern has 1001 characters, at most 1000 are run.'],
		[{ pattern: undefined }, 'rules.0: The field "pattern" is missing.'],
		[{ string: '(a|b){1,9}' }, 'rules.0.string: It could run without end: {1,9} repeats what holds a choice'],
		[{ commentAllows: 'yes' }, 'rules.0.commentAllows: Expected true or false.'],
		[{ message: ' ' }, 'rules.0.message: Expected text of at most 500 characters.'],
		[{ fix: undefined }, 'rules.0: The field "fix" is missing.'],
		[{ pass: ['a'] }, 'rules.0.pass: Expected a list of at least 2 pieces of code.'],
		[{ fail: [] }, 'rules.0.fail: Expected a list of {"code": "…", "lines": [1]}, at least one.'],
		[{ fail: [{ code: 'x', lines: [0] }] }, 'rules.0.fail: Expected a list of {"code": "…", "lines": [1]}, at'],
		[{ severity: 'high' }, 'rules.0.severity: Unknown field "severity".'],
	])('refuses %j', (changes, line) => {
		expect(lines(changes)).toEqual([expect.stringContaining(line)]);
	});

	it('refuses what is no list of rules, and an id that is given twice', () => {
		for (const value of [null, [], { rule: [] }, { rules: {} }, 'x']) {
			expect(faultsOf(value)).toEqual([expect.objectContaining({ path: [], fix: expect.stringContaining('"rules"') })]);
		}
		expect(faultsOf({ rules: [rule(), rule()] })).toEqual([
			{ path: ['rules', 1, 'id'], message: 'rules[0] has this id too.', fix: 'Give it another.' },
		]);
	});

	it('is judged without failing, whatever stands in the file', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(rule()), 'string'), (value, field) => {
				faultsOf(value);
				faultsOf({ rules: [value, rule({ [field]: value })] });
			}),
		);
	});
});

describe('the examples of a rule', () => {
	const found = (changes: Record<string, unknown>) => {
		const read = readRules({ rules: [rule(changes)] });
		return 'rules' in read ? fixtureFaults(read.rules) : read.faults;
	};

	it('hold when the rule finds what they say', () => {
		expect(found({})).toEqual([]);
		expect(fixtureFaults(SNIPPET_RULES)).toEqual([]);
	});

	it('hold for the rule that the guide shows', () => {
		const guide = readFileSync(new URL('../docs/server.md', import.meta.url), 'utf8');
		const read = readRules(JSON.parse(/```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? 'null'));
		expect('rules' in read ? fixtureFaults(read.rules) : read.faults).toEqual([]);
	});

	it.each([
		[
			{ pass: ['x;', 'new LegacyClient();'] },
			['rules', 0, 'pass', 1],
			'no-legacy-client finds line 1 in this example, expected nothing.',
		],
		[
			{ fail: [{ code: 'x;\nnew LegacyClient();', lines: [1, 2] }] },
			['rules', 0, 'fail', 0],
			'no-legacy-client finds line 2 in this example, expected lines 1, 2.',
		],
		[{ pass: ['x;', ''] }, ['rules', 0, 'pass', 1], 'The example cannot be checked: the snippet is empty.'],
	])('do not hold for %j', (changes, path, message) => {
		expect(found(changes)).toEqual([expect.objectContaining({ path, message })]);
	});
});
