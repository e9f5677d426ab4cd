import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { paintAnswer } from './output.ts';
import { wantsColour } from './surroundings.ts';

describe('paintAnswer', () => {
	it('colours headings and grades, and changes no word', () => {
		const text = '# Title\n1. [strong] a: A\n2. [partial] b: [x] B\n- [weak] c\nWithheld: docs (2)\nplain';
		expect(stripVTControlCharacters(paintAnswer(text, true))).toBe(text);
		expect(paintAnswer(text, true)).toContain('\u001b[32m[strong]\u001b[39m');
		expect(paintAnswer(text, false)).toBe(text);
	});
});

describe('wantsColour', () => {
	it.each([
		[{ isTTY: true }, {}, true],
		[{ isTTY: false }, {}, false],
		[{}, {}, false],
		[{ isTTY: true }, { NO_COLOR: '1' }, false],
		[{ isTTY: true }, { NO_COLOR: '' }, true],
		[{ isTTY: true }, { TERM: 'dumb' }, false],
		[{ isTTY: false }, { FORCE_COLOR: '1' }, true],
		[{ isTTY: true }, { FORCE_COLOR: '0' }, false],
	])('on %j with %j is %s', (sink, env, wanted) => {
		expect(wantsColour({ write: () => true, ...sink }, env)).toBe(wanted);
	});
});
