import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { checkDependencies } from './dependencies.ts';
import { findings } from './testing.ts';

describe('checkDependencies', () => {
	it('accepts a DAG, diamonds included', () => {
		const patterns = [
			record({ id: 'a', depends_on: ['b', 'c'] }),
			record({ id: 'b', depends_on: ['d'] }),
			record({ id: 'c', depends_on: ['d'] }),
			record({ id: 'd' }),
		];
		expect(findings(checkDependencies, { patterns })).toEqual([]);
	});

	it('prints a cycle along its edges, and points at the first of them', () => {
		const patterns = [
			record({ id: 'x', depends_on: ['a'] }),
			record({ id: 'c', depends_on: ['x2', 'a'] }),
			record({ id: 'a', depends_on: ['b'] }),
			record({ id: 'b', depends_on: ['c'] }),
			record({ id: 'x2' }),
		];
		expect(findings(checkDependencies, { patterns })).toEqual([
			'error patterns[1].depends_on[1]: A cycle of dependencies: c → a → b → c.',
		]);
	});

	it('finds every cycle, not just the first', () => {
		const patterns = [
			record({ id: 'a', depends_on: ['b'] }),
			record({ id: 'b', depends_on: ['a'] }),
			record({ id: 'c', depends_on: ['d'] }),
			record({ id: 'd', depends_on: ['c'] }),
		];
		expect(findings(checkDependencies, { patterns })).toEqual([
			'error patterns[0].depends_on[0]: A cycle of dependencies: a → b → a.',
			'error patterns[2].depends_on[0]: A cycle of dependencies: c → d → c.',
		]);
	});

	it('names a dependency on itself as such', () => {
		expect(findings(checkDependencies, { patterns: [record({ id: 'a', depends_on: ['a'] })] })).toEqual([
			'error patterns[0].depends_on[0]: The record depends on itself.',
		]);
	});

	it('refuses a dependency on a hidden record, unless the record is hidden too', () => {
		const patterns = [
			record({ id: 'a', depends_on: ['h'] }),
			record({ id: 'h', hidden: true }),
			record({ id: 'i', hidden: true, depends_on: ['h'] }),
		];
		expect(findings(checkDependencies, { patterns })).toEqual([
			'error patterns[0].depends_on[0]: Depends on "h", which is hidden: no reader can follow.',
		]);
	});
});
