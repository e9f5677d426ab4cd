import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { library, record } from './fixtures.ts';
import { callTool, TOOLS, type ToolPorts, UnknownToolError } from './query.ts';
import { approximateTokens } from './tokens.ts';

const books = library();
const ports: ToolPorts = {
	readFile: (path) =>
		path === 'docs/retry.md'
			? { ok: true, text: '# Retry\n\n## Jitter\nrandom\n', bytes: 25, truncated: false }
			: { ok: false, reason: `${path} is not a file of this library` },
	checkSnippet: (snippet, language) => `checked ${snippet} as ${language ?? 'ts'}`,
};
const call = (name: string, args: unknown) => callTool(books, ports, name, args);
const text = (name: string, args: unknown) => call(name, args).text;

describe('the list of tools', () => {
	it('has the six, in a fixed order, with nothing that a client may choke on', () => {
		expect(TOOLS.map(({ name }) => name)).toEqual([
			'search_patterns',
			'get_pattern',
			'get_file_excerpt',
			'trace_capability',
			'recommend_emulation_plan',
			'validate_snippet',
		]);
		for (const tool of TOOLS) {
			expect(Object.keys(tool)).toEqual(['name', 'description', 'inputSchema']);
			expect(tool.name).toMatch(/^[a-z_]{1,40}$/);
			for (const name of tool.inputSchema.required ?? []) expect(tool.inputSchema.properties).toHaveProperty(name);
			for (const property of Object.values(tool.inputSchema.properties) as Record<string, unknown>[]) {
				expect(typeof property.type).toBe('string');
				expect(property.type !== 'array' || typeof property.items === 'object').toBe(true);
				expect(Object.keys(property)).not.toEqual(expect.arrayContaining(['anyOf']));
			}
		}
	});

	it('costs an agent at most 1,400 tokens', () => {
		expect(approximateTokens(JSON.stringify(TOOLS))).toBeLessThanOrEqual(1400);
	});
});

describe('callTool', () => {
	it('throws for a tool that does not exist, inherited names included', () => {
		for (const name of ['nothing', 'constructor', '__proto__', ''])
			expect(() => call(name, {})).toThrow(UnknownToolError);
	});

	it('answers wrong arguments with the field, what came, and a call that works', () => {
		for (const { name } of TOOLS) {
			const { text, isError } = call(name, { nonsense: 1 });
			expect(isError).toBe(true);
			expect(text).toMatch(new RegExp(`^${name}: .*${name} \\{"`, 's'));
		}
	});

	it('says what it bounded or ignored', () => {
		expect(text('search_patterns', { query: '429', limit: 1000, color: 'red' })).toMatch(
			/Note: "limit" 1000 is out of bounds; 25 was used \(1 to 25\)\.\nNote: unknown argument "color"; known are query, /,
		);
	});

	it('never fails and never exceeds an answer’s budget, whatever the arguments', () => {
		const name = fc.constantFrom(...TOOLS.map(({ name }) => name));
		const key = fc.constantFrom(
			'query',
			'id',
			'ids',
			'path',
			'section',
			'capability',
			'capabilities',
			'snippet',
			'limit',
			'detail',
			'target_infra',
		);
		fc.assert(
			fc.property(
				name,
				fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.constantFrom('docs/retry.md', 'retry', 'job-queue'))),
				(tool, args) => {
					const answer = call(tool, args);
					expect(answer.text.length).toBeGreaterThan(0);
					expect(approximateTokens(answer.text)).toBeLessThan(10_000);
				},
			),
		);
	});
});

