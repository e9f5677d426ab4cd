import { toString as textOf } from 'mdast-util-to-string';
import { describe, expect, it } from 'vitest';
import { createLibrary } from '../registry/library.ts';
import type { PatternRecord, Registry } from '../registry/schema.ts';
import { createRenderContext } from './context.ts';
import { fixtureRegistry } from './fixture.ts';
import { llmsFull } from './llms-full.ts';
import { LLMS_TXT_LIMIT, llmsTxt } from './llms-txt.ts';
import { parseMarkdown } from './markdown.ts';

function make(records: Partial<PatternRecord>[], library: Partial<Registry['library']> = {}): string {
	return llmsTxt(createRenderContext(createLibrary(fixtureRegistry(records, library)))).text;
}

const many = (count: number, summary: string) =>
	Array.from({ length: count }, (_, n) => ({ id: `pattern-${n}`, summary }));

/** What the format asks of any llms.txt. */
function expectFormat(text: string) {
	expect(text.length).toBeLessThan(LLMS_TXT_LIMIT);
	const { children } = parseMarkdown(text);
	expect(children[0]).toMatchObject({ type: 'heading', depth: 1 });
	expect(children[1]).toMatchObject({ type: 'blockquote' });
	const headings = children.filter((node) => node.type === 'heading').map(({ depth }) => depth);
	expect(headings.filter((depth) => depth === 1)).toEqual([1]);
	expect(new Set(headings.slice(1))).toEqual(new Set([2]));
	const first = children.findIndex((node) => node.type === 'heading' && node.depth === 2);
	for (const [index, node] of children.slice(first).entries()) {
		expect(node.type).toBe(index % 2 === 0 ? 'heading' : 'list');
		if (node.type !== 'list') continue;
		for (const item of node.children) {
			const line = text.slice(item.position?.start.offset, item.position?.end.offset);
			expect(line).toMatch(/^- \[.+?\]\(\S+\)(?:: .+)?$/);
		}
	}
	const last = children.filter((node) => node.type === 'heading').at(-1);
	expect(textOf(last)).toBe('Optional');
}

describe('llms.txt', () => {
	it('is a title, a quote, guidance, and lists of links to Markdown', () => {
		const text = make([{ id: 'a' }, { id: 'b', category: 'data', maturity: 'planned' }]);
		expectFormat(text);
		expect(text).toBe(`# Demo patterns

> Patterns for tests.

Generated from \`registry/registry.json\` by \`npm run patterns:build\`; edits here are lost.

Each link leads to a card in Markdown: when to use the pattern and when not, what to read, and the invariants to keep when porting it.

## Index

- [All patterns](https://example.org/base/docs/pattern-library/index.html.md): by group and category

## Resilience: Calls

- [Title of a](https://example.org/base/docs/pattern-library/a/index.html.md): Summary of a.

## Storage: Data

- [Title of b](https://example.org/base/docs/pattern-library/b/index.html.md): Planned. Summary of b.

## Optional

- [All cards in one file](https://example.org/base/llms-full.txt): every card in full
- [Corpus](https://example.org/base/corpus.jsonl): the cards and the docs that they cite in chunks, one JSON object a line
- [Frozen registry](https://example.org/base/registry.json): the records as JSON
- [Repository](https://git.example.org/demo): code, tests and docs
`);
	});

	it.each(['a|b', 'T<x>', 'one\ntwo', '- x', '# y', 'a](b)', '', '```'])(
		'keeps its format when a card says %j',
		(hostile) => {
			expectFormat(make([{ id: 'a', title: hostile, summary: hostile }], { title: hostile, description: hostile }));
		},
	);

	it('keeps whole summaries while there is room', () => {
		const text = make(many(150, `First, e.g. this one. ${'Second words. '.repeat(10)}End.`));
		expectFormat(text);
		expect(text).toContain('End.');
		expect(text).not.toContain('To keep this file short');
	});

	it.each([
		[300, /: First, e\.g\. this one\.$/m, 'first sentence'],
		[250, /: .{60,80}…$/m, 'notes are cut'],
		[450, /index\.html\.md\)$/m, 'without notes'],
		[
			3_000,
			/^- \[Calls\]\(https:\/\/example\.org\/base\/docs\/pattern-library\/index\.html\.md#calls\)$/m,
			'categories',
		],
	])('says less of each of %i patterns, and says so', (count, line, said) => {
		const sentence = count === 300 ? 'First, e.g. this one.' : `First ${'word '.repeat(30)}end.`;
		const text = make(many(count, `${sentence} ${'Second words. '.repeat(10)}`.trim()));
		expectFormat(text);
		expect(text).toMatch(line);
		expect(text).toContain(said);
	});

	it('names the index page alone when even the categories are too many', () => {
		const registry = fixtureRegistry([]);
		for (let n = 0; n < 1_000; n++) {
			registry.categories.push({ id: `c-${n}`, title: `Category ${n}`, group: 'storage' });
			registry.patterns.push(...fixtureRegistry([{ id: `p-${n}`, category: `c-${n}` }]).patterns);
		}
		const text = llmsTxt(createRenderContext(createLibrary(registry))).text;
		expectFormat(text);
		expect(text).toContain('The index page lists all patterns.');
	});
});

describe('llms-full.txt', () => {
	it('holds every card in full under one H1, with absolute links', () => {
		const records = [
			{ id: 'a', avoid_when: ['No.'] },
			{ id: 'b', category: 'data', depends_on: ['a'] },
		];
		const { text } = llmsFull(createRenderContext(createLibrary(fixtureRegistry(records))));
		const headings = parseMarkdown(text).children.filter((node) => node.type === 'heading');
		expect(headings.map((node) => `${'#'.repeat(node.depth)} ${textOf(node)}`)).toEqual([
			'# Demo patterns',
			'## Resilience',
			'### Calls',
			'#### Title of a',
			'##### When to use it',
			'##### When not to use it',
			'##### Built on by',
			'## Storage',
			'### Data',
			'#### Title of b',
			'##### When to use it',
			'##### Builds on',
		]);
		expect(text).toContain('- [Title of a](https://example.org/base/docs/pattern-library/a/index.html.md)');
	});
});
