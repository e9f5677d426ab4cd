import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../registry/query.ts';
import { createFixtureRepository, type FixtureRepository } from './mcp-fixture.ts';
import { bundleServer, type Launch, MODERN_META, REPOSITORY, startServer } from './mcp-process.ts';

/** A clone without node_modules is all that the server needs: its sources as they stand, or one bundled file. */

let folder: string;
let clone: string;
let repository: FixtureRepository;

beforeAll(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-clone-')));
	clone = join(folder, 'clone');
	execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${REPOSITORY}`, clone]);
	repository = createFixtureRepository();
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
	repository.remove();
});

/** A module of the server's import graph, by its path in the clone. */
interface Module {
	path: string;
	text: string;
	/** What it imports at run time, as written; `import type` and `export type` are not among them. */
	imports: string[];
}

/** Everything that `entry` imports at run time, directly or not. */
function importGraph(entry: string): Module[] {
	const found = new Map<string, Module>();
	const queue = [entry];
	for (const file of queue) {
		if (found.has(file)) continue;
		const text = readFileSync(file, 'utf8');
		const imports = file.endsWith('.ts') ? runtimeImports(text) : [];
		found.set(file, { path: relative(clone, file), text, imports });
		queue.push(
			...imports.filter((specifier) => specifier.startsWith('.')).map((specifier) => join(dirname(file), specifier)),
		);
	}
	return [...found.values()];
}

function runtimeImports(text: string): string[] {
	// What remains after types are stripped, as a runtime that strips them sees it.
	const { outputText } = ts.transpileModule(text, {
		compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
	});
	return ts.preProcessFile(outputText).importedFiles.map(({ fileName }) => fileName);
}

/** Runtimes that run TypeScript as it stands: this one if it does, and those that the environment names. */
function typeScriptRuntimes(): string[] {
	const named = (process.env.V10R_TYPESCRIPT_RUNTIMES ?? '').split(delimiter).filter(Boolean);
	const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
	const self = major > 22 || (major === 22 && minor >= 18) ? [process.execPath] : [];
	return [...self, ...named];
}

async function expectToServe(launch: Launch): Promise<void> {
	const server = startServer(launch, ['--root', repository.root]);
	expect((await server.request('initialize', { protocolVersion: '2025-11-25' })).result).toMatchObject({
		serverInfo: { name: 'v10r-patterns' },
	});
	expect((await server.request('tools/list', { _meta: MODERN_META })).result).toMatchObject({
		tools: TOOLS.map(({ name }) => ({ name })),
	});
	expect((await server.call('search_patterns', { query: 'try a flaky call again' })).text).toContain('retry-backoff');
	expect((await server.call('get_file_excerpt', { path: 'docs/bulkhead.md#use' })).text).toContain('Call it.');
	expect((await server.call('validate_snippet', { snippet: 'enum A { B }' })).text).toContain('[no-enum]');
	expect((await server.end()).code).toBe(0);
}

describe('a clone without node_modules', () => {
	it('holds the server’s whole import graph: files of the clone and modules of the runtime, nothing else', () => {
		const graph = importGraph(join(clone, 'mcp/main.ts'));
		const paths = graph.map(({ path }) => path);
		expect(paths).toEqual(expect.arrayContaining(['mcp/main.ts', 'mcp/snippet-rules.json', 'registry/query.ts']));
		expect(paths.filter((path) => !/^(?:mcp|registry|library)\//.test(path))).toEqual([]);
		const foreign = graph.flatMap(({ path, imports }) =>
			imports
				.filter((name) => !/^\.\.?\/.+\.(?:ts|json)$/.test(name) && !isBuiltin(name))
				.map((name) => `${path}: ${name}`),
		);
		expect(foreign).toEqual([]);
		expect(existsSync(join(clone, 'node_modules'))).toBe(false);
	});

	it('has nothing but erasable syntax in that graph', () => {
		const files = importGraph(join(clone, 'mcp/main.ts')).map(({ path }) => join(clone, path));
		const program = ts.createProgram(
			files.filter((file) => file.endsWith('.ts')),
			{
				...{
					noEmit: true,
					noResolve: true,
					noLib: true,
					types: [],
					erasableSyntaxOnly: true,
					verbatimModuleSyntax: true,
				},
				...{ allowImportingTsExtensions: true, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
			},
		);
		// 1294: this syntax is not allowed when erasableSyntaxOnly is enabled.
		const found = program
			.getSourceFiles()
			.flatMap((file) => [
				...program.getSyntacticDiagnostics(file),
				...program.getSemanticDiagnostics(file).filter(({ code }) => code === 1294),
			]);
		expect(found.map(({ file, start, messageText }) => `${file?.fileName}:${start} ${messageText}`)).toEqual([]);
	});

	it('runs bundled on this runtime, the bundle alone in its folder', async () => {
		const alone = join(folder, 'alone');
		// Only the bundler itself needs packages, and of those none at all for the server.
		await expectToServe(await bundleServer(alone, clone));
	});

	it('runs through a link to a folder and from any working directory', async () => {
		const bundle = await bundleServer(join(folder, 'linked'), clone);
		symlinkSync(join(folder, 'linked'), join(folder, 'alias'));
		const elsewhere = join(folder, 'elsewhere');
		mkdirSync(elsewhere);
		const file = (bundle.args[0] ?? '').replace('/linked/', '/alias/');
		const server = startServer({ ...bundle, args: [file] }, [], { cwd: elsewhere });
		const { text } = await server.call('search_patterns', { query: 'x' });
		expect(text).toContain(join(folder, 'linked/public/registry.json'));
		await server.end();
	});

	it('runs from source on every runtime at hand that runs TypeScript, after the graph above was shown to be fit for it', async () => {
		for (const command of typeScriptRuntimes()) await expectToServe({ command, args: [join(clone, 'mcp/main.ts')] });
	}, 60_000);
});

function isBuiltin(name: string): boolean {
	return name.startsWith('node:') && builtinModules.includes(name.slice('node:'.length));
}