describe('search_patterns', () => {
	it('gives the facts that rule a card in or out, and why it came up', () => {
		expect(
			text('search_patterns', { query: 'background jobs after a crash', limit: 1 }),
		).toBe(`1 of 1 matching pattern for "background jobs after a crash"

1. [strong] job-queue: Job queue on a table
   deep · proven · storage · requires postgres
   Runs background work under a lease, so that a job of a dead worker is run again.
   Not when: Work takes milliseconds and may be lost.
   Matched: people ask "background jobs that survive a crash"; background in capabilities; jobs in title; crash in asks

Next: get_pattern {"id": "job-queue"} for the card, or with "sections": ["avoid_when", "alternatives"] to decide whether it fits.`);
	});

	it('says how many more there are and how to get them', () => {
		expect(text('search_patterns', { query: '429', limit: 1 })).toContain(
			'1 of 2 matching patterns for "429"; for the other 1, call again with "limit": 2 and "detail": "compact"',
		);
	});

	it('says how many of them only come near', () => {
		expect(text('search_patterns', { query: 'crash call payment' })).toContain(
			'2 of 2 matching patterns for "crash call payment", 1 of them weak\n',
		);
	});

	it('gives one line a row when asked for compact rows', () => {
		const answer = text('search_patterns', { query: '429', detail: 'compact' });
		expect(answer).toMatch(
			/^[12]\. \[strong\] retry-backoff: Retry with backoff and jitter · deep · proven · requires nothing$/m,
		);
		expect(answer).toMatch(/^[12]\. \[strong\] rate-limit: .* · requires redis$/m);
	});

	it('says no, with what came closest labelled as not recommended', () => {
		const answer = text('search_patterns', { query: 'protein structure prediction within a budget' });
		expect(answer).toMatch(/^No match: no pattern of this library covers "protein structure/);
		expect(answer).toContain('Words that no card has: protein, structure, prediction.');
		expect(answer).toContain('which share words but are not recommended:\n- [weak] deadline-propagation');
	});

	it('says when a query has nothing to search by, and when a category does not exist', () => {
		expect(text('search_patterns', { query: 'the of' })).toContain('has no word to search by');
	});

	it('refuses a category that does not exist, and says what a filter hides', () => {
		expect(call('search_patterns', { query: 'retry', category: 'cals' })).toEqual({
			isError: true,
			text: 'search_patterns: there is no category "cals"; there are: calls, load, storage. A call that works: search_patterns {"query":"call a flaky payment API safely"}',
		});
		expect(text('search_patterns', { query: 'background jobs after a crash', tier: 'light' })).toBe(
			'None (tier light); without the filter 1 pattern matches "background jobs after a crash". Ask again without it.',
		);
	});

	it('says that a typo was guessed', () => {
		expect(text('search_patterns', { query: 'throtling' })).toContain(
			'Guessed for a typo: "throtling" read as "throttling".',
		);
	});
});

describe('get_pattern', () => {
	it('gives back each id that a search returns, in any case', () => {
		for (const { id } of books.patterns) {
			expect(text('get_pattern', { id })).toContain(`id: ${id} ·`);
			expect(text('get_pattern', { ids: id.toUpperCase() })).toContain(`id: ${id} ·`);
		}
	});

	it('gives several cards, and says which id does not exist', () => {
		const answer = call('get_pattern', { ids: ['job-queue', 'retry-backof'], sections: ['invariants'] });
		expect(answer.isError).toBe(false);
		expect(answer.text).toContain('1. Two workers never hold one job.');
		expect(answer.text).toContain('There is no pattern "retry-backof". Closest: retry-backoff');
	});

	it('answers thousands of ids that do not exist with a few of them', () => {
		const answer = text('get_pattern', { ids: Array.from({ length: 5000 }, (_, n) => `nothing-${n}`) });
		expect(answer).toContain('Nor are there 4995 more of the ids.');
		expect(approximateTokens(answer)).toBeLessThan(1000);
	});

	it('is an error only when no id exists', () => {
		expect(call('get_pattern', { id: 'nothing-like-it' }).isError).toBe(true);
	});

	it('stops at the budget and names the cards that are left', () => {
		const long = Array.from({ length: 12 }, (_, n) => record({ id: `long-${n}`, invariants: ['y'.repeat(8000)] }));
		const answer = callTool(library(long), ports, 'get_pattern', { ids: long.map(({ id }) => id) });
		expect(approximateTokens(answer.text)).toBeLessThan(10_000);
		expect(answer.text).toMatch(/Not shown for length: \d+ of 12 cards\. Next: get_pattern \{"ids": \["long-/);
	});

	it('takes what the header shows anyway for a section that adds nothing', () => {
		const header = text('get_pattern', { id: 'job-queue', sections: ['requires', 'risk', 'depends_on'] });
		expect(header).toContain('\nRequires: postgres\nDepends on: retry-backoff\nRisk: ');
		expect(header).not.toContain('## ');
	});

	it('refuses a section that does not exist with the list of those that do', () => {
		expect(text('get_pattern', { id: 'job-queue', sections: ['rules'] })).toContain(
			'"sections" may hold summary, when_to_use',
		);
	});
});

describe('get_file_excerpt', () => {
	it('reads through the port, and takes a fragment from the path', () => {
		expect(text('get_file_excerpt', { path: 'docs/retry.md#jitter' })).toContain(
			'docs/retry.md · lines 3–4 of 4 · section #jitter',
		);
	});

	it('passes on why a file is not given', () => {
		expect(call('get_file_excerpt', { path: '../secret' })).toEqual({
			text: 'get_file_excerpt: ../secret is not a file of this library. A call that works: get_file_excerpt {"path":"docs/retry.md","start_line":1,"line_count":40}',
			isError: true,
		});
	});
});

describe('trace_capability', () => {
	it('goes from concept to proof with the invariants', () => {
		const answer = text('trace_capability', { capability: 'call a flaky payment API safely' });
		const order = [
			'Concept: Repeats',
			'→ docs\n- docs/retry.md',
			'→ code\n- src/retry.ts',
			'→ tests\n- src/retry.test.ts',
			'→ proof\n- /showcases/retry-backoff/',
			'1. Never sleeps past',
		];
		const places = order.map((part) => answer.indexOf(part));
		expect(places).toEqual(places.toSorted((a, b) => a - b));
		expect(places[0]).toBeGreaterThan(0);
	});

	it('says no where nothing covers the capability', () => {
		expect(text('trace_capability', { capability: 'train a neural network' })).toMatch(/^No match/);
	});
});

describe('recommend_emulation_plan', () => {
	it('refuses infrastructure that the library does not know', () => {
		const plan = (infra: string) =>
			text('recommend_emulation_plan', { capabilities: ['background jobs'], target_infra: [infra] });
		expect(plan(' Postgres')).toBe(plan('postgres'));
		expect(call('recommend_emulation_plan', { capabilities: ['retry'], target_infra: ['mysql'] })).toMatchObject({
			isError: true,
			text: 'recommend_emulation_plan: "target_infra" may hold postgres, redis; got ["mysql"]; leave out what is not listed. A call that works: recommend_emulation_plan {"capabilities":["call a flaky payment API safely","stop work nobody waits for any more"]}',
		});
	});

	it('plans at most twelve capabilities and says what it left', () => {
		expect(
			text('recommend_emulation_plan', { capabilities: Array.from({ length: 14 }, (_, n) => `thing ${n}`) }),
		).toContain('2 more capabilities were not planned: at most 12 in one call.');
	});
});

describe('validate_snippet', () => {
	it('runs the rules through the port', () => {
		expect(text('validate_snippet', { snippet: 'x', language: 'js' })).toBe('checked x as js');
	});
});
