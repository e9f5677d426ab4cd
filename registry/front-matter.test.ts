import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankFrontMatter } from './front-matter.ts';

describe('blankFrontMatter', () => {
	it.each([
		['---\na: b\n---\n# T\n', '   \n    \n   \n# T\n'],
		['--- \r\n# c\r\n---\t\r\nx', '    \r\n   \r\n    \r\nx'],
		['---\ra\r---\rx', '   \r \r   \rx'],
		['---\n---', '   \n   '],
		['---\na\u2028b\n---\n', '   \n   \n   \n'],
		['\uFEFF---\na\n---\nx', '\uFEFF   \n \n   \nx'],
	])('blanks %j and keeps its lines', (markdown, blanked) => {
		expect(blankFrontMatter(markdown)).toBe(blanked);
	});

	it.each(['---\n\n- a\n- b\n', '---', '---\n--', 'x\n---\na\n---\n', '----\na\n----\n', ' ---\na\n---\n', ''])(
		'leaves %j, which has none, as it is',
		(markdown) => {
			expect(blankFrontMatter(markdown)).toBe(markdown);
		},
	);

	it('moves no character that it keeps, in any text', () => {
		const line = fc.constantFrom('---', '--- ', 'a: b', '# c', '', '\uFEFF', '- x');
		const end = fc.constantFrom('\n', '\r\n', '\r');
		fc.assert(
			fc.property(fc.array(fc.tuple(line, end)), (lines) => {
				const text = lines.flat().join('');
				const blanked = blankFrontMatter(text);
				expect(blanked.length).toBe(text.length);
				for (let at = 0; at < text.length; at++) if (blanked[at] !== text[at]) expect(blanked[at]).toBe(' ');
			}),
		);
	});

	it('gives up at once on a long file that never closes', () => {
		const text = `---\r\n${'a\r\n'.repeat(100_000)}`;
		expect(blankFrontMatter(text)).toBe(text);
	});
});
