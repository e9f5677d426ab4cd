import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskFiles } from './repository-files.node.ts';
import { isRepositoryPath, memoryFiles } from './repository-files.ts';

const scratch = mkdtempSync(join(tmpdir(), 'repository-files-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const TREE = { 'README.md': 'top', 'docs/Guide.md': 'guide', 'docs/deep/x.md': 'x', 'src/a.ts': 'a' };

const root = join(scratch, 'repo');
mkdirSync(join(root, 'docs/deep'), { recursive: true });
mkdirSync(join(root, 'src'));
for (const [path, text] of Object.entries(TREE)) writeFileSync(join(root, path), text);

describe.each([
	['the disk', diskFiles(root)],
	['memory', memoryFiles(TREE)],
])('a repository on %s', (_name, files) => {
	it('tells files from folders and from nothing', () => {
		expect(['README.md', 'docs', 'docs/deep', 'nope', 'docs/nope.md', 'README.md/x', ''].map(files.kind)).toEqual([
			'file',
			'dir',
			'dir',
			undefined,
			undefined,
			undefined,
			undefined,
		]);
	});

	it('is exact in case, and knows how the disk spells a path', () => {
		expect(files.kind('docs/guide.md')).toBeUndefined();
		expect(files.respelled('docs/guide.md')).toBe('docs/Guide.md');
		expect(files.respelled('DOCS/DEEP/X.MD')).toBe('docs/deep/x.md');
		expect(files.respelled('docs/Guide.md')).toBeUndefined();
		expect(files.respelled('docs/nope.md')).toBeUndefined();
	});

	it('reads files and nothing else', () => {
		expect(files.read('docs/Guide.md')).toBe('guide');
		expect(files.read('docs')).toBeUndefined();
		expect(files.read('toString')).toBeUndefined();
	});

	it('lists the files below a folder in code-unit order', () => {
		expect(files.list('docs')).toEqual(['docs/Guide.md', 'docs/deep/x.md']);
		expect(files.list('')).toEqual(Object.keys(TREE).sort());
		expect(files.list('nope')).toEqual([]);
	});
});

describe('a repository on the disk', () => {
	it('does not leave its root, by spelling or by link', () => {
		writeFileSync(join(scratch, 'secret.md'), 'secret');
		symlinkSync(join(scratch, 'secret.md'), join(root, 'leak.md'));
		symlinkSync(join(root, 'docs'), join(root, 'alias'));
		const files = diskFiles(root);
		expect(files.kind('leak.md')).toBe('outside');
		expect(files.read('leak.md')).toBeUndefined();
		expect(files.kind('../secret.md')).toBeUndefined();
		expect(files.read('../secret.md')).toBeUndefined();
		expect(files.kind('alias')).toBe('dir');
	});

	it('takes a link that leads nowhere for nothing', () => {
		symlinkSync(join(scratch, 'gone'), join(root, 'dangling.md'));
		expect(diskFiles(root).kind('dangling.md')).toBeUndefined();
	});
});

describe('isRepositoryPath', () => {
	it.each(['a', 'a/b.md', '.github/x.yml', 'a/..b'])('accepts %s', (path) => expect(isRepositoryPath(path)).toBe(true));
	it.each(['', '/a', 'a/', './a', 'a/../b', '..', 'a//b', 'a\\b'])('refuses %j', (path) =>
		expect(isRepositoryPath(path)).toBe(false),
	);
});
