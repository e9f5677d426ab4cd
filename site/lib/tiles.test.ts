import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRegistry, visiblePatterns } from './catalog.ts';
import { tiles } from './tiles.ts';

const { patterns } = readRegistry({
	patterns: [
		{
			id: 'tested',
			maturity: 'proven',
			tests: [{ path: 'a.test.ts' }],
			showcases: [{ path: '/showcases/tested/', kind: 'route' }],
			invariants: [{ rule: 'x', pinned_by: 'a.test.ts#x' }, 'y'],
		},
		{ id: 'shown', maturity: 'proven', showcases: [{ path: '/showcases/', kind: 'route' }] },
		{ id: 'written', maturity: 'implemented', tests: [{ path: 'b.test.ts' }], invariants: ['z'] },
	],
});

describe('the tiles of the front page', () => {
	it('count what their words say: proven by tests are proven cards with tests, and live are scenarios', () => {
		expect(tiles(patterns, 1)).toEqual([
			{ value: '3', label: 'patterns' },
			{ value: '33 %', label: 'proven by their tests' },
			{ value: '1', label: 'of 3 rules pinned to a test' },
			{ value: '1', label: 'run live in the browser' },
		]);
	});

	it('say nothing of scenarios where there are none, and divide by no zero', () => {
		expect(tiles([], 0).map(({ value }) => value)).toEqual(['0', '0 %', '0']);
	});
});

describe('the description of this library', () => {
	const registry = readRegistry(JSON.parse(readFileSync('registry/registry.json', 'utf8')));
	const shown = visiblePatterns(registry);
	const { description } = registry.library;

	it('claims code, tests and rules for each pattern, and each has them', () => {
		expect(description).toContain('each with its code, its tests and the rules that must survive');
		const without = shown.filter((card) => [card.code, card.tests, card.invariants].some(({ length }) => length === 0));
		expect(without.map(({ id }) => id)).toEqual([]);
	});

	it('claims a scenario in the browser for most patterns, and more than half have one, but not all', () => {
		expect(description).toContain('most with a scenario that runs in the browser');
		const live = shown.filter(({ id }) => existsSync(`library/${id}/${id}.demo.ts`)).length;
		expect(live).toBeGreaterThan(shown.length / 2);
		expect(live).toBeLessThan(shown.length);
	});
});
