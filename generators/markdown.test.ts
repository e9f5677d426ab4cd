import fc from 'fast-check';
import type { RootContent } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';
import { describe, expect, it } from 'vitest';
import {
	bulletList,
	createBlockWriter,
	heading,
	inline,
	link,
	oneLine,
	paragraph,
	parseMarkdown,
	stringifyMarkdown,
	table,
	text,
	writeBlocks,
} from './markdown.ts';

/** Texts that mean something to Markdown, HTML, MDX or YAML. */
const HOSTILE = [
	'a | b',
	'`code` and `a|b`',
	'<T> </div> <script>alert(1)</script>',
	'a --> b <!-- c',
	'line\nline\r\n\r\nline',
	'*a* _b_ __c__ ~~d~~',
	'[x](y) ![x](y) [x]',
	'a &lt; b &amp; c',
	'<Tabs>',
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is data
	'{x} ${y}',
	'import x from "y"',
	'# heading',
	'- item',
	'1. item',
	'> quote',
	'https://example.org www.example.org a@example.org',
	'[ ] task',
	'a\\|b\\',
	'``',
	'<!-- v10r-patterns:end -->',
	'\u2028\u0085',
	'---',
];

function places(value: string): RootContent[] {
	return [
		heading(2, ...inline(value)),
		paragraph(...inline(value)),
		bulletList([[...link('https://example.org/a(b', ...inline(value)), text(': '), ...inline(value)]]),
		table([
			[[text('A')], [text('B')]],
			[inline(value), inline(value)],
		]),
	];
}

/** What a reader sees of a card's text: one line, backtick pairs gone. */
function seen(value: string): string {
	return inline(value)
		.map((node) => textOf(node))
		.join('');
}

function expectSafe(value: string) {
	const tree = parseMarkdown(stringifyMarkdown(places(value)));
	expect(tree.children.map(({ type }) => type)).toEqual(['heading', 'paragraph', 'list', 'table']);
	const [head, plain, list, cells] = tree.children;
	expect(textOf(head)).toBe(seen(value));
	expect(textOf(plain)).toBe(seen(value));
	expect(textOf(list)).toBe(`${seen(value)}: ${seen(value)}`);
	if (cells?.type !== 'table') throw new Error('no table');
	expect(cells.children.map(({ children }) => children.length)).toEqual([2, 2]);
	// In a table, GitHub takes the backslash of an escaped pipe away, also inside code.
	const inCell = (shown: string) => shown.replaceAll('\\|', '|');
	expect(cells.children[1]?.children.map((cell) => inCell(textOf(cell)))).toEqual([
		inCell(seen(value)),
		inCell(seen(value)),
	]);
	visit(tree, (node) => {
		expect(['html', 'image', 'emphasis', 'strong', 'delete']).not.toContain(node.type);
		// GitHub links addresses in plain text, which is fine.
		if (node.type === 'link' && !node.url.endsWith(textOf(node))) expect(node.url).toBe('https://example.org/a(b');
	});
}

describe('Markdown from a card', () => {
	it.each(HOSTILE)('shows %j as it was written, in a heading, a paragraph, a list, a link and a table', (value) => {
		expectSafe(`x ${value} y`);
		expectSafe(`${value} y`);
	});

	it('shows any text as it was written', () => {
		const bit = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', minLength: 1 }));
		const value = fc
			.array(bit, { minLength: 1, maxLength: 4 })
			.map((bits) => `x${bits.join(' ')}y`)
			.filter((made) => !made.includes('\0'));
		fc.assert(fc.property(value, expectSafe));
	});

	it('takes pairs of backticks for code and a single one for text', () => {
		expect(inline('use `a b` or ``c`d`` not `e')).toEqual([
			text('use '),
			{ type: 'inlineCode', value: 'a b' },
			text(' or '),
			{ type: 'inlineCode', value: 'c`d' },
			text(' not `e'),
		]);
	});

	it("puts a card's text on one line", () => {
		expect(inline('a\n\nb `c\nd`')).toEqual([text('a b '), { type: 'inlineCode', value: 'c d' }]);
	});

	it('puts text on one line but keeps no-break spaces', () => {
		expect(oneLine(' a\r\n\tb\u2028c\u00a0d ')).toBe('a b c\u00a0d');
	});

	it('does not pad table cells, so that a long title changes no other row', () => {
		expect(stringifyMarkdown([table([[[text('A')]], [[text('long enough')]]])])).toBe(
			'| A |\n| - |\n| long enough |\n',
		);
	});

	it('is the same written block by block as in one piece', () => {
		const write = createBlockWriter();
		for (const value of HOSTILE) {
			const blocks = places(`${value} y`);
			expect(writeBlocks(blocks, write)).toBe(stringifyMarkdown(blocks));
		}
	});
});
