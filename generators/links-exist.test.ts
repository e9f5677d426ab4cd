import { posix } from 'node:path';
import type { Nodes } from 'mdast';
import { visit } from 'unist-util-visit';
import { describe, expect, it } from 'vitest';
import { anchorsOf } from '../registry/anchors.ts';
import type { PatternRecord } from '../registry/schema.ts';
import type { Artifact } from './artifact.ts';
import type { CorpusChunk } from './corpus.ts';
import { FIXTURE_README, fixtureFiles, fixtureRegistry, fixtureSource } from './fixture.ts';
import { parseMarkdown } from './markdown.ts';
import { planArtifacts } from './plan.ts';

const SITE = 'https://patterns.example.org/base';
const REPOSITORY = 'https://git.example.org/demo';

const RECORDS: Partial<PatternRecord>[] = [
	{
		id: 'retry',
		tier: 'deep',
		docs: [{ path: 'docs/guide.md#usage', kind: 'anchor' }],
		code: [{ path: 'src', kind: 'dir' }],
		tests: [{ path: 'src/retry.test.ts' }],
		showcases: [{ path: '/showcases/retry/', kind: 'route' }],
		invariants: [{ rule: 'Stops.', pinned_by: 'src/retry.test.ts#stops' }],
	},
	{ id: 'queue', category: 'data', depends_on: ['retry'], docs: [{ path: 'README.md' }] },
];
const AUTHORED = {
	'README.md': FIXTURE_README,
	'docs/guide.md': '# Guide\n\n## Usage\n\nCall it.\n',
	'src/retry.test.ts': "it('stops', () => {});\n",
};

function linksIn(markdown: string): string[] {
	const found: string[] = [];
	visit(parseMarkdown(markdown) as Nodes, (node) => {
		if (node.type === 'link') found.push(node.url);
	});
	return found;
}

/** Every link of the generated files, with the folder that a relative one starts from. */
function generatedLinks(artifacts: readonly Artifact[]): { in: string; from: string; url: string }[] {
	return artifacts.flatMap(({ path, text }) => {
		const all = (from: string, urls: string[]) => urls.map((url) => ({ in: path, from, url }));
		if (path.endsWith('.md')) return all(posix.dirname(path), linksIn(text));
		if (path.endsWith('.txt')) return all('', linksIn(text));
		if (!path.endsWith('.jsonl')) return [];
		const chunks = text
			.trimEnd()
			.split('\n')
			.map((line): CorpusChunk => JSON.parse(line));
		// The text of a cited document is its author's; only where it is found is generated.
		return chunks.flatMap(({ id, url, text }) =>
			all('', [url, ...(id.startsWith('docs/pattern-library/') ? linksIn(text) : [])]),
		);
	});
}

describe.each([
	['a site and a repository', { url: SITE, repository: REPOSITORY }],
	['a site alone', { url: SITE, repository: '' }],
	['a repository and no site', { url: '', repository: REPOSITORY }],
	['neither', { url: '', repository: '' }],
])('a library with %s', (_what, library) => {
	const registry = fixtureRegistry(RECORDS, library);
	const artifacts = planArtifacts({ registry, source: fixtureSource(registry), read: fixtureFiles(AUTHORED) });
	const texts = new Map([...Object.entries(AUTHORED), ...artifacts.map(({ path, text }) => [path, text] as const)]);
	const folders = new Set([...texts.keys()].map((path) => posix.dirname(path)));
	const links = generatedLinks(artifacts);

	/** The file of the repository that a page of the site is made of; the showcase is the site's own. */
	function servedFrom(route: string): string | undefined {
		if (route === '/showcases/retry/') return 'src/retry.test.ts';
		const page = /^\/(docs\/pattern-library\/)(?:([\w-]+)\/)?(?:index\.html\.md)?$/.exec(route);
		return page ? `${page[1]}${page[2] ?? 'index'}.md` : `public${route}`;
	}

	/** What stands at a link, as far as this library is published: a file's text, or a folder. */
	function target(from: string, url: string): string | undefined {
		const bare = decodeURI(url.replace(/#.*$/s, ''));
		if (bare.startsWith(SITE)) return texts.get(servedFrom(bare.slice(SITE.length)) ?? '');
		if (bare.startsWith(`${REPOSITORY}/blob/main/`)) return texts.get(bare.slice(`${REPOSITORY}/blob/main/`.length));
		if (bare.startsWith(`${REPOSITORY}/tree/main/`)) {
			return folders.has(bare.slice(`${REPOSITORY}/tree/main/`.length)) ? 'folder' : undefined;
		}
		if (bare === REPOSITORY) return 'the repository';
		const path = posix.join(from, bare);
		return texts.get(path) ?? (folders.has(path) ? 'folder' : undefined);
	}

	it('links to nothing that is not there', () => {
		expect(links.filter(({ from, url }) => target(from, url) === undefined)).toEqual([]);
		const lost = links.filter(({ from, url }) => {
			const [, fragment] = url.split('#');
			return fragment !== undefined && !anchorsOf(target(from, url) ?? '').includes(decodeURIComponent(fragment));
		});
		expect(lost).toEqual([]);
	});

	it('links to every card from each surface that lists them', () => {
		for (const path of ['README.md', 'public/llms.txt', 'docs/pattern-library/index.md']) {
			const reached = links.filter((link) => link.in === path).map(({ from, url }) => target(from, url));
			for (const id of ['retry', 'queue']) expect(reached).toContain(texts.get(`docs/pattern-library/${id}.md`));
		}
	});

	it('uses the addresses that it has, and no other', () => {
		const hosts = new Set(links.flatMap(({ url }) => /^https?:\/\/[^/]+/.exec(url) ?? []));
		const given = [library.url, library.repository].filter(Boolean).map((address) => new URL(address).origin);
		expect([...hosts].sort()).toEqual(given.sort());
		expect(links.filter(({ url }) => url.startsWith('/'))).toEqual([]);
	});
});
