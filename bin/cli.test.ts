import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRepositoryTools } from '../mcp/repository-tools.ts';
import { workplace } from './testing.ts';

const place = workplace({
	'src/queue.ts': 'const started = Date.now();\n',
	'package.json': '{"homepage": "https://shop.dev", "repository": "acme/shop"}\n',
});
beforeAll(async () => {
	await place.run(['init']);
	await place.run(['build']);
});
afterAll(() => place.remove());

/** The registry with one change. */
function edited(change: (registry: { patterns: Record<string, unknown>[] }) => void): string {
	const registry = JSON.parse(place.text('registry/registry.json'));
	change(registry);
	return JSON.stringify(registry, null, '\t');
}

describe('v10r-patterns', () => {
	it('shows every command and the exit codes in its help', async () => {
		const { code, out } = await place.run(['--help']);
		expect(code).toBe(0);
		const names = [
			'validate',
			'build',
			'check',
			'search',
			'show',
			'trace',
			'plan',
			'excerpt',
			'snippet',
			'mcp',
			'bench',
			'init',
		];
		for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
		expect(out).toContain('Exit codes:');
	});

	it.each([
		'validate',
		'build',
		'check',
		'search',
		'show',
		'trace',
		'plan',
		'excerpt',
		'snippet',
		'mcp',
		'bench',
		'init',
	])('%s takes --root, --registry, --json and --help, and documents its exit codes', async (name) => {
		const { code, out } = await place.run([name, '--help']);
		expect(code).toBe(0);
		for (const flag of ['--root <dir>', '--registry <file>', '--json', '--help', 'Exit codes:'])
			expect(out).toContain(flag);
	});

	it('refuses what it does not know with exit code 2 and a way on', async () => {
		expect(await place.run(['serach'])).toMatchObject({
			code: 2,
			out: '',
			err: expect.stringContaining('Did you mean search?'),
		});
		expect(await place.run(['search', 'x', '--lmit', '3'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('--limit'),
		});
		expect(await place.run([])).toMatchObject({ code: 2, err: expect.stringContaining('Commands:') });
	});
});

describe('the library that a command works on', () => {
	it('is the nearest one upwards of the working directory', async () => {
		mkdirSync(join(place.root, 'deep/er'), { recursive: true });
		const { code, out } = await place.run(['validate'], { cwd: join(place.root, 'deep/er') });
		expect([code, out]).toEqual([0, `${join(place.root, 'registry/registry.json')}: valid.\n`]);
	});

	it('is the one that --root or V10R_ROOT names, the flag first', async () => {
		const elsewhere = { cwd: '/' };
		expect(await place.run(['validate', '--root', place.root], elsewhere)).toMatchObject({ code: 0 });
		expect(await place.run(['validate'], { ...elsewhere, env: { V10R_ROOT: place.root } })).toMatchObject({ code: 0 });
		const both = { ...elsewhere, env: { V10R_ROOT: '/nowhere' } };
		expect(await place.run(['validate', '--root', place.root], both)).toMatchObject({ code: 0 });
	});

	it('is that of the program itself when none is near', async () => {
		expect(await place.run(['validate'], { cwd: '/', ownRoot: place.root })).toMatchObject({ code: 0 });
	});

	it('may be a frozen or an old registry, as far as queries go', async () => {
		const asked = ['search', 'where are the patterns listed', '--json', '--registry'];
		for (const file of ['public/registry.json', 'registry/registry.json']) {
			const { out } = await place.run([...asked, file]);
			expect(JSON.parse(out).hits[0].id).toBe('pattern-registry');
		}
		place.put('old.json', '{"patterns":[{"id":"old-card","title":"Old card","from_the_future":1}]}');
		expect(
			JSON.parse((await place.run(['search', 'old card', '--json', '--registry', 'old.json'])).out).hits,
		).toHaveLength(1);
	});

	it('is asked for when it is missing', async () => {
		const empty = workplace();
		for (const command of [['validate'], ['build'], ['check'], ['search', 'x']]) {
			const { code, out, err } = await empty.run([...command, '--root', '.']);
			expect([code, out]).toEqual([2, '']);
			expect(err).toMatch(/registry\.json: there is no such file\..*--registry FILE/);
		}
		expect(await empty.run(['validate', '--root', 'nope'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('--root DIR'),
		});
		empty.remove();
	});
});

describe('validate', () => {
	it('exits 1 on errors, 0 with warnings only, and prints all of them', async () => {
		place.put(
			'bad.json',
			edited(({ patterns: [card] }) => Object.assign(card ?? {}, { sumary: 'x', docs: [{ path: 'readme.md' }] })),
		);
		const bad = await place.run(['validate', '--registry', 'bad.json']);
		expect(bad.code).toBe(1);
		expect(bad.out).toMatch(/^bad\.json:\d+:\d+ error pattern-registry · sumary$/m);
		expect(bad.out).toMatch(/differs in case from "README\.md"/);
		expect(bad.out).toMatch(/\n2 errors, 0 warnings\n$/);
		place.put(
			'odd.json',
			edited(({ patterns: [card] }) => Object.assign(card ?? {}, { keywords: ['registry', 'registry'] })),
		);
		expect(await place.run(['validate', '--registry', 'odd.json'])).toMatchObject({
			code: 0,
			out: expect.stringMatching(/\n0 errors, 1 warning\n$/),
		});
	});

	it('gives programs the findings as JSON', async () => {
		const { code, out } = await place.run(['validate', '--registry', 'bad.json', '--json']);
		expect(code).toBe(1);
		expect(JSON.parse(out)).toMatchObject({
			file: 'bad.json',
			errors: 2,
			warnings: 0,
			diagnostics: [{ severity: 'error' }, {}],
		});
	});

	it('reads strictly: what queries ignore is an error here', async () => {
		expect(await place.run(['validate', '--registry', 'old.json'])).toMatchObject({ code: 1 });
	});
});

describe('build and check', () => {
	it('find nothing to do after a build, and write nothing', async () => {
		const before = place.snapshot();
		expect(await place.run(['build'])).toMatchObject({ code: 0, out: expect.stringContaining('0 written, 0 removed') });
		expect(await place.run(['check'])).toMatchObject({ code: 0, out: 'Generated files are up to date.\n' });
		expect(place.snapshot()).toEqual(before);
	});

	it('check names the drift, exits 1 and leaves it; build mends it', async () => {
		const right = place.text('public/llms.txt');
		place.put('public/llms.txt', `${right}by hand\n`);
		const { code, out } = await place.run(['check']);
		expect([code, out]).toEqual([1, expect.stringContaining('-by hand')]);
		expect(JSON.parse((await place.run(['check', '--json'])).out)).toMatchObject([
			{ class: 'changed', path: 'public/llms.txt' },
		]);
		expect(place.text('public/llms.txt')).toContain('by hand');
		expect(await place.run(['build'])).toMatchObject({
			code: 0,
			out: expect.stringContaining('wrote    public/llms.txt'),
		});
		expect(place.text('public/llms.txt')).toBe(right);
	});

	it.each(['build', 'check'])('%s generates nothing from a registry that breaks its schema', async (command) => {
		const other = workplace();
		await other.run(['init']);
		other.put('registry/registry.json', '{"version": "1.0.0",}');
		const before = other.snapshot();
		const { code, out, err } = await other.run([command]);
		expect([code, out]).toEqual([2, '']);
		expect(err).toMatch(/registry\/registry\.json:1:20 error[\s\S]*Nothing was generated/);
		expect(other.snapshot()).toEqual(before);
		other.remove();
	});

	it('build says where the markers belong when the README has none', async () => {
		const other = workplace();
		await other.run(['init']);
		other.put('README.md', '# Mine\n');
		expect(await other.run(['build'])).toMatchObject({ code: 2, err: expect.stringContaining('v10r-patterns:begin') });
		expect(other.text('README.md')).toBe('# Mine\n');
		other.remove();
	});
});

describe('the queries', () => {
	const tools = () =>
		createRepositoryTools({ root: place.root, registryFile: join(place.root, 'registry/registry.json') });

	it.each([
		[['search', 'generated pages out of date'], 'search_patterns', { query: 'generated pages out of date' }],
		[
			['show', 'pattern-registry', '--section', 'docs,code'],
			'get_pattern',
			{ ids: ['pattern-registry'], sections: ['docs', 'code'] },
		],
		[['trace', 'pattern', 'index'], 'trace_capability', { capability: 'pattern index' }],
		[
			['plan', 'pattern index', '--outline'],
			'recommend_emulation_plan',
			{ capabilities: ['pattern index'], detail: 'outline' },
		],
		[
			['excerpt', 'README.md', '--start', '1', '--count', '3'],
			'get_file_excerpt',
			{ path: 'README.md', start_line: 1, line_count: 3 },
		],
	])('%j prints what the tool answers', async (args, tool, given) => {
		const { code, out } = await place.run(args);
		expect([code, out]).toEqual([0, `${tools().call(tool, given).text}\n`]);
	});

	it('give programs data', async () => {
		const json = async (...args: string[]) => JSON.parse((await place.run([...args, '--json'])).out);
		expect(await json('search', 'pattern index')).toEqual({
			query: 'pattern index',
			verdict: 'match',
			hits: [{ id: 'pattern-registry', grade: expect.stringMatching(/strong|partial/), score: expect.any(Number) }],
			near: [],
		});
		expect(await json('show', 'pattern-registry')).toMatchObject([{ id: 'pattern-registry', tier: 'light' }]);
		expect(await json('trace', 'pattern index')).toMatchObject({
			hits: [{ id: 'pattern-registry', docs: [{ path: 'README.md' }] }],
		});
		expect(await json('plan', 'pattern index')).toMatchObject({
			steps: [],
			uncovered: [{ related: ['pattern-registry'] }],
		});
		expect(await json('excerpt', 'README.md')).toMatchObject({
			path: 'README.md',
			text: expect.stringContaining('README.md'),
		});
	});

	it('answer a search without a match with exit code 0', async () => {
		expect(await place.run(['search', 'protein', 'structure'])).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^No match/),
		});
	});

	it('refuse wrong arguments on standard error with exit code 2', async () => {
		expect(await place.run(['show', 'nope'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('nope') });
		expect(await place.run(['excerpt', '../secret'])).toMatchObject({ code: 2, out: '' });
		expect(await place.run(['search', 'x', '--limit', 'many'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('limit'),
		});
		expect(await place.run(['search'])).toMatchObject({ code: 2, err: expect.stringContaining('What to search for?') });
	});

	it('colour their answer for a terminal only, unless NO_COLOR', async () => {
		const plain = await place.run(['search', 'pattern index']);
		const coloured = await place.run(['search', 'pattern index'], { isTTY: true });
		expect(plain.out).not.toContain('\u001b');
		expect(coloured.out).toContain('\u001b');
		expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
		expect(await place.run(['search', 'pattern index'], { isTTY: true, env: { NO_COLOR: '1' } })).toEqual(plain);
	});
});

describe('search --queries', () => {
	it('answers every query of a file in its order', async () => {
		place.put('q.json', '[{"query": "pattern index", "kind": "x"}, {"query": "protein structure"}, {"query": ""}]');
		const { code, out } = await place.run(['search', '--queries', 'q.json', '--json']);
		expect(code).toBe(0);
		expect(JSON.parse(out)).toEqual([
			{
				query: 'pattern index',
				verdict: 'match',
				hits: [expect.objectContaining({ id: 'pattern-registry' })],
				near: [],
			},
			{ query: 'protein structure', verdict: 'no-match', hits: [], near: [] },
			{ query: '', verdict: 'no-match', hits: [], near: [] },
		]);
	});

	it('reads them from standard input, and prints text without --json', async () => {
		const { code, out } = await place.run(['search', '--queries', '-'], { input: '[{"query": "protein"}]' });
		expect([code, out]).toEqual([0, expect.stringMatching(/^# protein\nNo match/)]);
	});

	it.each([
		[['--category', 'nope'], 'search: there is no category "nope"; there are: documentation.'],
		[['--limit', 'many'], '--limit must be a whole number from 1'],
		[['--tier', 'medium'], '--tier must be one of deep, light, got "medium"'],
	])('refuses %j once, before anything is printed', async (options, message) => {
		place.put('q.json', '[{"query": "pattern index"}, {"query": "registry"}]');
		for (const more of [[], ['--json']]) {
			const { code, out, err } = await place.run(['search', '--queries', 'q.json', ...options, ...more]);
			expect([code, out]).toEqual([2, '']);
			expect(err).toContain(message);
			expect(err.split(message)).toHaveLength(2);
		}
	});

	it('keeps the options for each query, and says of an empty one that it is', async () => {
		const { out } = await place.run(['search', '--queries', '-', '--detail', 'compact'], {
			input: '[{"query": "pattern index"}, {"query": " "}]',
		});
		expect(out).toMatch(
			/^# pattern index\n1 of 1 [^\n]*\n\n1\. \[\w+\] pattern-registry: [\s\S]*\n\n# {2}\nNo match: the query is empty\.\n\n$/,
		);
	});

	it.each([
		['no JSON', '[{"query": "a"}\n {"query": "b"}]', 'q.json:2:2 No valid JSON: expected a comma between two entries'],
		['no list', '{"query": "a"}', 'q.json:1:1 Expected an array of {"query": "…"}.'],
		[
			'no query',
			'[{"query": "a"},\n {"q": "b"}, 3]',
			'q.json:2:2 [1]: expected an object with a string "query".\nq.json:2:14 [2]: expected',
		],
		['an empty file', '', 'q.json:1:1 The file is empty; a list of queries was expected.'],
	])('refuses %s with its place', async (_what, text, message) => {
		place.put('q.json', text);
		const { code, out, err } = await place.run(['search', '--queries', 'q.json', '--json']);
		expect([code, out]).toEqual([2, '']);
		expect(err).toContain(message);
	});

	it('refuses a file that is not there', async () => {
		expect(await place.run(['search', '--queries', 'none.json'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('none.json:1:1'),
		});
	});
});

describe('snippet', () => {
	it('exits 1 with findings, 0 when clean, 2 when there is nothing to check', async () => {
		const found = await place.run(['snippet', 'src/queue.ts', '--json']);
		expect(found.code).toBe(1);
		expect(JSON.parse(found.out)).toMatchObject({ kind: 'checked', language: 'ts', findings: [{ line: 1 }] });
		expect(await place.run(['snippet'], { input: 'export const one = 1;\n' })).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^Clean/),
		});
		expect(await place.run(['snippet'], { input: '' })).toMatchObject({ code: 2, out: '' });
		expect(await place.run(['snippet', 'gone.ts'])).toMatchObject({ code: 2, err: expect.stringContaining('gone.ts') });
	});
});

describe('bench', () => {
	const cards = ['cache', 'queue', 'lease'].map((id) => ({
		id,
		tier: 'deep',
		title: `A ${id} for tests`,
		asks: [`where do I find the ${id}`, `build a ${id} of my own`],
		docs: [{ path: 'README.md#patterns' }],
		invariants: [`One ${id} at a time.`],
	}));
	const registry = ['--registry', 'cards.json'];
	beforeAll(() => place.put('cards.json', JSON.stringify({ patterns: cards })));

	it('search measures every set beside MiniSearch, by kind, and leaves each ask out', async () => {
		place.put(
			'set.json',
			JSON.stringify([
				{ query: 'cache', expect: ['cache'], kind: 'lookup' },
				{ query: 'build a queue', expect: ['queue'], kind: 'task' },
				{ query: 'protein structure', expect: [], kind: 'uncovered' },
			]),
		);
		const { code, out } = await place.run(['bench', 'search', ...registry, '--queries', 'set.json']);
		expect(code).toBe(0);
		expect(out).toMatch(/^# set\.json\n +Acc@1 +R@3 +R@5 +MRR +refused +refused +answer +answer$/m);
		expect(out).toMatch(
			/^v10r-patterns \(2\+1\) +100\.0 % +100\.0 % +100\.0 % +1\.00 +0\.0 % +100\.0 % +100\.0 % +100\.0 %$/m,
		);
		expect(out).toMatch(/^ {2}uncovered \(0\+1\) +– +– +– +– +– +100\.0 % +– +–$/m);
		expect(out).toMatch(/^MiniSearch \(2\+1\)/m);
		expect(out).toMatch(/^# leave-one-out over 6 asks: Acc@1 /m);
		const json = JSON.parse((await place.run(['bench', 'search', ...registry, '--queries', 'set.json', '--json'])).out);
		expect(json).toMatchObject({
			sets: [{ set: 'set.json', rankers: [{ all: { accuracyAt1: 1 } }, {}] }],
			leaveOneOut: { asks: 6 },
		});
	});

	afterEach(() => rmSync(join(place.root, 'registry/bench'), { recursive: true, force: true }));

	it('search --card prints what concerns one card, and nothing of the others', async () => {
		const sets = (file: string, ...queries: [string, string[]][]) =>
			place.put(file, JSON.stringify(queries.map(([query, expect]) => ({ query, expect, kind: 'task' }))));
		sets('registry/bench/queries/blind.json', ['protein', ['cache']], ['queue', ['queue']]);
		sets('registry/bench/queries/own.json', ['cache', ['cache']], ['build a queue', ['cache']], ['leases', ['lease']]);
		const run = (...more: string[]) => place.run(['bench', 'search', ...registry, '--card', 'cache', ...more]);
		expect(await run()).toEqual({
			code: 0,
			out: `# cache on registry/bench/queries/blind.json
1 of 1 query missed, 1 of them refused. Not shown, so that the set stays blind.

# cache on registry/bench/queries/own.json
1 of 2 queries missed:
  "build a queue" (task): first: queue; not among the first ten

# cache, each ask left out
0 of 2 asks go astray.
`,
			err: '',
		});
		expect((await run('--queries', 'registry/bench/queries/blind.json')).out).toContain(
			'"protein" (task): refused; not among the first ten',
		);
		expect(JSON.parse((await run('--json')).out)).toEqual({
			card: 'cache',
			sets: [
				{ set: 'registry/bench/queries/blind.json', queries: 1, missed: 1, refused: 1, blind: true },
				{
					set: 'registry/bench/queries/own.json',
					queries: 2,
					missed: [{ query: 'build a queue', kind: 'task', refused: false, first: 'queue' }],
				},
			],
			leaveOneOut: { asks: 2, astray: [], takenBy: [] },
		});
	});

	it('search --card names asks that go astray and the cards that take them', async () => {
		const asks = { cache: ['read the backlog of jobs'], queue: ['drain it', 'read the backlog of jobs soon'] };
		const patterns = Object.entries(asks).map(([id, own]) => ({ id, tier: 'deep', title: `A ${id}`, asks: own }));
		place.put('pair.json', JSON.stringify({ patterns: [...patterns, ...cards.filter(({ id }) => id === 'lease')] }));
		const { out } = await place.run(['bench', 'search', '--registry', 'pair.json', '--card', 'cache']);
		expect(out).toBe(
			'# cache, each ask left out\n1 of 1 ask goes astray.\n  "read the backlog of jobs" → queue\nTaken by: queue (1)\n',
		);
	});

	it('search --card refuses a card that is not there, and tokens has none', async () => {
		expect(await place.run(['bench', 'search', ...registry, '--card', 'cahce'])).toEqual({
			code: 2,
			out: '',
			err: '--card: there is no card "cahce". Did you mean "cache"?\n',
		});
		expect(await place.run(['bench', 'tokens', ...registry, '--card', 'cache'])).toMatchObject({ code: 2, out: '' });
	});

	it('search needs no set: the asks of the cards are one', async () => {
		expect(await place.run(['bench', 'search'])).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^# leave-one-out over 3 asks/),
		});
	});

	it('tokens measures three workflows and the list of tools', async () => {
		const { code, out } = await place.run(['bench', 'tokens', ...registry]);
		expect(code).toBe(0);
		expect(out.match(/: \d calls? ≈\d+ → \d calls? ≈\d+ tokens$/gm)).toHaveLength(3);
		expect(JSON.parse((await place.run(['bench', 'tokens', ...registry, '--json'])).out).toolList).toBeLessThanOrEqual(
			1400,
		);
	});

	it('refuses what it cannot measure', async () => {
		expect(await place.run(['bench', 'tokens'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('three deep cards'),
		});
		expect(await place.run(['bench', 'speed'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('search, tokens'),
		});
		place.put('set.json', '[{"query": "x", "expect": ["gone"], "kind": "task"}]');
		expect(await place.run(['bench', 'search', ...registry, '--queries', 'set.json'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('"gone"'),
		});
	});
});
