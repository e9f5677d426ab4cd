import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureRepository, FIXTURE_REGISTRY, type FixtureRepository } from './mcp-fixture.ts';
import { bundleServer, MODERN_META, type ServerProcess, startServer } from './mcp-process.ts';

let repository: FixtureRepository;
let folder: string;
let open: () => ServerProcess;
/** One server for every case that does not end it. */
let server: ServerProcess;

beforeAll(async () => {
	repository = createFixtureRepository();
	folder = mkdtempSync(join(tmpdir(), 'mcp-wire-'));
	const bundle = await bundleServer(folder);
	open = () => startServer(bundle, ['--root', repository.root]);
	server = open();
});
afterAll(async () => {
	await server.end();
	repository.remove();
	rmSync(folder, { recursive: true, force: true });
});

const ids = FIXTURE_REGISTRY.patterns.map(({ id }) => id);

describe('a client that probes both eras', () => {
	it('has discover, then initialize, then a legacy tools/list answered', async () => {
		const own = open();
		expect((await own.request('server/discover', { _meta: MODERN_META })).result).toMatchObject({
			supportedVersions: ['2026-07-28'],
		});
		expect((await own.request('initialize', { protocolVersion: '2025-11-25' })).result).toMatchObject({
			protocolVersion: '2025-11-25',
		});
		expect(Object.keys(Object((await own.request('tools/list')).result))).toEqual(['tools']);
		await own.end();
	});

	it.each([
		['2099-01-01', '2025-11-25'],
		['2024-11-05', '2024-11-05'],
	])('that asks for %s is answered with %s', async (asked, protocolVersion) => {
		expect((await server.request('initialize', { protocolVersion: asked })).result).toMatchObject({ protocolVersion });
	});

	it('gets silence for notifications before initialize, and {} for ping', async () => {
		const own = open();
		own.send({ jsonrpc: '2.0', method: 'notifications/whatever' });
		own.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		await own.request('ping', undefined, 1);
		await own.end();
		expect(own.replies()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
	});

	it('gets the same bytes for every tools/list', async () => {
		const lists = await Promise.all([server.request('tools/list'), server.request('tools/list')]);
		const [first, second] = lists.map(({ result }) => JSON.stringify(result));
		expect(first).toBe(second);
	});
});

describe('bad messages', () => {
	it.each([
		['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":null}', { id: 7, error: { code: -32602 } }],
		['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', { id: 7, error: { code: -32602 } }],
		['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}', { id: 7, error: { code: -32602 } }],
		['[]', { id: null, error: { code: -32600 } }],
		['42', { id: null, error: { code: -32600 } }],
		['{"id":1}', { id: 1, error: { code: -32600 } }],
		['{', { id: null, error: { code: -32700 } }],
	])('%s is answered with an error, and the next tools/list works', async (line, expected) => {
		const own = open();
		own.write(`${line}\n{"jsonrpc":"2.0","id":8,"method":"tools/list"}\n`);
		expect(await own.until(2)).toMatchObject([expected, { id: 8, result: { tools: expect.any(Array) } }]);
		await own.end();
	});

	it('a line of 11 MB is answered with one error, and the next request works', async () => {
		const own = open();
		own.write('x'.repeat(11 * 1024 * 1024));
		own.write('\n{"jsonrpc":"2.0","id":8,"method":"ping"}\n');
		expect(await own.until(2)).toMatchObject([
			{ id: null, error: { code: -32600 } },
			{ id: 8, result: {} },
		]);
		await own.end();
	});
});

describe('bytes', () => {
	const message = {
		jsonrpc: '2.0',
		id: 'ünï',
		method: 'tools/call',
		params: { name: 'search_patterns', arguments: { query: 'retry — 🎉 flaky call' } },
	};
	it.each(['\n', '\r\n'])('arrive one at a time, with lines that end in %j', async (newline) => {
		const own = open();
		own.child.stdin.setDefaultEncoding('utf8');
		for (const byte of Buffer.from(JSON.stringify(message) + newline)) {
			await new Promise((resolve) => own.child.stdin.write(Uint8Array.of(byte), resolve));
		}
		const [reply] = await own.until(1);
		expect(reply).toMatchObject({ id: 'ünï', result: { isError: false } });
		expect(JSON.stringify(reply)).toContain('— 🎉');
		await own.end();
	});
});

describe('the tool list', () => {
	it('has only what every client can read', async () => {
		const { tools } = Object((await server.request('tools/list')).result);
		expect(tools).toHaveLength(6);
		for (const tool of tools) {
			expect(Object.keys(tool).sort()).toEqual(['description', 'inputSchema', 'name']);
			expect(tool.name).toMatch(/^[a-z_]{1,40}$/);
			expect(tool.inputSchema.type).toBe('object');
			const { properties, required = [] } = tool.inputSchema;
			for (const name of required) expect(Object.keys(properties)).toContain(name);
			for (const property of Object.values<Record<string, unknown>>(properties)) {
				expect(['string', 'integer', 'boolean', 'array']).toContain(property.type);
				if (property.type === 'array') expect(property.items).toMatchObject({ type: 'string' });
			}
			expect(JSON.stringify(tool)).not.toMatch(/null|"(?:anyOf|oneOf|allOf|\$ref)"/);
		}
		// A call of a few hundred bytes that every session pays for: about four characters a token.
		expect(JSON.stringify(tools).length).toBeLessThan(1400 * 4);
	});
});

describe('arguments', () => {
	const search = (limit: unknown) => server.call('search_patterns', { query: 'slow call', limit });
	const rows = (text: string) => text.match(/^\d+\. \[/gm)?.length ?? 0;

	it.each([1000, 0, '5', null, '2.0', -3])('a limit of %j is bounded or coerced', async (limit) => {
		const { text, isError } = await search(limit);
		expect(isError).toBe(false);
		expect(rows(text)).toBeGreaterThanOrEqual(1);
		expect(rows(text)).toBeLessThanOrEqual(25);
	});

	it('a limit that was bounded is said', async () => {
		for (const limit of [1000, 0])
			expect((await search(limit)).text).toMatch(new RegExp(`"limit" ${limit} is out of bounds`));
	});

	it.each(['many', 2.5, [], {}, true])(
		'a limit of %j is refused, with the field, what came and a call that works',
		async (limit) => {
			const { text, isError } = await search(limit);
			expect(isError).toBe(true);
			expect(text).toContain('"limit"');
			expect(text).toContain(JSON.stringify(limit));
			expect(text).toMatch(/search_patterns \{"query"/);
		},
	);

	it.each(['bulkhead', '["bulkhead"]', ['bulkhead']])('ids of %j are a list of one', async (list) => {
		expect(await server.call('get_pattern', { ids: list })).toMatchObject({
			isError: false,
			text: expect.stringContaining('Bulkhead'),
		});
	});

	it.each([[[]], ['text'], [7]])('arguments of %j get advice instead of a protocol error', async (args) => {
		const { isError, text } = await server.call('search_patterns', args);
		expect(isError).toBe(true);
		expect(text).toContain('search_patterns');
	});

	it('every id that a search returns opens its card, in any case', async () => {
		const { text } = await server.call('search_patterns', { query: 'call a flaky service', limit: 25 });
		const found = ids.filter((id) => text.includes(id));
		expect(found.length).toBeGreaterThanOrEqual(2);
		for (const id of found) {
			for (const form of [id, id.toUpperCase(), ` ${id} `]) {
				const card = await server.call('get_pattern', { id: form });
				expect(card.isError, form).toBe(false);
				expect(card.text).toContain(id);
			}
		}
	});

	it('a search says how many results exist beyond those shown and how to get them', async () => {
		const { text } = await server.call('search_patterns', { query: 'slow call', limit: 1 });
		const total = Number(/(\d+) of (\d+)/.exec(text)?.[2]);
		expect(rows(text)).toBe(1);
		expect(total).toBeGreaterThan(1);
		expect(text).toMatch(/"limit": ?\d+/);
	});
});

describe('files', () => {
	const excerpt = (args: object) => server.call('get_file_excerpt', args);

	beforeAll(() => {
		const { put, root } = repository;
		for (const path of ['.env', '.git/config', 'config/prod.PEM', 'node_modules/x/index.js'])
			put(path, 'the-secret-inside');
		put('.env.example', 'PORT=8080\n');
		put('lines.txt', Array.from({ length: 12 }, (_, index) => `line-${index + 1}`).join('\n'));
		put('empty.md', '');
		put('large.txt', `${'x'.repeat(99)}\n`.repeat(500_000));
		put('picture.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]));
		mkdirSync(join(root, 'links'));
		symlinkSync('../../repo-evil/secret.md', join(root, 'links/file.md'));
		symlinkSync('../../repo-evil', join(root, 'links/folder'));
	});

	it.each([
		...[
			'../repo-evil/secret.md',
			'..',
			'/etc/hostname',
			'a/../../b',
			'%2e%2e/repo-evil/secret.md',
			'..\\repo-evil\\secret.md',
		],
		...['docs/../../repo-evil/secret.md', 'links/file.md', 'links/folder/secret.md', 'links/folder/missing.md'],
		...['.env', '.ENV', '.Git/config', 'config/prod.PEM', 'node_modules/x/index.js', 'docs/\0.md'],
	])('%j is refused and nothing of it is told', async (path) => {
		const { text, isError } = await excerpt({ path });
		expect(isError).toBe(true);
		expect(text).not.toMatch(/the-secret/);
		expect(text.replaceAll(path, '')).not.toMatch(/repo-evil|ENOENT|EACCES/);
		expect(text).not.toContain(repository.top);
	});

	it('what a link leads to cannot be told from what does not exist', async () => {
		const texts = await Promise.all(
			['links/file.md', 'links/folder/secret.md', 'links/folder/missing.md', 'links/missing.md'].map((path) =>
				excerpt({ path }),
			),
		);
		expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
	});

	it('.env.example is shown: it holds names and no secrets', async () => {
		expect(await excerpt({ path: '.env.example' })).toMatchObject({
			isError: false,
			text: expect.stringContaining('PORT=8080'),
		});
	});

	it('a window is shown with line numbers, the total and the next call', async () => {
		const { text } = await excerpt({ path: 'lines.txt', start_line: 3, line_count: 2 });
		expect(text).toContain('of 12');
		expect(text).toMatch(/3 +line-3\n4 +line-4\n/);
		expect(text).not.toContain('line-5');
		expect(text).toContain('"start_line": 5');
	});

	it('a file without a final newline is whole', async () => {
		const { text } = await excerpt({ path: 'lines.txt', start_line: 12 });
		expect(text).toMatch(/12 +line-12$/);
	});

	it.each([
		[{ start_line: 0 }, /"start_line" 0 is out of bounds/],
		[{ start_line: 3, line_count: 0 }, /"line_count" 0 is out of bounds/],
		[{ start_line: 3, line_count: -6 }, /"line_count" -6 is out of bounds/],
		[{ start_line: 1_000_000_000 }, /12/],
	])('a window of %j is bounded or refused with the length of the file', async (window, expected) => {
		expect((await excerpt({ path: 'lines.txt', ...window })).text).toMatch(expected);
	});

	it('an empty file is said to be empty', async () => {
		expect(await excerpt({ path: 'empty.md' })).toMatchObject({ isError: false, text: expect.stringMatching(/empty/) });
	});

	it('50 MB are read in part, and that is said', async () => {
		const { text, isError } = await excerpt({ path: 'large.txt' });
		expect(isError).toBe(false);
		expect(text).toMatch(/or more/);
		expect(text.length).toBeLessThan(50_000);
	});

	it('a PNG is refused as binary', async () => {
		expect(await excerpt({ path: 'picture.png' })).toMatchObject({
			isError: true,
			text: expect.stringContaining('binary'),
		});
	});

	it('a section that is missing is answered with those that exist', async () => {
		const { text, isError } = await excerpt({ path: 'docs/bulkhead.md', section: '#missing' });
		expect(isError).toBe(true);
		expect(text).toMatch(/#use/);
		expect(text).toMatch(/#limits/);
	});
});
