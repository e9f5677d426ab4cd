import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PatternRecord, Registry } from '../registry/schema.ts';
import type { Artifact } from './artifact.ts';
import { FIXTURE_README, fixtureFiles, fixtureRegistry, fixtureSource } from './fixture.ts';
import { PlanError, planArtifacts } from './plan.ts';
import { RegionError } from './regions.ts';

function plan(registry: Registry, files: Record<string, string> = {}): Artifact[] {
	return planArtifacts({ registry, source: fixtureSource(registry), read: fixtureFiles(files) });
}

const paths = (artifacts: readonly Artifact[]) => artifacts.map(({ path }) => path);

describe('plan', () => {
	it('names every generated file, pages in the order of every surface', () => {
		expect(paths(plan(fixtureRegistry([{ id: 'z', category: 'data' }, { id: 'b' }, { id: 'a' }])))).toEqual([
			'registry/registry.schema.json',
			'README.md',
			'docs/pattern-library/index.md',
			'docs/pattern-library/b.md',
			'docs/pattern-library/a.md',
			'docs/pattern-library/z.md',
			'public/llms.txt',
			'public/llms-full.txt',
			'public/corpus.jsonl',
			'public/corpus.manifest.json',
			'public/registry.json',
			'public/search-index.json',
		]);
	});

	it('gives the same bytes for the same input, with line feeds only and one at the end', () => {
		const registry = fixtureRegistry([{ id: 'a', summary: 'one\r\ntwo', docs: [{ path: 'docs/a.md' }] }]);
		const first = plan(registry, { 'docs/a.md': '# A\r\n\r\ntext\r\n' });
		expect(plan(registry, { 'docs/a.md': '# A\r\n\r\ntext\r\n' })).toEqual(first);
		for (const { text } of first) {
			expect(text).not.toContain('\r');
			expect(text).toMatch(/[^\n]\n$/);
		}
	});

	it('keeps the order of groups and categories when records stand in another order in the file', () => {
		const records = [{ id: 'a' }, { id: 'b', category: 'load' }, { id: 'c', category: 'data' }];
		const surfaces = (made: Artifact[]) => made.filter(({ path }) => !/registry\.json|search-index/.test(path));
		const reversed = plan(fixtureRegistry(records.toReversed()));
		expect(surfaces(reversed)).toEqual(surfaces(plan(fixtureRegistry(records))));
		const within = (ids: string[]) => {
			const readme = plan(fixtureRegistry(ids.map((id) => ({ id }))))[1]?.text ?? '';
			return Array.from(readme.matchAll(/\(docs\/pattern-library\/(\w+)\.md\)/g), (match) => match[1]);
		};
		expect(within(['b', 'a'])).toEqual(['b', 'a']);
	});

	it('shows no word of a hidden record anywhere, and a planned record everywhere', () => {
		const secret: Required<Omit<PatternRecord, 'id' | 'tier' | 'maturity' | 'requires' | 'depends_on'>> = {
			title: 'xyzzy',
			category: 'data',
			summary: 'xyzzy',
			when_to_use: 'xyzzy',
			asks: ['xyzzy'],
			avoid_when: ['xyzzy'],
			alternatives: [{ approach: 'xyzzy', prefer_when: 'xyzzy' }],
			capabilities: ['xyzzy'],
			keywords: ['xyzzy'],
			docs: [{ path: 'docs/xyzzy.md', note: 'xyzzy' }],
			code: [{ path: 'xyzzy' }],
			tests: [{ path: 'xyzzy' }],
			showcases: [{ path: '/xyzzy/', kind: 'route' }],
			invariants: ['xyzzy', { rule: 'xyzzy', pinned_by: 'xyzzy#xyzzy' }],
			emulation_notes: ['xyzzy'],
			risk: 'xyzzy',
			verifiedAt: 'xyzzy',
			verifiedSha: 'xyzzy',
			hidden: true,
		};
		const registry = fixtureRegistry([
			{ id: 'shown', depends_on: ['xyzzy-id'] },
			{ id: 'xyzzy-id', ...secret },
			{ id: 'someday', maturity: 'planned' },
		]);
		const artifacts = plan(registry, { 'docs/xyzzy.md': 'xyzzy' });
		for (const { path, text } of artifacts) {
			expect(`${path}\n${text}`).not.toContain('xyzzy');
			if (!/manifest|schema|docs\/pattern-library\/shown/.test(path)) expect(text).toContain('someday');
		}
	});

	it.each([
		['the script of its package.json', '{"scripts":{"patterns:build":"x"}}', 'npm run patterns:build'],
		['the program where package.json has no such script', '{"scripts":{"build":"x"}}', 'v10r-patterns build'],
		['the program where package.json is no JSON', '{', 'v10r-patterns build'],
		['the program where there is no package.json', undefined, 'v10r-patterns build'],
	])('says in each file that it is generated and by which command: %s', (_what, manifest, command) => {
		const files = manifest === undefined ? {} : { 'package.json': manifest };
		for (const { path, text } of plan(fixtureRegistry([{ id: 'a' }]), files)) {
			if (path === 'public/corpus.jsonl') continue;
			expect(text).toContain(command);
			expect(text.includes('npm run')).toBe(command.startsWith('npm run'));
		}
	});

	it('reads a README that a card cites without the index in it, so that a second build changes nothing', () => {
		const registry = fixtureRegistry([{ id: 'a', docs: [{ path: 'README.md#before', kind: 'anchor' }] }]);
		const first = plan(registry);
		const second = plan(registry, { 'README.md': first[1]?.text ?? '' });
		expect(second).toEqual(first);
		expect(first.find(({ path }) => path === 'public/corpus.jsonl')?.text).toContain('Before.');
	});
});

