import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../registry/query.ts';
import { createFixtureRepository, type FixtureRepository } from './mcp-fixture.ts';
import { bundleServer, fromSource, type Launch, MODERN_META, type ServerProcess, startServer } from './mcp-process.ts';

let repository: FixtureRepository;
let folder: string;
let bundle: Launch;
const started: ServerProcess[] = [];

beforeAll(async () => {
	repository = createFixtureRepository();
	folder = mkdtempSync(join(tmpdir(), 'mcp-bundle-'));
	bundle = await bundleServer(folder);
});
afterEach(() => {
	for (const { child } of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
	repository.remove();
	rmSync(folder, { recursive: true, force: true });
});

function open(launch: Launch = bundle, options = ['--root', repository.root], env = {}): ServerProcess {
	const server = startServer(launch, options, { env });
	started.push(server);
	return server;
}

const names = TOOLS.map(({ name }) => name);
const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const search = (id: number, query = 'flaky call') =>
	line({ id, method: 'tools/call', params: { name: 'search_patterns', arguments: { query } } });

describe.each([
	['from source', () => fromSource],
	['as a bundle', () => bundle],
])('the server %s', (_, launch) => {
	it('serves a modern client', async () => {
		const server = open(launch());
		const discovered = await server.request('server/discover', { _meta: MODERN_META });
		expect(discovered.result).toMatchObject({ resultType: 'complete', supportedVersions: ['2026-07-28'] });
		const listed = await server.request('tools/list', { _meta: MODERN_META });
		expect(listed.result).toMatchObject({ resultType: 'complete', tools: names.map((name) => ({ name })) });
		const called = await server.request('tools/call', {
			_meta: MODERN_META,
			name: 'search_patterns',
			arguments: { query: 'try a flaky call again' },
		});
		expect(called.result).toMatchObject({
			resultType: 'complete',
			content: [{ type: 'text', text: expect.stringContaining('retry-backoff') }],
			isError: false,
		});
		expect((await server.end()).code).toBe(0);
	});

	it('serves a client of the handshake, in the working directory /', async () => {
		const server = open(launch());
		expect((await server.request('initialize', { protocolVersion: '2025-06-18' })).result).toMatchObject({
			protocolVersion: '2025-06-18',
			instructions: expect.stringContaining('search_patterns'),
		});
		server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		expect((await server.request('tools/list')).result).toEqual({ tools: TOOLS });
		expect(await server.call('get_file_excerpt', { path: 'docs/retry-backoff.md#use' })).toMatchObject({
			text: expect.stringContaining('Call it.'),
			isError: false,
		});
		expect(await server.call('validate_snippet', { snippet: 'const a = b as any;' })).toMatchObject({
			text: expect.stringContaining('line 1 [no-any]'),
		});
		const { code, stdout } = await server.end();
		expect(code).toBe(0);
		expect(stdout.endsWith('\n')).toBe(true);
	});
});

describe('the end of a connection', () => {
	it('prints nothing and exits with 0 for an empty input', async () => {
		expect(await open().end()).toMatchObject({ code: 0, stdout: '' });
	});

	it('gives a request and the end of input in one breath its whole reply', async () => {
		repository.put('docs/long.md', 'x'.repeat(60).concat('\n').repeat(400));
		const server = open();
		const requests = Array.from({ length: 40 }, (_, id) =>
			line({
				id,
				method: 'tools/call',
				params: { name: 'get_file_excerpt', arguments: { path: 'docs/long.md', line_count: 400 } },
			}),
		);
		server.write(requests.join(''));
		const { code, stdout } = await server.end();
		expect(code).toBe(0);
		expect(stdout.length).toBeGreaterThan(400_000);
		expect(server.replies().map(({ id }) => id)).toEqual(requests.map((_, id) => id));
	});

	it('answers a last request that has no newline', async () => {
		const server = open();
		server.write(search(1).trimEnd());
		expect(await server.end()).toMatchObject({ code: 0, stdout: expect.stringContaining('retry-backoff') });
	});

	it.each(['SIGTERM', 'SIGINT'] as const)(
		'answers what was read and exits with 0 on %s, though stdin stays open',
		async (signal) => {
			const server = open();
			await server.request('ping');
			server.write(search(1));
			await server.until(2);
			server.child.kill(signal);
			expect(await server.closed).toMatchObject({ code: 0, signal: null });
		},
	);

	it('exits with 0 when nobody reads its replies any more', async () => {
		const server = open();
		await server.request('ping');
		server.child.stdout.destroy();
		for (let id = 0; id < 50; id++) server.write(search(id));
		expect(await server.closed).toMatchObject({ code: 0, signal: null });
	});

	it('does not stay behind after a signal when the client reads no replies', async () => {
		repository.put('docs/long.md', 'x'.repeat(60).concat('\n').repeat(400));
		const server = open();
		await server.request('ping');
		server.child.stdout.pause();
		const request = line({
			id: 1,
			method: 'tools/call',
			params: { name: 'get_file_excerpt', arguments: { path: 'docs/long.md', line_count: 400 } },
		});
		server.write(request.repeat(30));
		await new Promise((resolve) => setTimeout(resolve, 300));
		server.child.kill('SIGTERM');
		const exited = await new Promise((resolve) => server.child.on('exit', resolve));
		expect(exited).toBe(0);
	});
});

describe('the registry of the server', () => {
	it('is not needed for the handshake, for discovery and for the list; a call says how to build it, and the server lives on', async () => {
		const server = open(bundle, ['--root', repository.root, '--registry', join(folder, 'later.json')]);
		expect((await server.request('initialize', {})).result).toMatchObject({ protocolVersion: '2025-11-25' });
		expect((await server.request('server/discover', { _meta: MODERN_META })).result).toMatchObject({
			resultType: 'complete',
		});
		expect((await server.request('tools/list')).result).toEqual({ tools: TOOLS });
		for (const name of names) {
			expect(await server.call(name, {})).toEqual({
				text: expect.stringMatching(/later\.json: there is no such file\. Run `npm run patterns:build`/),
				isError: true,
			});
		}
		writeFileSync(join(folder, 'later.json'), JSON.stringify({ patterns: [{ id: 'late-one', title: 'Late one' }] }));
		expect((await server.call('get_pattern', { id: 'late-one' })).text).toContain('Late one');
	});

	it('may be broken: a call says so without a stack trace', async () => {
		const broken = join(folder, 'broken.json');
		writeFileSync(broken, '<<<<<<< ours\n');
		const server = open(bundle, ['--registry', broken]);
		const { text, isError } = await server.call('search_patterns', { query: 'x' });
		expect(isError).toBe(true);
		expect(text).toMatch(/broken\.json: it is not valid JSON\./);
		expect(text).not.toMatch(/\n\s+at /);
	});

	it('stands by default beside the module, wherever the server is started, and V10R_ROOT or --root move it', async () => {
		const beside = open(bundle, []);
		expect((await beside.call('search_patterns', { query: 'x' })).text).toContain(join(folder, 'public/registry.json'));
		const byEnv = open(bundle, [], { V10R_ROOT: repository.root });
		expect((await byEnv.call('get_pattern', { id: 'bulkhead' })).isError).toBe(false);
		const byFlag = open(bundle, ['--root', repository.root], { V10R_ROOT: '/nowhere' });
		expect((await byFlag.call('get_pattern', { id: 'bulkhead' })).isError).toBe(false);
	});
});

describe('the command line of the server', () => {
	it('prints help and version to stdout and exits with 0', async () => {
		expect(await open(bundle, ['--help']).closed).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('--registry FILE'),
		});
		expect(await open(bundle, ['--version']).closed).toMatchObject({ code: 0, stdout: '0.1.0\n' });
	});

	it('refuses an unknown option with exit code 2 and nothing on stdout', async () => {
		const server = open(bundle, ['--rooot', 'x']);
		expect(await server.closed).toMatchObject({ code: 2, stdout: '' });
		expect(server.stderr()).toMatch(/'--rooot'[\s\S]*Usage:/);
	});
});

it('sends what prints through the console to stderr', async () => {
	const preload = join(folder, 'print.mjs');
	writeFileSync(
		preload,
		`const write = process.stdout.write.bind(process.stdout);
		process.stdout.write = (...frame) => {
			console.log('log noise');
			console.info('info noise');
			console.debug('debug noise');
			return write(...frame);
		};`,
	);
	const server = open({ ...bundle, args: ['--import', preload, ...bundle.args] });
	await server.request('ping');
	await server.request('tools/list');
	await server.end();
	expect(server.stderr()).toMatch(/log noise[\s\S]*info noise[\s\S]*debug noise/);
	expect(server.replies()).toHaveLength(2);
});
