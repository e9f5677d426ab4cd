// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are sources under test
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSnippet, inspectSnippet, LANGUAGES, MAX_SNIPPET, SNIPPET_RULES, type SnippetRule } from './snippet.ts';

/** The lines on which one rule finds something. */
function linesOf(rule: SnippetRule, code: string): number[] {
	const report = inspectSnippet(code, rule.languages[0], [rule]);
	return report.kind === 'checked' ? report.findings.map(({ line }) => line) : [];
}

const fixtures = SNIPPET_RULES.flatMap((rule) => [
	...rule.pass.map((code) => ({ rule, code, lines: [] as number[] })),
	...rule.fail.map(({ code, lines }) => ({ rule, code, lines })),
]);

describe('every snippet rule', () => {
	it('finds each line that its failing examples name, and nothing in those that must pass', () => {
		expect(fixtures.length).toBeGreaterThan(3 * SNIPPET_RULES.length);
		for (const { rule, code, lines } of fixtures) expect(linesOf(rule, code), `${rule.id} in ${code}`).toEqual(lines);
	});

	it.each(SNIPPET_RULES)('$id has what a rule needs', (rule) => {
		expect(rule.id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
		expect(rule.pass.length).toBeGreaterThanOrEqual(2);
		expect(rule.fail.length).toBeGreaterThanOrEqual(1);
		expect(rule.languages.length).toBeGreaterThanOrEqual(1);
		expect(LANGUAGES).toEqual(expect.arrayContaining(rule.languages));
		expect(rule.message).toMatch(/\.$/);
		expect(rule.fix).toMatch(/\.$/);
	});

	it('has only bounded repetitions', () => {
		for (const { id, pattern, string = '' } of SNIPPET_RULES) {
			const withoutClasses = `${pattern} ${string}`.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
			expect(withoutClasses, id).not.toMatch(/[*+]|\{\d+,\}/);
		}
	});

	it('says nothing of its failing code in a comment or a string', () => {
		for (const rule of SNIPPET_RULES) {
			for (const { code } of rule.fail) {
				expect(linesOf(rule, `/*\n${code}\n*/`), rule.id).toEqual([]);
				expect(linesOf(rule, code.replace(/^/gm, '// ')), rule.id).toEqual([]);
				if (!/[`$\\]/.test(code)) expect(linesOf(rule, `const text = \`\n${code}\n\`;`), rule.id).toEqual([]);
			}
		}
	});

	it('has a name of its own', () => {
		expect(new Set(SNIPPET_RULES.map(({ id }) => id)).size).toBe(SNIPPET_RULES.length);
	});

	it('takes time in proportion to the longest snippet, whatever it repeats', () => {
		const pieces = [
			' ',
			'\n',
			'a',
			'(',
			'{',
			',',
			'`',
			"'",
			'a, ',
			'catch{',
			'new Promise(',
			"import '",
			'constructor(',
			'`${',
		];
		const hostile = [...pieces, ...SNIPPET_RULES.flatMap(({ fail }) => fail.map(({ code }) => code))];
		for (const piece of hostile) {
			const started = performance.now();
			inspectSnippet(piece.repeat(MAX_SNIPPET / piece.length));
			expect(performance.now() - started, piece).toBeLessThan(3000);
		}
	}, 120_000);
});

describe('snippet check', () => {
	it('says that clean code is clean, and what was checked', () => {
		expect(checkSnippet('export const a = 1;\n')).toMatch(/^Clean: no finding \(\d+ rules for ts, 2 lines\)\./);
	});

	it('lists findings by line with source, message and fix, and asks for another call', () => {
		const text = checkSnippet("import { a } from './a';\n\nconst started = Date.now();\n");
		expect(text).toMatch(/^2 findings \(/);
		expect(text).toContain('line 1 [relative-import-extension] A relative import names');
		expect(text).toContain("  > import { a } from './a';\n  Fix: Write the file");
		expect(text.indexOf('line 1 [')).toBeLessThan(text.indexOf('line 3 [injected-clock]'));
		expect(text).toMatch(/call validate_snippet again until it is clean/);
	});

	it('finds nothing more once each finding is mended', () => {
		expect(checkSnippet("import { a } from './a.ts';\n\nconst started = clock.now();\n")).toMatch(/^Clean/);
	});

	it('numbers lines of CRLF code, and of a fenced block with its fence', () => {
		expect(checkSnippet('let a = 1;\r\nlet b = a!;\r\n')).toContain('line 2 [no-non-null-assertion]');
		expect(checkSnippet('```ts\nlet b = a!;\n```')).toContain('line 2 [no-non-null-assertion]');
		expect(checkSnippet('```ts\nlet b = a;\n```\n')).toMatch(/^Clean/);
	});

	it('lets a comment with a reason allow a finding on its line or the next, and no other', () => {
		const code = 'const a = Date.now();';
		expect(checkSnippet(`${code} // allow injected-clock: the program starts here`)).toMatch(/^Clean/);
		expect(checkSnippet(`// allow injected-clock: the program starts here\n${code}`)).toMatch(/^Clean/);
		expect(checkSnippet(`// allow injected-clock:\n${code}`)).toMatch(/^1 finding/);
		expect(checkSnippet(`// allow no-any: other rule\n${code}`)).toMatch(/^1 finding/);
		expect(checkSnippet(`// allow injected-clock: far away\n\n${code}`)).toMatch(/^1 finding/);
		expect(checkSnippet(`f('allow injected-clock: text');${code}`)).toMatch(/^1 finding/);
	});

	it.each(['ts', 'TypeScript', 'tsx', ' mts ', '', undefined, 'typescriptreact'])(
		'takes %j as TypeScript',
		(language) => {
			expect(checkSnippet('const a = b as any;', language)).toContain('[no-any]');
		},
	);

	it('runs only what holds for JavaScript there', () => {
		expect(checkSnippet('const a = b as any; Math.random();', 'javascript')).toMatch(
			/^1 finding[\s\S]*injected-random/,
		);
	});

	it.each(['python', 'constructor', '__proto__', 'x'.repeat(500)])(
		'says that there are no rules for %j',
		(language) => {
			const text = checkSnippet('print(1)', language);
			expect(text).toMatch(/^Nothing was checked: there are no rules for .*ts, tsx, js, jsx\.$/);
			expect(text.length).toBeLessThan(200);
		},
	);

	it('refuses a snippet that is too long, with the limit, and one that is empty', () => {
		expect(checkSnippet('a'.repeat(MAX_SNIPPET + 1))).toMatch(/^Nothing was checked: .*100001.*100000.*in parts/);
		expect(checkSnippet(' \n\t')).toBe('Nothing was checked: the snippet is empty.');
		expect(checkSnippet('```ts\n```')).toBe('Nothing was checked: the snippet is empty.');
	});

	it('shows the first findings and counts the rest', () => {
		const text = checkSnippet('const a = b as any;\n'.repeat(1000));
		expect(text).toMatch(/^1000 findings/);
		expect(text).toContain('960 more findings not shown');
		expect(text.length).toBeLessThan(20_000);
	});

	it('finds this server itself clean', () => {
		const sources = readdirSync(import.meta.dirname).filter((name) => /(?<!\.test)\.ts$/.test(name));
		expect(sources.length).toBeGreaterThan(10);
		for (const name of sources) {
			const report = checkSnippet(readFileSync(join(import.meta.dirname, name), 'utf8'));
			expect(`${name}: ${report}`).toMatch(/^[\w.-]+: Clean/);
		}
	});
});
