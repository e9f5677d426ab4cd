import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundles } from './bundle.ts';

const run = promisify(execFile);
const repository = dirname(dirname(fileURLToPath(import.meta.url)));
// A folder with no node_modules in reach: what a bundle does not carry, it does not find.
const scratch = mkdtempSync(join(tmpdir(), 'bundle-'));
const dist = join(scratch, 'dist');
const library = join(scratch, 'library');
const cli = (...args: string[]) => run(process.execPath, [join(dist, 'cli.js'), ...args], { cwd: library });

beforeAll(async () => {
	mkdirSync(library);
	await buildBundles(repository, dist);
});
afterAll(() => rmSync(scratch, { recursive: true }));

describe('the bundles', () => {
	it('are one executable file each', () => {
		for (const name of ['cli.js', 'mcp.js']) {
			const file = join(dist, name);
			expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node');
			if (process.platform !== 'win32') expect(statSync(file).mode & 0o111).toBe(0o111);
		}
	});

	it('the server carries no library and imports nothing but Node', () => {
		const source = readFileSync(join(dist, 'mcp.js'), 'utf8');
		expect(source).not.toContain('// node_modules/');
		const imported = [...source.matchAll(/^import .*? from "([^"]+)"/gm)].map((match) => match[1]);
		expect(imported.length).toBeGreaterThan(0);
		for (const name of imported) expect(name).toMatch(/^node:/);
	});

	it('the command line does its whole work without node_modules', async () => {
		const { next } = JSON.parse((await cli('init', '--json')).stdout);
		const printed = String(next.at(-1)).replace(/^.*?: /, '');
		expect(printed).toContain(join(dist, 'cli.js'));
		const { stdout } = await run('sh', ['-c', printed], { cwd: tmpdir() });
		for (const said of ['0 removed', 'valid.', 'up to date']) expect(stdout).toContain(said);
		expect((await cli('build')).stdout).toContain('0 written');
		expect((await cli('check')).stdout).toContain('up to date');
		expect(JSON.parse((await cli('search', 'pattern index', '--json')).stdout).hits[0].id).toBe('pattern-registry');
		await expect(cli('validate', '--registry', 'none.json')).rejects.toMatchObject({ code: 2 });
	});

	it.each([
		['mcp.js', []],
		['cli.js', ['mcp']],
	])('%s %j serves over stdio and ends with its input', async (name, args) => {
		cpSync(dist, join(library, 'dist'), { recursive: true });
		const child = run(process.execPath, [join(library, 'dist', name), ...args], { cwd: library });
		child.child.stdin?.end(
			`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_pattern', arguments: { id: 'pattern-registry' } } })}\n`,
		);
		const { stdout, stderr } = await child;
		expect(JSON.parse(stdout).result.content[0].text).toContain('# Pattern registry');
		expect(stderr).toBe('');
	});
});
