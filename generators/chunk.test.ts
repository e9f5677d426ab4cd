import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorsOf } from '../registry/anchors.ts';
import { type Chunk, chunkBlocks, chunkMarkdown } from './chunk.ts';
import { createBlockWriter, parseMarkdown, stringifyMarkdown } from './markdown.ts';

const keys = (chunks: readonly Chunk[]) => chunks.map(({ key }) => key);
const texts = (markdown: string, max?: number) => chunkMarkdown(markdown, max).chunks.map(({ text }) => text);
const DOC = '# Doc\n\nIntro.\n\n## Setup\n\nRun it.\n\n### Linux\n\nApt.\n\n## Usage\n\nUse it.\n';

describe('chunks by heading', () => {
	it('are sections with their headings, the title apart', () => {
		expect(chunkMarkdown(DOC)).toEqual({
			title: 'Doc',
			chunks: [
				{ key: '', fragment: '', headingPath: [], text: '# Doc\n\nIntro.' },
				{ key: 'setup', fragment: 'setup', headingPath: ['Setup'], text: '## Setup\n\nRun it.' },
				{ key: 'setup/linux', fragment: 'linux', headingPath: ['Setup', 'Linux'], text: '### Linux\n\nApt.' },
				{ key: 'usage', fragment: 'usage', headingPath: ['Usage'], text: '## Usage\n\nUse it.' },
			],
		});
	});

	it('keep their keys when the title, another section or its order changes', () => {
		const edited = DOC.replace('# Doc', '# Renamed').replace('Run it.', `Run it. ${'Long. '.repeat(800)}`);
		expect(keys(chunkMarkdown(edited).chunks)).toEqual(expect.arrayContaining(keys(chunkMarkdown(DOC).chunks)));
		const inserted = DOC.replace('## Setup', '## News\n\nNew.\n\n### Linux\n\nToo.\n\n## Setup');
		const before = chunkMarkdown(DOC).chunks.map(({ key, text }) => [key, text]);
		expect(chunkMarkdown(inserted).chunks.map(({ key, text }) => [key, text])).toEqual(expect.arrayContaining(before));
	});

	it('of two sections with the same heading are told apart, and so are their subsections', () => {
		const { chunks } = chunkMarkdown('## Example\n\na\n\n### Code\n\nb\n\n## Example\n\nc\n\n### Code\n\nd\n');
		expect(keys(chunks)).toEqual(['example', 'example/code', 'example~2', 'example~2/code']);
		expect(chunks.map(({ fragment }) => fragment)).toEqual(['example', 'code', 'example-1', 'code-1']);
	});

	it('have the fragments that GitHub gives their headings', () => {
		const source =
			'# T\n\n> ## C++ / C#\n\n## C++ / C#\n\na\n\n## ⚙️ Tools & RAG\n\nb\n\n## ⚙️ Tools & RAG\n\nc\n\n## 日本語\n\nd\n';
		const fragments = chunkMarkdown(source).chunks.map(({ fragment }) => fragment);
		// Validation resolves what cards cite with the same anchors.
		expect(anchorsOf(source)).toEqual(expect.arrayContaining(fragments.slice(1)));
		expect(fragments).toEqual(['', 'c--c-1', '\uFE0F-tools--rag', '\uFE0F-tools--rag-1', '日本語']);
	});

	it('take a heading without text of its own along to the first section below it', () => {
		const { chunks } = chunkMarkdown('## A\n\n### B\n\ntext\n\n## Empty\n\n## C\n\ntext\n');
		expect(chunks.map(({ key, text }) => [key, text])).toEqual([
			['a/b', '## A\n\n### B\n\ntext'],
			['empty', '## Empty'],
			['c', '## C\n\ntext'],
		]);
	});

	it('know headings by their underlines, and none inside fences, tildes, comments or front matter', () => {
		const source =
			'---\ntitle: x\n---\nTitle\n=====\n\n```md\n# No\n```\n\n~~~\n## No\n~~~\n\n<!--\n## No\n-->\n\nPart\n----\n\nx\n';
		const { title, chunks } = chunkMarkdown(source);
		expect(title).toBe('Title');
		expect(keys(chunks)).toEqual(['', 'part']);
		expect(chunks[0]?.text).toBe('Title\n=====\n\n```md\n# No\n```\n\n~~~\n## No\n~~~');
	});

	it('go to the end of the file with a fence that is never closed', () => {
		expect(texts('## A\n\na\n\n```\n## B\n\nb\n', 10)).toEqual(['## A\n\na', '```\n## B\n\nb']);
	});

	it('are the same for CRLF and for a byte order mark', () => {
		const doc = `${DOC}\n- two\n- lines\n`;
		expect(chunkMarkdown(`\uFEFF${doc.replaceAll('\n', '\r\n')}`)).toEqual(chunkMarkdown(doc));
	});

	it('keep the indentation of their first line', () => {
		expect(texts('  - a\n\n        code\n')).toEqual(['  - a\n\n        code']);
		expect(texts('    code\n      more\n')).toEqual(['    code\n      more']);
	});

	it('of nothing are none', () => {
		expect(chunkMarkdown('')).toEqual({ title: undefined, chunks: [] });
		expect(chunkMarkdown('---\na: b\n---\n\n<!-- c -->\n').chunks).toEqual([]);
	});
});

