import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approximateTokens } from '../registry/tokens.ts';
import { readRulesText } from './repository-rules.ts';
import { createRepositoryTools } from './repository-tools.ts';
import { RULE } from './rule-testing.ts';

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'rules-'));
	mkdirSync(join(root, 'registry'));
	writeFileSync(join(root, 'registry/registry.json'), '{"patterns": [{"id": "a-card", "title": "A card"}]}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = () => join(root, 'registry/snippet-rules.json');
const tools = () => createRepositoryTools({ root, registryFile: join(root, 'registry/registry.json') });
const check = (snippet: string, language = 'ts', served = tools()) =>
	served.call('validate_snippet', { snippet, language });

describe('the snippet rules of a repository', () => {
	it('are the built-in ones where it has none, and the answer says so', () => {
		for (const snippet of ['enum A { B }', 'const a = 1;']) {
			expect(check(snippet)).toMatchObject({
				isError: false,
				text: expect.stringContaining('Checked against the built-in conventions of v10r-patterns'),
			});
		}
	});

	it('are its own where it has a file, and no others', () => {
		writeFileSync(file(), JSON.stringify({ rules: [RULE] }));
		expect(check('new LegacyClient();').text).toMatch(
			/^1 finding \(1 rule for ts, 1 line\)\. Checked against this repository’s own conventions, registry\/snippet-rules\.json\.\n\nline 1 \[no-legacy-client\]/,
		);
		expect(check('enum A { B }').text).toMatch(/^Clean: .*this repository’s own conventions/);
		expect(check('x', 'js').text).toBe('Nothing was checked: there are no rules for js; rules exist for ts.');
	});

	it('take effect when the file changes, without a restart', () => {
		const served = tools();
		expect(check('new LegacyClient();', 'ts', served).text).toMatch(/^Clean/);
		writeFileSync(file(), JSON.stringify({ rules: [RULE] }));
		expect(check('new LegacyClient();', 'ts', served).text).toMatch(/^1 finding/);
		writeFileSync(file(), '{');
		expect(check('new LegacyClient();', 'ts', served).isError).toBe(true);
		rmSync(file());
		expect(check('new LegacyClient();', 'ts', served).text).toMatch(/^Clean/);
	});

	it.each([
		['no JSON', '{"rules": [\n  }', /registry\/snippet-rules\.json:2:3 The file stops being valid JSON here/],
		['a file cut short', '{"rules": [', /registry\/snippet-rules\.json:1:12 The file stops being valid JSON here/],
		['too deep', '['.repeat(100_000), /registry\/snippet-rules\.json:1:100001 The file stops being/],
		['no rules', '[]', /registry\/snippet-rules\.json: Expected an object with a list "rules"\. Write \{/],
		[
			'a pattern that could run without end',
			JSON.stringify({ rules: [{ ...RULE, pattern: '(a+)+$' }] }),
			/registry\/snippet-rules\.json rules\[0\]\.pattern: It could run without end: \+ repeats without a bound\. Bound/,
		],
		['too much', ' '.repeat(300_000), /registry\/snippet-rules\.json: the file is longer than 262144 bytes\./],
	])('that are %s are an error with its place and a way out, and every other tool works on', (_what, text, place) => {
		writeFileSync(file(), text);
		const served = tools();
		const answer = check('const a = 1;', 'ts', served);
		expect(answer.isError).toBe(true);
		expect(answer.text).toMatch(place);
		expect(answer.text).toContain('Mend the file, or delete it to have the built-in rules.');
		expect(served.call('get_pattern', { id: 'a-card' })).toMatchObject({ isError: false });
	});

	it('are not read through a link that leads out, nor taken for missing then', () => {
		const outside = `${root}-outside.json`;
		writeFileSync(outside, JSON.stringify({ rules: [RULE] }));
		symlinkSync(outside, file());
		expect(check('const a = 1;')).toMatchObject({ isError: true, text: expect.stringContaining('no readable file') });
		rmSync(outside);
		expect(check('const a = 1;')).toMatchObject({ isError: true });
		rmSync(file());
		mkdirSync(file());
		expect(check('const a = 1;')).toMatchObject({ isError: true, text: expect.stringContaining('names a folder') });
	});

	it('see at most 20,000 characters at a time', () => {
		writeFileSync(file(), JSON.stringify({ rules: [RULE] }));
		expect(check('a'.repeat(20_001)).text).toMatch(/^Nothing was checked: .*20001.*20000 are checked at a time/);
	});

	it('show the first faults and count the rest', () => {
		writeFileSync(file(), JSON.stringify({ rules: Array.from({ length: 9 }, (_, n) => ({ ...RULE, id: `N${n}` })) }));
		const { text } = check('x');
		expect(text.match(/^- registry/gm)).toHaveLength(5);
		expect(text).toContain('- and 4 more');
	});

	it('are not taken for absent when nobody can look whether they are there', () => {
		rmSync(join(root, 'registry'), { recursive: true });
		symlinkSync('registry', join(root, 'registry'));
		const text = readRulesText(root);
		expect(text).toMatchObject({ kind: 'unreadable' });
	});

	it('find what is nothing to see where it begins', () => {
		writeFileSync(file(), JSON.stringify({ rules: [{ ...RULE, pattern: '(?=LegacyClient)' }] }));
		expect(check('const a = 1;\nnew LegacyClient();').text).toContain('line 2 [no-legacy-client]');
	});

	it('keep an answer within the budget, whatever their messages', () => {
		const text = '検'.repeat(490);
		writeFileSync(file(), JSON.stringify({ rules: [{ ...RULE, message: text, fix: text }] }));
		const answer = check('LegacyClient;\n'.repeat(100)).text;
		expect(approximateTokens(answer)).toBeLessThan(10_000);
		expect(answer).toMatch(/\d+ more findings not shown/);
	});
});
