import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLibrary, RegistryFileError } from './registry-file.ts';

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'registry-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REGISTRY = { version: '1.0.0', patterns: [{ id: 'one', title: 'One' }] };
const SOURCE = { path: 'registry/registry.json', sha256: '00' };

function load(content: string) {
	const file = join(folder, 'registry.json');
	writeFileSync(file, content);
	return loadLibrary(file);
}

describe('registry file', () => {
	it.each([
		['a frozen registry', { format: 1, source: SOURCE, ...REGISTRY }],
		['an authored registry', REGISTRY],
		['a registry with fields from the future', { ...REGISTRY, novelty: true }],
	])('loads %s', (_, value) => {
		expect(load(JSON.stringify(value)).patterns.map(({ id }) => id)).toEqual(['one']);
	});

	it('loads a file that begins with a byte order mark', () => {
		expect(load(`\uFEFF${JSON.stringify(REGISTRY)}`).patterns).toHaveLength(1);
	});

	it.each([
		['', /is not valid JSON/],
		['{"patterns": [', /is not valid JSON/],
		['<<<<<<< ours\n{}', /is not valid JSON/],
		['[]', /expected a registry object/],
		['{"format": 1}', /expected a list "patterns"/],
		['{"patterns": [{}]}', /patterns\[0\]/],
		[JSON.stringify({ format: 2, ...REGISTRY }), /format is 2, this server reads format 1/],
	])('refuses %j, saying why and how to build it', (content, reason) => {
		expect(() => load(content)).toThrow(RegistryFileError);
		expect(() => load(content)).toThrow(reason);
		expect(() => load(content)).toThrow(/registry\.json: .*npm run patterns:build.*--registry FILE/);
	});

	it('refuses a file that is missing, a folder, and a FIFO that nobody writes to', () => {
		mkdirSync(join(folder, 'folder'));
		execFileSync('mkfifo', [join(folder, 'pipe')]);
		expect(() => loadLibrary(join(folder, 'nowhere.json'))).toThrow(/there is no such file.*npm run patterns:build/);
		for (const name of ['folder', 'pipe']) expect(() => loadLibrary(join(folder, name))).toThrow(/it is not a file/);
	});
});