describe('a section that is too long', () => {
	it('is cut between its blocks, and its pieces are numbered', () => {
		const { chunks } = chunkMarkdown('## A\n\none one\n\ntwo two\n\nthree\n', 16);
		expect(chunks.map(({ key, text }) => [key, text])).toEqual([
			['a', '## A\n\none one'],
			['a.2', 'two two\n\nthree'],
		]);
		expect(new Set(chunks.map(({ fragment }) => fragment))).toEqual(new Set(['a']));
	});

	it('never cuts a fence of 3,000 characters, nor parts a heading from what follows', () => {
		const fence = `\`\`\`ts\n${'const a = 1;\n\n'.repeat(215)}\`\`\``;
		expect(fence.length).toBeGreaterThan(3_000);
		expect(texts(`## A\n\n${fence}\n\nafter\n`)).toEqual([`## A\n\n${fence}`, 'after']);
	});

	it('cuts a table between rows and repeats its header', () => {
		const rows = Array.from({ length: 5 }, (_, n) => `| ${n} | row ${n} |`);
		const pieces = texts(`## T\n\n| n | t |\n| - | -: |\n${rows.join('\n')}\n`, 55);
		expect(pieces.map((piece) => piece.replace('## T\n\n', '').split('\n').slice(0, 2))).toEqual(
			pieces.map(() => ['| n | t |', '| - | -: |']),
		);
		expect(pieces.flatMap((piece) => piece.split('\n').filter((line) => /^\| \d/.test(line)))).toEqual(rows);
		expect(pieces.length).toBeGreaterThan(1);
		for (const piece of pieces) expect(parseMarkdown(piece.replace('## T\n\n', '')).children[0]?.type).toBe('table');
	});

	it('cuts a list between items and keeps what an item holds', () => {
		expect(texts('- a a a a\n\n  ```\n  x\n  ```\n- b b b b\n- c c\n', 18)).toEqual([
			'- a a a a\n\n  ```\n  x\n  ```',
			'- b b b b\n- c c',
		]);
	});

	it('counts the heading in, so that no piece of a list or a paragraph is longer than the limit', () => {
		const items = Array.from({ length: 40 }, (_, n) => `- item ${n} of the list`).join('\n');
		const { chunks } = chunkMarkdown(
			`## A heading of some length\n\n${items}\n\n## Text\n\n${'A word. '.repeat(62)}`,
			500,
		);
		expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(500);
		expect(chunks[0]?.text).toMatch(/^## A heading of some length\n\n- item 0 /);
	});

	it('cuts a paragraph between sentences, never in code or in a link', () => {
		expect(texts('One two. `Three. Four`. [Five. Six](x). Seven.\n', 20)).toEqual([
			'One two. `Three. Four`. [Five. Six](x).',
			'Seven.',
		]);
	});

	it('cuts a paragraph of one sentence between words, and leaves what has no place for a cut', () => {
		expect(texts('one two three four five', 10)).toEqual(['one two', 'three four', 'five']);
		expect(texts('x'.repeat(50), 10)).toEqual(['x'.repeat(50)]);
		expect(texts('句子一。句子二。句子三。', 5)).toEqual(['句子一。', '句子二。', '句子三。']);
	});

	it('makes no piece that begins like a list or a heading', () => {
		for (const piece of texts('aaaa - bbbb # cccc 1) dddd + eeee > ffff', 6)) {
			expect(parseMarkdown(piece).children[0]?.type).toBe('paragraph');
		}
	});
});

describe('no text is lost or told twice', () => {
	const block = fc.constantFrom(
		'# One',
		'## Two',
		'### Three',
		'## Two',
		'A first sentence. A second one! And a third?',
		'- item one\n- item two\n  - inner\n- item three',
		'1. first\n2. second',
		'```\n# code\n\ncode\n```',
		'> ## quoted\n> text',
		'    indented',
		'<div>\nhtml\n</div>',
		'[ref]: https://example.org',
		'* * *',
	);
	const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

	it('in any document, at any length', () => {
		fc.assert(
			fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 1, max: 120 }), (blocks, max) => {
				const source = blocks.join('\n\n');
				const { chunks } = chunkMarkdown(source, max);
				expect(squeeze(chunks.map(({ text }) => text).join('\n\n'))).toBe(squeeze(source));
				expect(new Set(keys(chunks)).size).toBe(chunks.length);
			}),
		);
	});

	it('and a tree that is written block by block has the chunks of its text', () => {
		fc.assert(
			fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 20, max: 120 }), (blocks, max) => {
				const made = stringifyMarkdown(parseMarkdown(blocks.join('\n\n')).children);
				expect(chunkBlocks(parseMarkdown(made).children, createBlockWriter(), max)).toEqual(chunkMarkdown(made, max));
			}),
		);
	});
});