describe('a plan that cannot be made', () => {
	const registry = fixtureRegistry([{ id: 'a' }]);
	const source = fixtureSource(registry);

	it('without a README: the error gives the lines to put into one', () => {
		const make = () => planArtifacts({ registry, source, read: () => undefined });
		expect(make).toThrow(PlanError);
		expect(make).toThrow(
			'README.md is missing. Create it with these two lines where the index belongs:\n' +
				'<!-- v10r-patterns:begin -->\n<!-- v10r-patterns:end -->',
		);
	});

	it('with a README without markers: the error names it', () => {
		expect(() => plan(registry, { 'README.md': '# X\n' })).toThrow(RegionError);
	});

	it('with a README in another encoding: the error says so, since its bytes would be lost', () => {
		const bytes = Buffer.concat([Buffer.from(FIXTURE_README), Buffer.from([0xe9])]);
		const read = (path: string) => (path === 'README.md' ? bytes : undefined);
		expect(() => planArtifacts({ registry, source, read })).toThrow('README.md is not UTF-8');
	});

	it.each([
		['RAG', 'rag'],
		['a', 'a'],
		['index', 'b'],
	])('with records %s and %s: they would share a file', (...ids) => {
		expect(() => plan(fixtureRegistry(ids.map((id) => ({ id }))))).toThrow(/would be written twice.*another id/);
	});

	it.each(['../../x', 'a/b', 'a\\b'])('with a record called %s: it would leave its folder', (id) => {
		expect(() => plan(fixtureRegistry([{ id }]))).toThrow('kebab-case');
	});
});

describe('two branches that each add a record', () => {
	const folder = mkdtempSync(join(tmpdir(), 'merge-'));
	afterAll(() => rmSync(folder, { recursive: true }));

	const base = [{ id: 'm' }, { id: 'p' }, { id: 'd', category: 'data' }, { id: 'f', category: 'data' }];
	const insert = (at: number, id: string, category: string) => base.toSpliced(at, 0, { id, category });
	const made = {
		base: plan(fixtureRegistry(base)),
		ours: plan(fixtureRegistry(insert(1, 'n', 'calls'))),
		theirs: plan(fixtureRegistry(insert(3, 'e', 'data'))),
		both: plan(fixtureRegistry(insert(1, 'n', 'calls').toSpliced(4, 0, { id: 'e', category: 'data' }))),
	};

	/** What `git merge` makes of one file, and in how many places it needs a person. */
	function merge(path: string, ...options: string[]): { conflicts: number | null; text: string } {
		const files = (['ours', 'base', 'theirs'] as const).map((side) => {
			const file = join(folder, side);
			writeFileSync(file, made[side].find((artifact) => artifact.path === path)?.text ?? '');
			return file;
		});
		const { status, stdout } = spawnSync('git', ['merge-file', '-p', ...options, ...files], { encoding: 'utf8' });
		return { conflicts: status, text: stdout };
	}

	it.each(
		made.base.map(({ path }) => path).filter((path) => !/corpus\.manifest|public\/(registry|search-index)/.test(path)),
	)('merge %s into what a build makes', (path) => {
		expect(merge(path)).toEqual({
			conflicts: 0,
			text: made.both.find((artifact) => artifact.path === path)?.text,
		});
	});

	it.each(['public/registry.json', 'public/search-index.json'])('meet in %s only where a digest stands', (file) => {
		const { conflicts, text } = merge(file);
		expect(conflicts).toBe(1);
		const ours = text.replace(/<<<<<<< .*\n(.*)\n=======\n.*\n>>>>>>> .*\n/, '$1\n');
		const digest = /"(sha256|registry)":"\w{64}"/;
		const wanted = made.both.find(({ path }) => path === file)?.text;
		expect(ours.replace(digest, '')).toBe(wanted?.replace(digest, ''));
	});

	it('meet nowhere under "merge=union", where the build then has only the digests to mend', () => {
		for (const path of ['public/registry.json', 'public/search-index.json', 'public/corpus.manifest.json']) {
			const { conflicts, text } = merge(path, '--union');
			expect(conflicts).toBe(0);
			expect(text).not.toContain('<<<<<<<');
			expect(text).not.toBe(made.both.find((artifact) => artifact.path === path)?.text);
		}
	});
});
