import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { diskFiles } from '../registry/repository-files.node.ts';
import { type Import, importsOf } from './imports.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['registry', 'generators', 'mcp', 'library', 'site', 'bin', 'test'] as const;
type Folder = (typeof FOLDERS)[number];

/** What the sources of each folder may import of the others; itself always. Tests may import anything. */
const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
	registry: ['library'],
	library: [],
	generators: ['registry', 'library'],
	mcp: ['registry', 'library'],
	site: ['registry', 'library'],
	bin: ['registry', 'library', 'generators', 'mcp', 'site'],
	test: [...FOLDERS],
};

const files = diskFiles(root);
const sources = FOLDERS.flatMap((folder) => files.list(folder)).filter((path) => /\.(?:ts|astro)$/.test(path));
const imports = sources.flatMap((path) => importsOf(root, path));
const isTest = (path: string) =>
	path.startsWith('test/') || /\.test\.ts$|(?:^|\/)(?:testing|fixtures?)\b[^/]*\.ts$|-testing\.ts$/.test(path);
const folderOf = (path: string) => FOLDERS.find((folder) => path.startsWith(`${folder}/`));
const shown = ({ from, line, to }: Import) => `${from}:${line} → ${to}`;

/** The ids that have a card, for the one exception that registry/ has. */
function cataloguedIds(): string[] {
	const file = join(root, 'registry/registry.json');
	if (!existsSync(file)) return files.list('library').flatMap((path) => path.split('/').slice(1, -1));
	return JSON.parse(readFileSync(file, 'utf8')).patterns.map(({ id }: { id: string }) => id);
}

/** Everything that loading a module loads of this repository, and the packages that it takes. */
function reachableFrom(entry: string): { modules: Set<string>; packages: Import[] } {
	const modules = new Set([entry]);
	const packages: Import[] = [];
	for (const path of modules) {
		if (!path.endsWith('.ts')) continue;
		for (const one of importsOf(root, path)) {
			if (one.typeOnly) continue;
			if (one.kind === 'file') modules.add(one.to);
			if (one.kind === 'package') packages.push(one);
		}
	}
	return { modules, packages };
}

describe('import directions', () => {
	it('every import of a file names one that is there, with its extension', () => {
		const lost = imports.filter(({ kind, to }) => kind === 'file' && files.kind(to) !== 'file');
		expect(lost.map(shown)).toEqual([]);
	});

	it.each(FOLDERS)('%s imports only what it may', (folder) => {
		const wrong = imports.filter(({ from, to, kind }) => {
			if (kind !== 'file' || isTest(from) || folderOf(from) !== folder) return false;
			const target = folderOf(to);
			return target !== undefined && target !== folder && !MAY_IMPORT[folder].includes(target);
		});
		expect(wrong.map(shown)).toEqual([]);
	});

	it('registry uses of library only modules of patterns that have a card', () => {
		const ids = cataloguedIds();
		const wrong = imports.filter(({ from, to, kind }) => {
			if (kind !== 'file' || isTest(from) || folderOf(from) !== 'registry' || folderOf(to) !== 'library') return false;
			return !ids.includes(to.split('/')[1] ?? '');
		});
		expect(wrong.map(shown)).toEqual([]);
	});

	it('library needs no package but in tests and their helpers', () => {
		const wrong = imports.filter(
			({ from, kind, typeOnly }) => kind === 'package' && !typeOnly && folderOf(from) === 'library' && !isTest(from),
		);
		expect(wrong.map(shown)).toEqual([]);
	});

	it('nothing but tests imports tests', () => {
		const wrong = imports.filter(
			({ from, to, kind }) => kind === 'file' && !isTest(from) && /\.test\.ts$|^test\//.test(to),
		);
		expect(wrong.map(shown)).toEqual([]);
	});

	it('the site reads the registry through its catalog only', () => {
		const wrong = imports.filter(
			({ from, to, kind }) =>
				kind === 'file' &&
				folderOf(from) === 'site' &&
				!isTest(from) &&
				folderOf(to) === 'registry' &&
				from !== 'site/lib/catalog.ts',
		);
		expect(wrong.map(shown)).toEqual([]);
	});

	it('the server needs no package at run time, in itself or in what it reaches', () => {
		const { modules, packages } = reachableFrom('mcp/main.ts');
		expect([...modules]).toEqual(expect.arrayContaining(['registry/query.ts', 'registry/search.ts', 'mcp/server.ts']));
		expect(packages.map(shown)).toEqual([]);
		// The same walk does find packages where there are some.
		expect(reachableFrom('bin/cli.ts').packages.length).toBeGreaterThan(0);
	});

	it('no module of ours loads itself again through others', () => {
		const graph = new Map<string, string[]>();
		for (const { from, to, kind, typeOnly } of imports) {
			if (kind === 'file' && !typeOnly && !isTest(from)) graph.set(from, [...(graph.get(from) ?? []), to]);
		}
		expect(cycleIn(graph)).toBeUndefined();
	});
});

/** One cycle of a graph as the names along it, or undefined. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string | undefined {
	const done = new Set<string>();
	const walk = (node: string, path: readonly string[]): string | undefined => {
		if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ');
		if (done.has(node)) return undefined;
		for (const next of graph.get(node) ?? []) {
			const cycle = walk(next, [...path, node]);
			if (cycle !== undefined) return cycle;
		}
		done.add(node);
		return undefined;
	};
	for (const node of graph.keys()) {
		const cycle = walk(node, []);
		if (cycle !== undefined) return cycle;
	}
	return undefined;
}
