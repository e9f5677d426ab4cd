import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { library, record, registry } from './fixtures.ts';
import { createLibrary, type Library } from './library.ts';
import { callTool, TOOLS, type ToolPorts } from './query.ts';
import { readRegistry } from './read.ts';

/** Ports over a repository that has these files and no other. */
function portsOver(...files: string[]): ToolPorts {
	return {
		readFile: (path) =>
			files.includes(path)
				? { ok: true, text: 'one\ntwo\n', bytes: 8, truncated: false }
				: { ok: false, reason: 'no file' },
		checkSnippet: () => 'Clean',
	};
}

/** The call that an error shows, or undefined when it shows none. */
function shownCall(text: string): { name: string; args: Record<string, unknown> } | undefined {
	const [, name = '', args = ''] = /A call that works: (\w+) (\{.*\})$/s.exec(text) ?? [];
	return name === '' ? undefined : { name, args: JSON.parse(args) };
}

const light = createLibrary(
	registry([record({ id: 'only-light', title: 'Only light', docs: [{ path: 'docs/a.md' }] })]),
);
const bare = createLibrary(readRegistry({ patterns: [{ id: 'old' }] }));
const own = createLibrary(
	readRegistry(JSON.parse(readFileSync(new URL('./registry.json', import.meta.url), 'utf8')) as unknown),
);

describe('the call that an error shows', () => {
	it.each([
		['a library with deep cards', library(), portsOver('src/retry.ts')],
		['a library of light cards', light, portsOver('docs/a.md')],
		['a registry with nothing but ids', bare, portsOver('README.md')],
	] as [string, Library, ToolPorts][])('works in %s, for every tool', (_what, books, ports) => {
		for (const { name } of TOOLS) {
			const wrong = callTool(books, ports, name, {});
			const shown = shownCall(wrong.text);
			expect([name, wrong.isError, shown?.name]).toEqual([name, true, name]);
			const answer = callTool(books, ports, name, shown?.args);
			expect(answer.isError, `${wrong.text}\n${answer.text}`).toBe(false);
			expect(answer.text).not.toContain('Note: ');
		}
	});

	it.each([
		['get_pattern', { id: 'nothing-like-it' }],
		['search_patterns', { query: 'retry', category: 'nothing' }],
		['get_file_excerpt', { path: '../secret' }],
		['recommend_emulation_plan', { capabilities: ['retry'], target_infra: ['mysql'] }],
	])('stands beside what %s refuses of %j too', (name, args) => {
		const books = library();
		const wrong = callTool(books, portsOver('src/retry.ts'), name, args);
		expect(wrong.isError).toBe(true);
		const shown = shownCall(wrong.text);
		expect(callTool(books, portsOver('src/retry.ts'), shown?.name ?? '', shown?.args).isError).toBe(false);
	});

	it('is about the first deep card, by sections that it has', () => {
		const { text } = callTool(library(), portsOver(), 'get_pattern', {});
		expect(shownCall(text)?.args).toEqual({ id: 'retry-backoff', sections: ['invariants', 'code'] });
		expect(shownCall(callTool(light, portsOver(), 'get_pattern', {}).text)?.args).toEqual({
			id: 'only-light',
			sections: ['docs'],
		});
	});

	it('is about a file that is there, a README when none of the cited ones is', () => {
		const path = (...files: string[]) =>
			shownCall(callTool(library(), portsOver(...files), 'get_file_excerpt', {}).text)?.args.path;
		expect(path('src/retry.test.ts', 'README.md')).toBe('src/retry.test.ts');
		expect(path('README.md')).toBe('README.md');
	});

	it('is left out where none can work, and the error says so', () => {
		const empty = createLibrary(readRegistry({ patterns: [] }));
		for (const name of ['get_pattern', 'get_file_excerpt']) {
			const { text } = callTool(empty, portsOver(), name, {});
			expect(shownCall(text)).toBeUndefined();
			expect(text).toMatch(/ is missing\. No call of it can work yet: the library has no card/);
		}
	});
});

describe('the tool definitions', () => {
	it('name no card of any library: they are the same for all', () => {
		const definitions = JSON.stringify(TOOLS);
		const named = own.patterns.filter(({ id }) => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(definitions));
		expect(named.map(({ id }) => id)).toEqual([]);
	});
});
