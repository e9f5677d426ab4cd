import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scanSource } from '../mcp/source-scan.ts';
import { diskFiles } from '../registry/repository-files.node.ts';
import { mentionsIn } from './docs-mentions.ts';
import { importsOf } from './imports.ts';
import { createFixtureRepository, type FixtureRepository } from './mcp-fixture.ts';
import { bundleServer, type Launch, MODERN_META, REPOSITORY, startServer } from './mcp-process.ts';

/** What lets the server run shut in: it writes nothing, starts nothing and connects to nothing, and its documents say how. */

/** A call of every tool, one that fails among them, and a text that the answers hold. */
const CALLS: readonly (readonly [name: string, args: Record<string, unknown>, holds: string])[] = [
	['search_patterns', { query: 'try a flaky call again' }, 'retry-backoff'],
	['get_pattern', { id: 'job-queue' }, 'Job queue must hold'],
	['get_file_excerpt', { path: 'src/bulkhead.ts' }, "return 'bulkhead';"],
	['get_file_excerpt', { path: 'docs/missing.md' }, 'no readable file'],
	['trace_capability', { capability: 'background jobs that survive a crash' }, 'src/job-queue.ts'],
	['recommend_emulation_plan', { capabilities: ['stop calling a service that keeps failing'] }, 'circuit-breaker'],
	['validate_snippet', { snippet: 'enum A { B }' }, '[no-enum]'],
];

/** Denies writes, processes and threads to whatever runs under it; reading is allowed in the folders given. */
const shutIn = (...folders: string[]) => [
	process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
	...folders.map((folder) => `--allow-fs-read=${folder}/*`),
];

describe('the server, shut in', () => {
	let folder: string;
	let bundle: Launch;
	let repository: FixtureRepository;

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), 'mcp-isolation-'));
		bundle = await bundleServer(folder);
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
	beforeEach(() => {
		repository = createFixtureRepository();
		mkdirSync(join(repository.top, 'home'));
	});
	afterEach(() => {
		setWritable(repository.top, true);
		repository.remove();
	});

	/** One session of both eras with a call of every tool, started in the root; what the server printed. */
	async function session(launch = bundle): Promise<string> {
		const home = join(repository.top, 'home');
		const server = startServer(launch, ['--root', repository.root], {
			cwd: repository.root,
			env: { HOME: home, TMPDIR: home, XDG_CACHE_HOME: home, XDG_STATE_HOME: home, NODE_OPTIONS: '' },
		});
		await server.request('initialize', { protocolVersion: '2025-11-25' });
		await server.request('server/discover', { _meta: MODERN_META });
		await server.request('tools/list');
		for (const [name, args, holds] of CALLS) expect((await server.call(name, args)).text, name).toContain(holds);
		const { code, stdout } = await server.end();
		expect(code).toBe(0);
		return stdout;
	}

	it('leaves its root, the home and the temporary folder byte for byte as they were', async () => {
		const before = treeOf(repository.top);
		expect(before.length).toBeGreaterThan(20);
		await session();
		expect(treeOf(repository.top)).toEqual(before);
	});

	it('serves every tool from a tree where nothing can be written, with writes, processes and threads denied to it', async () => {
		setWritable(repository.top, false);
		const args = [...shutIn(folder, repository.top), ...bundle.args];
		await session({ ...bundle, args });
	});

	it('gives a second session the same bytes as the first', async () => {
		expect(await session()).toBe(await session());
	});
});

describe('the code of the server', () => {
	const modules = reachable('mcp/main.ts');

	it('imports no module that connects, starts a process or a thread, or runs text as code', () => {
		const imported = modules.flatMap((path) => runtimeImports(path).filter(({ kind }) => kind !== 'file'));
		expect([...new Set(imported.map(({ to }) => to))].sort()).toEqual([
			'node:crypto',
			'node:fs',
			'node:path',
			'node:url',
			'node:util',
		]);
	});

	it('calls no global that connects or runs text as code', () => {
		const forbidden =
			/(?<![\w$.])(?:fetch|WebSocket|EventSource|eval|Function)\s{0,5}\(|process\s{0,5}\.\s{0,5}(?:binding|dlopen)/;
		const found = modules.filter((path) =>
			forbidden.test(scanSource(readFileSync(join(REPOSITORY, path), 'utf8')).code),
		);
		expect(found).toEqual([]);
		expect(forbidden.test('await fetch(url)')).toBe(true);
	});
});

describe('the documented container', () => {
	it('is removed afterwards, has no network and a read-only mount, and installs nothing', () => {
		const guides = diskFiles(REPOSITORY)
			.list('docs')
			.filter((path) => /^docs\/[^/]+\.md$/.test(path));
		const commands = ['README.md', 'mcp/README.md', ...guides].flatMap((path) =>
			mentionsIn(readFileSync(join(REPOSITORY, path), 'utf8'))
				.filter(({ kind, text }) => kind === 'command' && /^(?:podman|docker) run /.test(text))
				.map(({ text }) => ({ path, words: text.split(/\s+/).slice(2) })),
		);
		expect(commands.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'mcp/README.md']));
		for (const { path, words } of commands) {
			const image = words.findIndex((word) => word.startsWith('docker.io/'));
			const options = words.slice(0, image);
			expect(options, path).toEqual(['-i', '--rm', '--network=none', '-v', '/path/to/v10r-patterns:/repo:ro']);
			expect(words[image], path).toMatch(/^docker\.io\/library\/node:2[4-9](?:-slim)?$/);
			expect(words.slice(image + 1), path).toEqual(['node', '/repo/mcp/main.ts']);
		}
	});
});

/** Every entry below a folder: path, kind and mode, when it changed, and its content. */
function treeOf(top: string): string[] {
	const entries = readdirSync(top, { recursive: true, encoding: 'utf8' }).sort();
	return ['.', ...entries].map((path) => {
		const { mode, mtimeMs } = lstatSync(join(top, path));
		const content = lstatSync(join(top, path)).isFile() ? readFileSync(join(top, path), 'base64') : '';
		return `${path} ${mode.toString(8)} ${mtimeMs} ${content}`;
	});
}

function setWritable(top: string, writable: boolean): void {
	const entries = ['.', ...readdirSync(top, { recursive: true, encoding: 'utf8' })];
	for (const path of entries) {
		const { mode } = lstatSync(join(top, path));
		chmodSync(join(top, path), writable ? mode | 0o200 : mode & ~0o222);
	}
}

function runtimeImports(path: string) {
	return path.endsWith('.ts') ? importsOf(REPOSITORY, path).filter(({ typeOnly }) => !typeOnly) : [];
}

/** The files that `entry` imports at run time, directly or not, itself included. */
function reachable(entry: string): string[] {
	const found = new Set([entry]);
	for (const path of found) for (const { kind, to } of runtimeImports(path)) if (kind === 'file') found.add(to);
	return [...found];
}
