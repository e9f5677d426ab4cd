import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MARKERS, RegionError, replaceRegion } from './regions.ts';

const { begin, end } = MARKERS;
const INDEX = '### Index\n\n| A | B |\n| - | - |\n| 1 | 2 |\n';

function failure(text: string): RegionError {
	try {
		replaceRegion('README.md', text, INDEX);
	} catch (error) {
		if (error instanceof RegionError) return error;
		throw error;
	}
	throw new Error('no RegionError');
}

describe('generated region', () => {
	it('stands between the markers with a blank line on both sides, and nothing else changes', () => {
		expect(replaceRegion('README.md', `# T  \n\ta\n${begin}\nold\n\n\n${end}\nb`, INDEX)).toBe(
			`# T  \n\ta\n${begin}\n\n${INDEX}\n${end}\nb`,
		);
	});

	it('is found again and stays the same when it is generated three times', () => {
		const once = replaceRegion('README.md', `# T\n\n${begin}\n${end}\n`, INDEX);
		const twice = replaceRegion('README.md', once, INDEX);
		expect(twice).toBe(once);
		expect(replaceRegion('README.md', twice, INDEX)).toBe(once);
	});

	it('can be emptied', () => {
		expect(replaceRegion('README.md', `a\n\n${begin}\nold\n${end}\n`, '')).toBe(`a\n\n${begin}\n${end}\n`);
	});

	it('keeps CRLF in a CRLF file, and is not stale there', () => {
		const crlf = `# T\r\n\r\n${begin}\r\n${end}\r\n\r\nEnd\r\n`;
		const made = replaceRegion('README.md', crlf, INDEX);
		expect(made.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
		expect(replaceRegion('README.md', made, INDEX)).toBe(made);
	});

	it('takes the line ending from the lines around it, even when the old region has many of the other kind', () => {
		const mixed = `# T\r\n\r\n${begin}\n${'old\n'.repeat(50)}${end}\r\n`;
		expect(replaceRegion('README.md', mixed, 'x\n')).toBe(`# T\r\n\r\n${begin}\r\n\r\nx\r\n\r\n${end}\r\n`);
	});

	it('keeps a byte order mark and is placed right behind it', () => {
		const made = replaceRegion('README.md', `\uFEFF${begin}\n${end}\n`, 'x');
		expect(made).toBe(`\uFEFF${begin}\n\nx\n\n${end}\n`);
	});

	it('takes markers in a fence, a tilde fence, indented code, inline code and front matter for text', () => {
		const shown = [
			`---\nnote: ${begin}\n---`,
			`\`\`\`html\n${begin}\n${end}\n\`\`\``,
			`~~~\n${begin}\n~~~`,
			`Text:\n\n    ${begin}\n    ${end}`,
			`Write \`${begin}\` and \`${end}\`.`,
		].join('\n\n');
		const made = replaceRegion('README.md', `${shown}\n\n${begin}\n${end}\n`, 'x');
		expect(made).toBe(`${shown}\n\n${begin}\n\nx\n\n${end}\n`);
	});

	it('takes a marker inside a longer comment for text', () => {
		const made = replaceRegion('README.md', `<!-- see\n${begin}\n\n${begin}\n${end}\n`, 'x');
		expect(made).toBe(`<!-- see\n${begin}\n\n${begin}\n\nx\n\n${end}\n`);
	});

	it('is found inside a details element', () => {
		const made = replaceRegion('README.md', `<details>\n${begin}\n${end}\n</details>\n`, 'x');
		expect(made).toBe(`<details>\n${begin}\n\nx\n\n${end}\n</details>\n`);
		expect(replaceRegion('README.md', made, 'x')).toBe(made);
	});

	it('is the same after any number of runs, whatever stands around it', () => {
		const bit = fc.constantFrom(
			'# H',
			'text',
			'- item',
			'> quote',
			`\`\`\`\n${begin}\n\`\`\``,
			`~~~\n${end}\n~~~`,
			`text:\n\n    ${begin}`,
			'<div>',
			'</div>',
			'| a |\n| - |\n| b |',
			'* * *',
			'[x]: y',
		);
		fc.assert(
			fc.property(fc.array(bit), fc.array(bit), fc.constantFrom('\n', '\r\n'), (before, after, eol) => {
				const text = [...before, `${begin}\n\nold\n\n${end}`, ...after].join('\n\n').replaceAll('\n', eol);
				const made = replaceRegion('README.md', text, INDEX);
				expect(made).toContain(`${begin}${eol}${eol}### Index`);
				expect(replaceRegion('README.md', made, INDEX)).toBe(made);
			}),
		);
	});
});

describe('markers that are not one ordered pair', () => {
	it('none: the error gives the two lines to paste', () => {
		const error = failure('# T\n');
		expect(error.message).toBe(
			`README.md: has no pair of markers. Paste these two lines where the index belongs:\n${begin}\n${end}`,
		);
		expect(error.lines).toEqual([]);
	});

	it('only shown in code: the error says so', () => {
		expect(failure(`~~~\n${begin}\n${end}\n~~~\n`).message).toContain('Those that it shows stand in code');
	});

	it.each([
		['begin', `# T\n\n${begin}\n`, 'Add this line after it', end],
		['end', `# T\n\n${end}\n`, 'Add this line before it', begin],
	])('only %s: the error names its line and the one to add', (_side, text, hint, missing) => {
		const error = failure(text);
		expect(error.message).toBe(`README.md:3: a marker without its partner. ${hint}:\n${missing}`);
		expect(error.lines).toEqual([3]);
	});

	it('an end marker behind an unclosed fence counts as missing', () => {
		expect(failure(`${begin}\n\`\`\`\n${end}\n`).message).toContain('without its partner');
	});

	it('two pairs: the error names all their lines', () => {
		const error = failure(`${begin}\n${end}\n\n${begin}\n${end}\n`);
		expect(error.message).toBe(
			'README.md:1: expected one pair of markers, found begin on lines 1, 4 and end on lines 2, 5. Keep one pair.',
		);
		expect(error.lines).toEqual([1, 2, 4, 5]);
	});

	it('reversed: the error names both lines', () => {
		const error = failure(`a\r\n\r\n${end}\r\n${begin}\r\n`);
		expect(error.message).toBe('README.md:3: the end marker stands before the begin marker on line 4. Swap them.');
		expect(error.lines).toEqual([3, 4]);
	});

	it.each([
		['in a sentence', `a ${begin} b\n\n${end}\n`, 1],
		['in a list', `- a\n\n  ${begin}\n\n${end}\n`, 3],
		['in a quote', `${begin}\n\n> ${end}\n`, 3],
		['both on one line', `${begin} ${end}\n`, 1],
	])('%s: the error says that they must stand alone', (_where, text, line) => {
		const error = failure(text);
		expect(error.message).toBe(
			`README.md:${line}: a marker must stand alone on its line, outside lists, quotes and sentences.`,
		);
	});
});
