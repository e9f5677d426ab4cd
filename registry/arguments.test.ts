import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputSchema, type Parameters, readArguments } from './arguments.ts';

const parameters = {
	query: { kind: 'text', required: true, description: 'q' },
	limit: { kind: 'integer', min: 1, max: 25, description: 'l' },
	ids: { kind: 'texts', description: 'i' },
	tier: { kind: 'choice', choices: ['deep', 'light'], description: 't' },
	all: { kind: 'flag', description: 'a' },
} as const satisfies Parameters;
const read = (given: unknown) => readArguments(parameters, given);
const values = (given: Record<string, unknown>) => {
	const result = read({ query: 'x', ...given });
	return result.ok ? result.values : result.problem;
};

describe('readArguments', () => {
	it.each([
		[{ limit: '5' }, { limit: 5 }],
		[{ limit: 5.0 }, { limit: 5 }],
		[{ limit: null }, {}],
		[{ ids: 'a' }, { ids: ['a'] }],
		[{ ids: '["a", "b"]' }, { ids: ['a', 'b'] }],
		[{ ids: '[not json' }, { ids: ['[not json'] }],
		[{ ids: ['a', ' a '] }, { ids: ['a'] }],
		[{ tier: 'Deep' }, { tier: 'deep' }],
		[{ all: 'true' }, { all: true }],
		[{ query: 429 }, { query: '429' }],
	])('coerces what is unambiguous: %j', (given, expected) => {
		expect(values(given)).toEqual({ query: 'x', ...expected });
	});

	it.each([
		[1000, 25],
		[0, 1],
		[-3, 1],
	])('bounds %d to %d and says so', (limit, used) => {
		expect(read({ query: 'x', limit })).toEqual({
			ok: true,
			values: { query: 'x', limit: used },
			notes: [`"limit" ${limit} is out of bounds; ${used} was used (1 to 25)`],
		});
	});

	it.each([
		[{ limit: 2.5 }, '"limit" must be a whole number from 1 to 25, got 2.5'],
		[{ limit: 'many' }, '"limit" must be a whole number from 1 to 25, got "many"'],
		[{ ids: [1] }, '"ids" must be a list of strings, got [1]'],
		[{ tier: 'medium' }, '"tier" must be one of deep, light, got "medium"'],
		[{ all: 1 }, '"all" must be true or false, got 1'],
		[{ query: {} }, '"query" must be a string, got {}'],
		[{ query: '  ' }, '"query" must not be empty, got "  "'],
	])('refuses %j with the field and what came', (given, problem) => {
		expect(values(given)).toBe(problem);
	});

	it('names a missing argument and the unknown one that was sent in its place', () => {
		expect(read({ q: 'x' })).toEqual({
			ok: false,
			problem: '"query" is missing; unknown argument "q"; known are query, limit, ids, tier, all',
		});
	});

	it.each([null, undefined])('reads %s as no arguments', (given) => {
		expect(read(given)).toMatchObject({ ok: false, problem: expect.stringContaining('"query" is missing') });
	});

	it.each([[[]], ['text'], [42]])('refuses arguments that are no object: %j', (given) => {
		expect(read(given)).toMatchObject({
			ok: false,
			problem: expect.stringContaining('Expected an object of arguments'),
		});
	});

	it('names the field of a value that is nested too deeply to show', () => {
		const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
		expect(values({ limit: deep })).toContain('"limit" must be a whole number from 1 to 25, got ');
	});

	it('never fails, whatever comes', () => {
		fc.assert(
			fc.property(
				fc.jsonValue(),
				fc.constantFrom('query', 'limit', 'ids', '__proto__', 'constructor'),
				(value, name) => {
					expect(typeof read(value).ok).toBe('boolean');
					expect(typeof read(JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`)).ok).toBe('boolean');
				},
			),
		);
	});
});

describe('inputSchema', () => {
	it('is flat: no unions, no nulls, items on every array, required only when there is something required', () => {
		expect(inputSchema({ ids: parameters.ids })).toEqual({
			type: 'object',
			properties: { ids: { type: 'array', items: { type: 'string' }, description: 'i' } },
		});
		expect(inputSchema(parameters).required).toEqual(['query']);
	});
});
