import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freezeTexts } from '../registry/concordance.ts';
import { record } from '../registry/fixtures.ts';
import { searchPatterns } from '../registry/search.ts';
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
		expect(() => loadLibrary(join(folder, 'nowhere.json'))).toThrow(
			/there is no such file.*npm run patterns:build.*v10r-patterns build/,
		);
		for (const name of ['folder', 'pipe']) expect(() => loadLibrary(join(folder, name))).toThrow(/it is not a file/);
	});
});

describe('search index beside the registry', () => {
	const REGISTRY_TEXT = JSON.stringify({ format: 1, source: SOURCE, ...REGISTRY });
	const [own] = freezeTexts([record({ id: 'one', title: 'One' })]);
	/** An index that differs from the registry's words, so that its use shows. */
	const planted = { ...own, terms: 'planted', words: '', runs: [1, 1] };
	const registry = createHash('sha256').update(REGISTRY_TEXT).digest('hex');

	/** Whether a search finds the planted word, and whether it finds the registry's own. */
	function found(index: string | undefined): [planted: boolean, own: boolean] {
		const file = join(folder, 'search-index.json');
		rmSync(file, { force: true, recursive: true });
		if (index !== undefined) writeFileSync(file, index);
		const library = load(REGISTRY_TEXT);
		const has = (query: string) => searchPatterns(library.index, query).unknown.length === 0;
		return [has('planted'), has('one')];
	}

	it('is used when it is of this very file', () => {
		expect(found(JSON.stringify({ format: 1, registry, records: [planted] }))).toEqual([true, false]);
	});

	it.each([
		['missing', undefined],
		['of another state of the file', JSON.stringify({ format: 1, registry: '0'.repeat(64), records: [planted] })],
		['of another format', JSON.stringify({ format: 2, registry, records: [planted] })],
		['without records', JSON.stringify({ format: 1, registry })],
		['about other records', JSON.stringify({ format: 1, registry, records: [{ ...planted, id: 'two' }] })],
		['null', 'null'],
		['what a merge left', '<<<<<<< ours\n{}'],
		['empty', ''],
	])('is made anew when the file is %s', (_, index) => {
		expect(found(index)).toEqual([false, true]);
	});

	it('is made anew when a folder or a FIFO has its name', () => {
		found(undefined);
		const file = join(folder, 'search-index.json');
		mkdirSync(file);
		expect(load(REGISTRY_TEXT).patterns).toHaveLength(1);
		rmSync(file, { recursive: true });
		execFileSync('mkfifo', [file]);
		expect(load(REGISTRY_TEXT).patterns).toHaveLength(1);
	});
});
