import { describe, expect, it } from 'vitest';
import { boxHeight, drawNeighbours } from './graph-drawing.ts';

const named = (...ids: string[]) => ids.map((id) => ({ id, title: `Title of ${id}` }));
const [self = { id: '', title: '' }] = named('self');

describe.each(['wide', 'narrow'] as const)('the %s drawing of a pattern between its neighbours', (shape) => {
	const drawing = drawNeighbours(self, named('a', 'b', 'c'), named('x', 'y'), shape);

	it('has a box for each pattern, none over another, all inside', () => {
		expect(drawing.boxes.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'self', 'x', 'y']);
		for (const [at, one] of drawing.boxes.entries()) {
			expect(one.x).toBeGreaterThanOrEqual(0);
			expect(one.x + one.width).toBeLessThanOrEqual(drawing.width);
			expect(one.y).toBeGreaterThanOrEqual(0);
			expect(one.y + boxHeight).toBeLessThanOrEqual(drawing.height);
			for (const other of drawing.boxes.slice(at + 1)) {
				const apart = Math.abs(one.y - other.y) >= boxHeight || Math.abs(one.x - other.x) >= one.width;
				expect(apart, `${one.id} over ${other.id}`).toBe(true);
			}
		}
	});

	it('joins each neighbour to the pattern, once', () => {
		expect(drawing.paths).toHaveLength(5);
		expect(new Set(drawing.paths).size).toBe(5);
	});

	it('draws a pattern without neighbours as one box', () => {
		expect(drawNeighbours(self, [], [], shape)).toMatchObject({ boxes: [{ id: 'self' }], paths: [] });
	});

	it('breaks a long title into two lines and cuts the rest', () => {
		const title = 'Idempotency keys for requests that may be repeated by clients of every kind at any time';
		const [box] = drawNeighbours({ id: 'long', title }, [], [], shape).boxes;
		expect(box?.lines).toHaveLength(2);
		expect(box?.lines[1]).toMatch(/…$/);
	});
});

it('fits the narrow drawing into a screen of 320 px with its margins', () => {
	expect(drawNeighbours(self, named('a'), named('b'), 'narrow').width).toBeLessThanOrEqual(288);
});
