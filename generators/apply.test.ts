import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PatternRecord } from '../registry/schema.ts';
import { applyBuild, diffArtifacts } from './apply.ts';
import { nodeDisk } from './disk.ts';
import { type Drift, formatDrift } from './drift.ts';
import { FIXTURE_README, fixtureRegistry, fixtureSource } from './fixture.ts';
import { planArtifacts } from './plan.ts';
import { readRepositoryFile } from './repository-file.ts';

const PAGES = 'docs/pattern-library';
let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'generators-'));
	write('README.md', FIXTURE_README);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string) {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text);
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const RECORDS = [{ id: 'a' }, { id: 'b', category: 'data' }];

function plan(records: Partial<PatternRecord>[] = RECORDS) {
	const registry = fixtureRegistry(records);
	return planArtifacts({ registry, source: fixtureSource(registry), read: readRepositoryFile(root) });
}

/** Every file below the root with its digest and its time, to see that nothing was touched. */
function snapshot(): Record<string, string> {
	const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
	return Object.fromEntries(
		files
			.filter((file) => statSync(join(root, file)).isFile())
			.map((file) => {
				const digest = createHash('sha256')
					.update(readFileSync(join(root, file)))
					.digest('hex');
				return [file, `${digest} ${statSync(join(root, file)).mtimeMs}`];
			}),
	);
}

const named = (drifts: readonly Drift[]) => drifts.map((drift) => `${drift.class} ${drift.path}`);

