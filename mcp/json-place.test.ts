import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFaultPlace } from './json-place.ts';

function parses(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

describe('the place where a text stops being JSON', () => {
	it.each([
		['{"rules": [\n  }', 2, 3],
		['{"rules": [', 1, 12],
		['', 1, 1],
		['{"a": 1,}', 1, 9],
		['{"a" 1}', 1, 6],
		['[1 2]', 1, 4],
		['[1,\n 02]', 2, 2],
		['{"a": "x\n"}', 1, 7],
		['{a: 1}', 1, 2],
		['[] x', 1, 4],
		['["\\x"]', 1, 2],
		['[1}', 1, 3],
		[']', 1, 1],
	])('in %j is line %i, column %i', (text, line, column) => {
		expect(parses(text)).toBe(false);
		expect(jsonFaultPlace(text)).toEqual({ line, column });
	});

	it('is nowhere in JSON, and somewhere in everything else', () => {
		const json = fc.jsonValue().map((value) => JSON.stringify(value, null, 2));
		const damaged = fc
			.tuple(json, fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', '1', 'x', '\\', '{', '-', '.'))
			.map(([text, at, piece]) => text.slice(0, at % text.length) + piece + text.slice((at % text.length) + 1));
		fc.assert(
			fc.property(fc.oneof(json, damaged), (text) => {
				expect(jsonFaultPlace(text) === undefined).toBe(parses(text));
			}),
		);
	});
});
