import { describe, expect, it } from 'vitest';
import { unboundedPart } from './pattern-bounds.ts';
import { SNIPPET_RULES } from './snippet.ts';

describe('the bounds of a pattern', () => {
	it('hold for every built-in rule', () => {
		for (const { id, pattern, string = '' } of SNIPPET_RULES) {
			expect([id, unboundedPart(pattern), unboundedPart(string)]).toEqual([id, undefined, undefined]);
		}
	});

	it.each([
		'\\benum\\s{1,20}\\w{1,40}',
		'a?b{3}c{0,2000}',
		'(?:if|else)\\s{0,5}\\{',
		'(?:a{3}){0,9}',
		'(?<name>[*+]{0,9})x',
		'[(|)*+]\\+\\*\\{2,\\}',
		'(?<=\\bcase\\s{0,9})x(?!=y|z)',
		'(?:a{0,9}|b)?c',
	])('hold for %s', (pattern) => {
		new RegExp(pattern, 'gmu');
		expect(unboundedPart(pattern)).toBeUndefined();
	});

	it.each([
		['a*', '* repeats without a bound'],
		['a+?', '+? repeats without a bound'],
		['[a*]{2,}', '{2,} repeats without a bound'],
		['a{0,2001}', '{0,2001} repeats without a bound'],
		['(?:a{0,9}){0,9}', '{0,9} repeats what holds a choice or a repetition itself'],
		['(?:a?){0,30}', '{0,30} repeats what holds a choice or a repetition itself'],
		['(a|a){30}', '{30} repeats what holds a choice or a repetition itself'],
		['(?:(?:x(?:a|b)))c(?:(?:x(?:a|b))){2}', '{2} repeats what holds a choice or a repetition itself'],
		['(a)\\1', 'a reference back, \\1'],
		['(?<q>a)\\k<q>', 'a reference back, \\k<'],
	])('do not hold for %s: %s', (pattern, reason) => {
		new RegExp(pattern, 'gmu');
		expect(unboundedPart(pattern)).toBe(reason);
	});
});