describe('build', () => {
	it('writes everything into an empty repository, and then the check is clean', async () => {
		const artifacts = plan();
		const result = await applyBuild(root, artifacts);
		expect(result).toEqual({
			written: artifacts.map(({ path }) => path),
			removed: [],
			strays: [],
			unchanged: 0,
		});
		for (const { path, text } of artifacts) expect(read(path)).toBe(text);
		expect(await diffArtifacts(root, plan())).toEqual([]);
		expect(formatDrift([], 'npm run patterns:build')).toBe('Generated files are up to date.\n');
	});

	it('touches no file the second time', async () => {
		await applyBuild(root, plan());
		const before = snapshot();
		const result = await applyBuild(root, plan());
		expect(result).toMatchObject({ written: [], removed: [], unchanged: Object.keys(before).length });
		expect(snapshot()).toEqual(before);
	});

	it('writes only what changed', async () => {
		await applyBuild(root, plan());
		write(`${PAGES}/a.md`, 'edited');
		expect((await applyBuild(root, plan())).written).toEqual([`${PAGES}/a.md`]);
	});

	it('writes only what a changed record reaches', async () => {
		await applyBuild(root, plan());
		const { written } = await applyBuild(
			root,
			plan([
				{ id: 'a', emulation_notes: ['New.'] },
				{ id: 'b', category: 'data' },
			]),
		);
		expect(written).toEqual([
			`${PAGES}/a.md`,
			'public/llms-full.txt',
			'public/corpus.jsonl',
			'public/corpus.manifest.json',
			'public/registry.json',
			'public/search-index.json',
		]);
	});

	it('removes the page of a renamed record and nothing that it did not write', async () => {
		await applyBuild(root, plan());
		const kept = {
			[`${PAGES}/notes.md`]: '# Notes\n',
			[`${PAGES}/copy.md`]: read(`${PAGES}/b.md`),
			[`${PAGES}/sub/b.md`]: read(`${PAGES}/b.md`),
			[`${PAGES}/picture.svg`]: '<svg/>',
			[`${PAGES}/.note`]: 'x',
			'docs/guide.md': '# Guide\n',
		};
		for (const [path, text] of Object.entries(kept)) write(path, text);
		const result = await applyBuild(root, plan([{ id: 'a' }, { id: 'c', category: 'data' }]));
		expect(result.removed).toEqual([`${PAGES}/b.md`]);
		expect(existsSync(join(root, PAGES, 'b.md'))).toBe(false);
		for (const [path, text] of Object.entries(kept)) expect(read(path)).toBe(text);
		expect(named(result.strays)).toEqual([
			`orphan ${PAGES}/.note`,
			`orphan ${PAGES}/copy.md`,
			`orphan ${PAGES}/notes.md`,
			`orphan ${PAGES}/picture.svg`,
			`orphan ${PAGES}/sub/b.md`,
		]);
		expect(result.strays[0]?.fix).toBe(
			'No build wrote it, so no build removes it: move it out of docs/pattern-library/, which holds generated files only.',
		);
	});

	it('keeps the CRLF of a README, and then neither build nor check finds it stale', async () => {
		write('README.md', FIXTURE_README.replaceAll('\n', '\r\n'));
		await applyBuild(root, plan());
		expect(read('README.md').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
		expect(await diffArtifacts(root, plan())).toEqual([]);
	});

	it('leaves every file whole when a write fails, and a second build does the rest', async () => {
		const artifacts = plan();
		const real = nodeDisk(root);
		let writes = 0;
		const disk = {
			...real,
			write: (path: string, bytes: Uint8Array) =>
				++writes === 4 ? Promise.reject(new Error('disk full')) : real.write(path, bytes),
		};
		await expect(applyBuild(root, artifacts, { disk })).rejects.toThrow('disk full');
		const texts = new Map(artifacts.map(({ path, text }) => [path, text]));
		const there = Object.keys(snapshot());
		expect(there.length).toBe(3);
		for (const path of there) expect(read(path)).toBe(texts.get(path));
		expect((await applyBuild(root, plan())).written.length).toBe(artifacts.length - 3);
	});

	it('writes nothing at all when the plan cannot be made', () => {
		write('README.md', '# No markers\n');
		const before = snapshot();
		expect(() => plan()).toThrow('has no pair of markers');
		expect(snapshot()).toEqual(before);
	});

	it('writes nothing at all when a renderer throws halfway', () => {
		const registry = fixtureRegistry([{ id: 'a', docs: [{ path: 'docs/bad.md' }] }]);
		const fail = (path: string) => {
			if (path === 'docs/bad.md') throw new Error('unreadable');
			return readRepositoryFile(root)(path);
		};
		const before = snapshot();
		expect(() => planArtifacts({ registry, source: fixtureSource(registry), read: fail })).toThrow('unreadable');
		expect(snapshot()).toEqual(before);
	});

	it.each([
		['docs', 'docs'],
		[PAGES, PAGES],
		[`${PAGES}/index.md`, `${PAGES}/index.md`],
	])('neither writes nor compares through a link at %s that leads out of the repository', async (at, said) => {
		const outside = mkdtempSync(join(tmpdir(), 'outside-'));
		try {
			if (at.endsWith('.md')) writeFileSync(join(outside, 'target'), 'theirs');
			mkdirSync(dirname(join(root, at)), { recursive: true });
			symlinkSync(at.endsWith('.md') ? join(outside, 'target') : outside, join(root, at));
			const refusal = `${said} is a link that leads out of the repository`;
			await expect(applyBuild(root, plan())).rejects.toThrow(refusal);
			await expect(diffArtifacts(root, plan())).rejects.toThrow(refusal);
			expect(readdirSync(outside)).toEqual(at.endsWith('.md') ? ['target'] : []);
			if (at.endsWith('.md')) expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('theirs');
		} finally {
			rmSync(outside, { recursive: true });
		}
	});

	it('follows a link that stays in the repository', async () => {
		mkdirSync(join(root, 'static'));
		symlinkSync('static', join(root, 'public'));
		await applyBuild(root, plan());
		expect(existsSync(join(root, 'static/llms.txt'))).toBe(true);
		expect(await diffArtifacts(root, plan())).toEqual([]);
	});
});

describe('check', () => {
	it('names a page that was deleted, added, edited or only given other line ends, each in its class, and writes nothing', async () => {
		await applyBuild(root, plan());
		rmSync(join(root, 'public/llms.txt'));
		write(`${PAGES}/added.md`, '# Added\n');
		write(`${PAGES}/a.md`, read(`${PAGES}/a.md`).replace('Summary of a.\n', 'Summary of A.\n'));
		write(`${PAGES}/b.md`, read(`${PAGES}/b.md`).replaceAll('\n', '\r\n'));
		const before = snapshot();
		const drifts = await diffArtifacts(root, plan());
		expect(named(drifts)).toEqual([
			`changed ${PAGES}/a.md`,
			`line-endings ${PAGES}/b.md`,
			'missing public/llms.txt',
			`orphan ${PAGES}/added.md`,
		]);
		expect(snapshot()).toEqual(before);
		expect(formatDrift(drifts, 'npm run patterns:build')).toBe(`Changed: the file is not what the registry says (1)
  docs/pattern-library/a.md
    Run npm run patterns:build.
--- a/docs/pattern-library/a.md\ton disk
+++ b/docs/pattern-library/a.md\tfrom the registry
@@ -12,5 +12,5 @@
 # Title of a
 
-Summary of A.
+Summary of a.
 
 - **Id:** \`a\`

Line endings: nothing else differs (1)
  docs/pattern-library/b.md
    Run npm run patterns:build, and keep git from converting it: "* text=auto eol=lf" in .gitattributes.

Missing (1)
  public/llms.txt
    Run npm run patterns:build to write it.

Orphan: no record has this page (1)
  docs/pattern-library/added.md
    No build wrote it, so no build removes it: move it out of docs/pattern-library/, which holds generated files only.

4 files out of date (1 changed, 1 line-endings, 1 missing, 1 orphan). Fix: npm run patterns:build
Move by hand: 1 file that no build wrote.
`);
	});

	it('names no command where only files are left that no build removes', async () => {
		await applyBuild(root, plan());
		write(`${PAGES}/mine.md`, 'mine');
		write(`${PAGES}/notes.txt`, 'mine');
		const drifts = await diffArtifacts(root, plan(), { command: 'v10r-patterns build' });
		const report = formatDrift(drifts, 'v10r-patterns build');
		expect(report).toMatch(/\n2 files out of date \(2 orphan\)\. Move by hand: 2 files that no build wrote\.\n$/);
		expect(report).not.toContain('v10r-patterns build');
	});

	it('says that a build removes the page of a record that is gone', async () => {
		await applyBuild(root, plan());
		const drifts = await diffArtifacts(root, plan([{ id: 'a' }]));
		expect(drifts.find(({ path }) => path === `${PAGES}/b.md`)).toEqual({
			class: 'orphan',
			path: `${PAGES}/b.md`,
			fix: 'Run npm run patterns:build to remove it.',
		});
	});

	it('finds any byte that was changed in any generated file', async () => {
		await applyBuild(root, plan());
		for (const { path, text } of plan()) {
			for (const tampered of [`${text} `, `\uFEFF${text}`, text.slice(0, -1), text.replace('a', 'b')]) {
				// In the README, text outside the region is the author's own.
				if (path === 'README.md') continue;
				write(path, tampered);
				expect(named(await diffArtifacts(root, plan()))).toEqual([`changed ${path}`]);
			}
			write(path, text);
		}
		write('README.md', read('README.md').replace('Summary of a', 'Summary of z'));
		expect(named(await diffArtifacts(root, plan()))).toEqual(['changed README.md']);
	});

	it('finds a page whose name differs in case only', async () => {
		await applyBuild(root, plan());
		renameSync(join(root, PAGES, 'a.md'), join(root, PAGES, 'A.md'));
		expect(named(await diffArtifacts(root, plan()))).toContain(`orphan ${PAGES}/A.md`);
	});

	it('cuts a long diff and says by how much', async () => {
		await applyBuild(root, plan());
		write('public/llms-full.txt', 'x\n'.repeat(500));
		const [drift] = await diffArtifacts(root, plan());
		expect(drift?.patch?.split('\n').length).toBeLessThan(125);
		expect(drift?.patch).toMatch(/\(\d+ more lines of this diff\)\n$/);
	});

	it('gives no diff of two files that have nothing in common', async () => {
		await applyBuild(root, plan());
		write('public/llms-full.txt', Array.from({ length: 9_000 }, (_, n) => `${n}\n`).join(''));
		const [drift] = await diffArtifacts(root, plan());
		expect(drift?.patch).toBe('(the two have too little in common for a diff)\n');
	});

	it('asks for a folder to be moved that stands where a file belongs', async () => {
		mkdirSync(join(root, 'public/llms.txt'), { recursive: true });
		await expect(diffArtifacts(root, plan())).rejects.toThrow(
			'public/llms.txt is a folder, but a generated file belongs there. Move it away.',
		);
	});
});
