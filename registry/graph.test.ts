import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record } from './fixtures.ts';
import { dependencyClosure, dependencyOrder, dependents, findCycle, requiresClosure } from './graph.ts';

const nodes = (edges: Record<string, string[]>) =>
	Object.entries(edges).map(([id, depends_on]) => ({ id, depends_on }));
const byId = (edges: Record<string, string[]>) => new Map(nodes(edges).map((node) => [node.id, node]));

describe('dependencyOrder', () => {
	it('puts each record after those it depends on, and otherwise keeps the given order', () => {
		const ordered = dependencyOrder(nodes({ a: ['c'], b: [], c: ['d'], d: [] }));
		expect(ordered.map(({ id }) => id)).toEqual(['b', 'd', 'c', 'a']);
	});

	it('loses nothing, cycles and unknown dependencies included', () => {
		const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
		fc.assert(
			fc.property(fc.dictionary(id, fc.array(id, { maxLength: 3 })), (edges) => {
				const given = nodes(edges);
				const ordered = dependencyOrder(given);
				expect(ordered.map(({ id }) => id).sort()).toEqual(given.map(({ id }) => id).sort());
				if (findCycle(given)) return;
				for (const [at, node] of ordered.entries()) {
					for (const dependency of node.depends_on) {
						const place = ordered.findIndex(({ id }) => id === dependency);
						expect(place).toBeLessThan(at);
					}
				}
			}),
		);
	});
});

describe('findCycle', () => {
	it('prints the cycle along its edges, from the record that stands first', () => {
		expect(findCycle(nodes({ x: ['b'], a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a', 'b', 'c', 'a']);
		expect(findCycle(nodes({ a: ['a'] }))).toEqual(['a', 'a']);
	});

	it('finds none in a diamond', () => {
		expect(findCycle(nodes({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toBeUndefined();
	});
});

describe('closures', () => {
	it('lists everything that a record builds on, nearest first, without itself', () => {
		expect(dependencyClosure('a', byId({ a: ['b', 'c'], b: ['d'], c: ['d'], d: ['a'] })).map(({ id }) => id)).toEqual([
			'b',
			'c',
			'd',
		]);
	});

	it('folds the requirements of dependencies in and says which dependency brings each', () => {
		const records = [
			record({ id: 'a', requires: ['postgres'], depends_on: ['b'] }),
			record({ id: 'b', requires: ['redis', 'postgres'], depends_on: ['c'] }),
			record({ id: 'c', requires: ['redis'] }),
		];
		expect(requiresClosure({ id: 'a', requires: ['postgres'] }, new Map(records.map((one) => [one.id, one])))).toEqual([
			{ id: 'postgres', via: [] },
			{ id: 'redis', via: ['b', 'c'] },
		]);
	});

	it('lists the records that build on one', () => {
		expect(dependents('d', nodes({ a: ['b'], b: ['d'], c: ['d'], d: [] }))).toEqual(['b', 'c']);
	});
});
