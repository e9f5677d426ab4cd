import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import type { Ref } from '../schema.ts';
import { checkRefs } from './refs.ts';
import { contextOf, findings, fixes } from './testing.ts';

const FILES = {
	'docs/guide.md': '# Guide\n\n## ⚙️ Tools & RAG\n\n## ⚙️ Tools & RAG\n\n## 日本語\n\n## C++ / C#\n\n<a id="own"></a>\n',
	'docs/Other.md': '',
	'src/a/code.ts': '',
};
const given = (...docs: Ref[]) => ({ patterns: [record({ id: 'a', docs })], files: FILES });
const messages = (...docs: Ref[]) => findings(checkRefs, given(...docs)).map((line) => line.replace(/^.*?: /, ''));

describe('checkRefs', () => {
	it('accepts files, folders and headings as GitHub resolves them', () => {
		const paths = ['guide', '️-tools--rag', '️-tools--rag-1', '日本語', '%E6%97%A5%E6%9C%AC%E8%AA%9E', 'c--c', 'own'];
		const anchors = paths.map((fragment) => ({ path: `docs/guide.md#${fragment}` }));
		expect(messages({ path: 'docs/guide.md', kind: 'file' }, { path: 'src/a', kind: 'dir' }, ...anchors)).toEqual([]);
		expect(messages({ path: 'docs/guide.md#guide', kind: 'anchor' })).toEqual([]);
	});

	it('names record, list and entry of a missing file, in every list', () => {
		const patterns = [
			record({
				id: 'a',
				docs: [{ path: 'docs/guide.md' }, { path: 'x.md' }],
				code: [{ path: 'x.ts' }],
				tests: [{ path: 'x.test.ts' }],
				showcases: [{ path: 'x' }],
			}),
		];
		expect(findings(checkRefs, { patterns, files: FILES })).toEqual([
			'error patterns[0].docs[1].path: "x.md" does not exist.',
			'error patterns[0].code[0].path: "x.ts" does not exist.',
			'error patterns[0].tests[0].path: "x.test.ts" does not exist.',
			'error patterns[0].showcases[0].path: "x" does not exist.',
		]);
	});

	it('says where a missing file probably went', () => {
		expect(fixes(checkRefs, given({ path: 'docs/giude.md' }))).toEqual(['Did you mean "docs/guide.md"?']);
		expect(fixes(checkRefs, given({ path: 'lib/code.ts' }))).toEqual(['A file of that name is now "src/a/code.ts".']);
	});

	it('names a path that differs in case only', () => {
		expect(messages({ path: 'docs/other.md' })).toEqual([
			'"docs/other.md" differs in case from "docs/Other.md" on the disk.',
		]);
		expect(fixes(checkRefs, given({ path: 'docs/other.md' }))).toEqual(['Write "docs/Other.md".']);
	});

	it('refuses the wrong kind', () => {
		expect(messages({ path: 'src/a' }, { path: 'docs/guide.md', kind: 'dir' })).toEqual([
			'"src/a" is a folder, expected a file.',
			'"docs/guide.md" is a file, expected a folder.',
		]);
	});

	it.each(['../x.md', '/etc/passwd', 'docs/../docs/guide.md', './docs/guide.md', 'docs\\guide.md', 'src/a/'])(
		'refuses %s, which is no path inside the repository',
		(path) => {
			expect(messages({ path })).toEqual([`${JSON.stringify(path)} is no path inside the repository.`]);
		},
	);

	it('refuses a link that leads out of the repository', () => {
		const context = contextOf(given({ path: 'docs/guide.md' }));
		const leaving = { ...context, files: { ...context.files, kind: () => 'outside' as const } };
		expect(checkRefs(leaving).map(({ message }) => message)).toEqual([
			'"docs/guide.md" is a link that leads out of the repository.',
		]);
	});

	it('says how to cite a page when a route lacks its kind', () => {
		expect(fixes(checkRefs, given({ path: '/showcases/a' }))[0]).toContain('"kind": "route"');
	});

	it('refuses a fragment that no heading has, and names those that there are', () => {
		expect(messages({ path: 'docs/guide.md#tools-and-rag' }, { path: 'docs/guide.md#Guide' })).toEqual([
			'No heading of "docs/guide.md" has the fragment "#tools-and-rag".',
			'No heading of "docs/guide.md" has the fragment "#Guide".',
		]);
		expect(fixes(checkRefs, given({ path: 'docs/guide.md#zzzzzz' }, { path: 'docs/guide.md#giude' }))).toEqual([
			'It has #guide, #️-tools--rag, #️-tools--rag-1, #日本語, #c--c, #own',
			'Did you mean "guide"?',
		]);
	});

	it('refuses a fragment of a file without headings, and a heading ref without a fragment', () => {
		expect(messages({ path: 'src/a/code.ts#run' }, { path: 'docs/guide.md', kind: 'anchor' })).toEqual([
			'"src/a/code.ts" is no Markdown file, so it has no heading "#run".',
			'A ref of kind anchor names a heading; there is no #fragment.',
		]);
	});

	it('leaves pages of the site to the check of routes', () => {
		expect(messages({ path: '/x', kind: 'route' }, { path: '/y', kind: 'approute' })).toEqual([]);
	});
});
