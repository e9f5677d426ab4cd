import { describe, expect, it } from 'vitest';
import { unboundedPart } from './pattern-bounds.ts';
import { readRules } from './rule-form.ts';
import { SNIPPET_RULES } from './snippet.ts';

const MANY = 'neighbouring repetitions can share out one text in more than 100000 ways';

describe('the bounds of a pattern', () => {
	it('refuse of the built-in rules only some with many neighbours, which were timed', () => {
		const reasons = SNIPPET_RULES.flatMap(({ pattern, string = '' }) => [
			unboundedPart(pattern),
			unboundedPart(string),
		]);
		expect(new Set(reasons)).toEqual(new Set([undefined, MANY]));
		const readable = readRules({ rules: SNIPPET_RULES });
		expect(readable).toHaveProperty('rules');
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
		'a\\u{2014}b\\p{Lu}{0,9}[\\u{61}]{3}',
		// Each is over before the next begins, however many there are.
		'q?x'.repeat(30),
		'\\bimport\\s{1,20}\\w{1,40}\\s{1,20}from\\b',
		'\\w{0,2000}\\s{0,2000}-',
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
		['(?:\\u{61}?){30}b', '{30} repeats what holds a choice or a repetition itself'],
		[`${'q?'.repeat(40)}z`, MANY],
		['q?q'.repeat(30), MANY],
		['q?\\b'.repeat(30), MANY],
		// What is only looked at parts nothing.
		['q?(?!xy)'.repeat(30), MANY],
		['(?:a|a)'.repeat(30), MANY],
		['(?:a?b)'.repeat(30), MANY],
		['\\s{0,2000}\\s{0,2000}\\s{0,2000}x', MANY],
		['[^]{0,900}a[^]{0,900}b', MANY],
		['(a)\\1', 'a reference back, \\1'],
		['(?<q>a)\\k<q>', 'a reference back, \\k<'],
	])('do not hold for %s: %s', (pattern, reason) => {
		new RegExp(pattern, 'gmu');
		expect(unboundedPart(pattern)).toBe(reason);
	});
});
