// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are sources under test
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanSource } from './source-scan.ts';

const code = (source: string) => scanSource(source).code;

describe('source scan', () => {
	it.each([
		['a // b', 'a     '],
		['a /* b\nc */ d', 'a     \n     d'],
		["f('b')", "f(' ')"],
		['f("b \\" c")', 'f("      ")'],
		["'// no' // yes", "'     '       "],
		['`a ${b} c`', '`  ${b}  `'],
		['`a ${`b ${c}`} d` + e', '`  ${`  ${c}`}  ` + e'],
		['`${{ a: 1 }.a}`', '`${{ a: 1 }.a}`'],
		['x = /"/g; "y"', 'x = / /g; " "'],
		['x = /[/"]/; y', 'x = /    /; y'],
		['a / b / c', 'a / b / c'],
		['f(a) / "b"', 'f(a) / " "'],
		['return /"/', 'return / /'],
		["don't\nnext", "don' \nnext"],
		['`open\nb', '`    \n '],
		['/* open\nb', '       \n '],
	])('%j has the code %j', (source, expected) => {
		expect(code(source)).toBe(expected);
	});

	it('keeps length and line breaks, and ends, whatever the source', () => {
		const pieces = fc.constantFrom(
			'`',
			'${',
			'}',
			'{',
			'"',
			"'",
			'/',
			'//',
			'/*',
			'*/',
			'\\',
			'\n',
			'a',
			' ',
			'[',
			']',
			'🎉',
		);
		fc.assert(
			fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
				const source = parts.join('');
				const breaks = (text: string) => [...text.matchAll(/\n/g)].map((match) => match.index);
				const masked = code(source);
				expect(masked.length).toBe(source.length);
				expect(breaks(masked)).toEqual(breaks(source));
			}),
		);
	});

	it('lists comments and strings with their marks', () => {
		const source = "a /* b */ + 'c' // d";
		const { comments, strings } = scanSource(source);
		const texts = (spans: { start: number; end: number }[]) => spans.map(({ start, end }) => source.slice(start, end));
		expect(texts(comments)).toEqual(['/* b */', '// d']);
		expect(texts(strings)).toEqual(["'c'"]);
	});
});
