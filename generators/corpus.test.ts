import { describe, expect, it } from 'vitest';
import { createLibrary } from '../registry/library.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { approximateTokens } from '../registry/tokens.ts';
import { createRenderContext } from './context.ts';
import { type CorpusChunk, corpus } from './corpus.ts';
import { fixtureRegistry } from './fixture.ts';
import { sha256 } from './hash.ts';
import { patternMarkdown } from './pattern-page.ts';

const DOC = '---\ntitle: Never shown\n---\n# Retry guide\n\nIntro.\n\n## Usage\n\nCall it.\n\n## Usage\n\nAgain.\n';

const RECORDS: Partial<PatternRecord>[] = [
	{
		id: 'retry',
		tier: 'deep',
		docs: [
			{ path: 'library/retry/README.md' },
			{ path: './library/retry/README.md#usage', kind: 'anchor' },
			{ path: 'docs/guide.md' },
			{ path: 'docs', kind: 'dir' },
			{ path: '/page.md', kind: 'approute' },
			{ path: 'src/x.ts' },
			{ path: '../outside.md' },
			{ path: 'docs/pattern-library/retry.md' },
			{ path: 'docs/missing.md' },
		],
	},
	{ id: 'other', docs: [{ path: 'library/retry/README.md' }] },
];

function make(docs: Record<string, string>, records = RECORDS) {
	const context = createRenderContext(createLibrary(fixtureRegistry(records)));
	const asked: string[] = [];
	const [lines, manifest] = corpus(context, (path) => {
		asked.push(path);
		return docs[path];
	});
	if (!lines || !manifest) throw new Error('two artifacts expected');
	const chunks = lines.text
		.split('\n')
		.slice(0, -1)
		.map((line) => JSON.parse(line) as CorpusChunk);
	return { context, chunks, lines: lines.text, manifest: JSON.parse(manifest.text) as Record<string, unknown>, asked };
}

describe('corpus', () => {
	it('is one JSON object a line, each with all its members', () => {
		const { chunks } = make({ 'library/retry/README.md': DOC });
		const chunk = chunks.find(({ id }) => id === 'library/retry/README.md#usage~2');
		expect(chunk).toEqual({
			id: 'library/retry/README.md#usage~2',
			url: 'https://git.example.org/demo/blob/main/library/retry/README.md#usage-1',
			title: 'Retry guide',
			heading_path: ['Usage'],
			text: '## Usage\n\nAgain.',
			pattern: { id: 'retry', tier: 'deep', category: 'calls', maturity: 'implemented' },
			tokens: 4,
			hash: sha256('## Usage\n\nAgain.'),
			prev: 'library/retry/README.md#usage',
			next: null,
		});
	});

	it('holds every card, word for word as its Markdown twin has it', () => {
		const { chunks, context } = make({});
		for (const record of context.library.patterns) {
			const own = chunks.filter(({ id }) => id.startsWith(`docs/pattern-library/${record.id}.md`));
			expect(`${own.map(({ text }) => text).join('\n\n')}\n`).toBe(patternMarkdown(record, context));
			expect(own[0]?.url).toBe(`https://example.org/base/docs/pattern-library/${record.id}/`);
			expect(own[1]?.url).toBe(`https://example.org/base/docs/pattern-library/${record.id}/#when-to-use-it`);
		}
	});

	it('reads each Markdown file that a card cites once, inside the repository, and no generated page', () => {
		const { asked, chunks } = make({ 'library/retry/README.md': DOC });
		expect(asked).toEqual(['docs/guide.md', 'docs/missing.md', 'library/retry/README.md']);
		expect(chunks.filter(({ id }) => id.startsWith('docs/missing.md'))).toEqual([]);
	});

	it('takes the title of a document from its heading, else its front matter, else its name', () => {
		const titles = (doc: string) =>
			make({ 'docs/guide.md': doc })
				.chunks.filter(({ id }) => id.startsWith('docs/guide.md'))
				.map(({ title }) => title);
		expect(titles('---\ntitle: Matter\n---\n# Heading\n')).toEqual(['Heading']);
		expect(titles('---\ntitle: Matter\n---\ntext\n')).toEqual(['Matter']);
		expect(titles('text\n')).toEqual(['guide.md']);
	});

	it('chains the chunks of a document and has no id twice', () => {
		const { chunks } = make({ 'library/retry/README.md': DOC, 'docs/guide.md': DOC });
		const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
		expect(byId.size).toBe(chunks.length);
		for (const { id, prev, next } of chunks) {
			if (next !== null) expect(byId.get(next)?.prev).toBe(id);
			if (prev !== null) expect(byId.get(prev)?.next).toBe(id);
		}
		const first = chunks.filter(({ prev }) => prev === null).map(({ id }) => id);
		expect(first).toEqual([
			'docs/pattern-library/retry.md',
			'docs/pattern-library/other.md',
			'docs/guide.md',
			'library/retry/README.md',
		]);
	});

	it('leaves the lines of other documents as they are when one is edited', () => {
		const before = make({ 'library/retry/README.md': DOC, 'docs/guide.md': DOC }).lines.split('\n');
		const edited = DOC.replace('Intro.', 'Intro.\n\n## New\n\nNew.');
		const after = make({ 'library/retry/README.md': DOC, 'docs/guide.md': edited }).lines.split('\n');
		const others = before.filter((line) => !line.startsWith('{"id":"docs/guide.md'));
		expect(after).toEqual(expect.arrayContaining(others));
	});

	it('has no character in a line that some reader takes for a line end', () => {
		const { lines, chunks } = make({ 'docs/guide.md': 'a\u2028b\u2029c\u0085d\u000be\n' });
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
		expect(lines).not.toMatch(/[\u0085\u2028\u2029\u000b\u000c\r]/);
		expect(chunks.at(-1)?.text).toBe('a\u2028b\u2029c\u0085d\u000be');
	});

	it('has a manifest that says how many chunks there are, their digest, and what the tokens are', () => {
		const { chunks, lines, manifest } = make({ 'docs/guide.md': DOC });
		expect(manifest).toMatchObject({
			format: 1,
			generated: 'npm run patterns:build',
			path: 'corpus.jsonl',
			count: chunks.length,
			sha256: sha256(lines),
		});
		expect(manifest.tokenizer).toContain('estimate');
		expect(chunks.map(({ text, tokens }) => tokens - approximateTokens(text)).every((off) => off === 0)).toBe(true);
	});
});
