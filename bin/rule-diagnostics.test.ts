import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RULE } from '../mcp/rule-testing.ts';
import { SNIPPET_RULES } from '../mcp/snippet.ts';
import { slowRules } from './rule-time.ts';
import { type Workplace, workplace } from './testing.ts';

let place: Workplace;
beforeEach(async () => {
	place = workplace({ 'package.json': '{"homepage": "https://shop.dev", "repository": "acme/shop"}\n' });
	await place.run(['init']);
});
afterEach(() => place.remove());

const rules = (text: string) => place.put('registry/snippet-rules.json', text);

describe('validate', () => {
	it('says that the rules of the repository are valid too', async () => {
		rules(JSON.stringify({ rules: [RULE] }));
		expect(await place.run(['validate'])).toEqual({
			code: 0,
			out: 'registry/registry.json, registry/snippet-rules.json: valid.\n',
			err: '',
		});
	});

	it.each([
		['a comma too few', '{\n "rules": [] "x": 1\n}', '2:14 error', 'expected a comma between two entries'],
		['a repeated key', '{"rules": [],\n "rules": []}', '2:2 error rules', 'The key "rules" is repeated'],
		[
			'an unknown field',
			JSON.stringify({ rules: [{ ...RULE, level: 1 }] }, null, 1),
			'23:13 error rules[0].level',
			'Unknown field "level".',
		],
		[
			'an example that must pass and does not',
			JSON.stringify({ rules: [{ ...RULE, pass: ['a', 'new LegacyClient()'] }] }, null, 1),
			'13:5 error rules[0].pass[1]',
			'no-legacy-client finds line 1 in this example, expected nothing.',
		],
		[
			'an example that is not found',
			JSON.stringify({ rules: [{ ...RULE, fail: [{ code: 'x', lines: [1] }] }] }, null, 1),
			'16:5 error rules[0].fail[0]',
			'no-legacy-client finds nothing in this example, expected line 1.',
		],
	])('places %s in the file of rules', async (_what, text, place_, message) => {
		rules(text);
		const { code, out } = await place.run(['validate']);
		expect(code).toBe(1);
		expect(out).toContain(`registry/snippet-rules.json:${place_}`);
		expect(out).toContain(message);
		const json = JSON.parse((await place.run(['validate', '--json'])).out);
		expect(json).toMatchObject({ errors: 1, diagnostics: [{ file: 'registry/snippet-rules.json' }] });
	});
});

describe('snippet', () => {
	it('checks against the rules of the repository and says whose they are', async () => {
		rules(JSON.stringify({ rules: [RULE] }));
		const found = await place.run(['snippet'], { input: 'new LegacyClient();' });
		expect(found).toMatchObject({ code: 1, out: expect.stringContaining('this repository’s own conventions') });
		const json = JSON.parse((await place.run(['snippet', '--json'], { input: 'enum A {}' })).out);
		expect(json).toMatchObject({ findings: [], conventions: expect.stringContaining('registry/snippet-rules.json') });
	});

	it('refuses when they cannot be used', async () => {
		rules('{"rules": 1}');
		expect(await place.run(['snippet'], { input: 'x' })).toMatchObject({
			code: 2,
			out: '',
			err: expect.stringContaining('Expected an object with a list "rules"'),
		});
	});
});

describe('the time that a rule takes', () => {
	it('is no matter for the built-in rules', () => {
		expect(slowRules(SNIPPET_RULES)).toEqual([]);
	});

	it('is an error at its pattern when nothing would end it', () => {
		const pattern = `${'a{0,90}'.repeat(6)}b`;
		expect(slowRules([SNIPPET_RULES[2] ?? RULE, { ...RULE, pattern }], 300)).toEqual([
			{
				path: ['rules', 1, 'pattern'],
				message: 'no-legacy-client takes more than 0.3 s on long snippets, and nothing could end it.',
				fix: expect.stringContaining('lower their bounds'),
			},
		]);
	});

	it('is found by the characters that it names itself', () => {
		const pattern = `${'q{0,90}'.repeat(6)}b`;
		expect(slowRules([{ ...RULE, pattern }], 300).map(({ path }) => path)).toEqual([['rules', 0, 'pattern']]);
	});
});
