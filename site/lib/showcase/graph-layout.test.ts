import { describe, expect, it } from 'vitest';
import { type GraphDrawing, type GraphNode, layoutGraph, MOST_DRAWN, MOST_RECORDS } from './graph-layout.ts';

const record = (id: string, ...depends_on: string[]) => ({ id, title: `Title of ${id}: more`, depends_on });
const records = [
	record('top', 'left', 'right'),
	record('left', 'base'),
	record('right', 'base'),
	record('base'),
	record('alone'),
	record('other'),
];

const draw = (given = records): GraphDrawing => layoutGraph(given, 800) ?? expect.fail('nothing was drawn');
const node = (drawing: GraphDrawing, id: string): GraphNode =>
	drawing.nodes.find((one) => one.id === id) ?? expect.fail(`${id} is not drawn`);

describe('layoutGraph', () => {
	it('draws every record once, those that are built on to the left', () => {
		const drawing = draw();
		expect(drawing.nodes.map(({ id }) => id).toSorted()).toEqual(records.map(({ id }) => id).toSorted());
		for (const { from, to } of drawing.edges) {
			const [a, b] = [node(drawing, from), node(drawing, to)];
			expect(a.x + a.width).toBeLessThan(b.x);
		}
		expect(drawing.edges).toHaveLength(4);
		expect(node(drawing, 'top').label).toBe('Title of top');
	});

	it('lets no box overlap another or leave the drawing', () => {
		const { nodes, width, height } = draw();
		nodes.forEach((a, i) => {
			expect([a.x >= 0, a.y >= 0, a.x + a.width <= width, a.y + a.height <= height]).toEqual([true, true, true, true]);
			for (const b of nodes.slice(i + 1)) {
				expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
					true,
				);
			}
		});
	});

	it('leads no line through a box: between layers it is free, and in a layer it passes between the boxes', () => {
		const long = [
			record('a'),
			record('b', 'a'),
			record('c', 'b'),
			record('d', 'a', 'c'),
			record('e', 'a'),
			record('f', 'c', 'e'),
		];
		const { nodes, edges } = draw(long);
		for (const { from, to, path } of edges) {
			for (const [, x1, y, x2] of path.matchAll(/([\d.]+) ([\d.]+)H([\d.]+)/g)) {
				const crossed = nodes.filter(
					(box) =>
						![from, to].includes(box.id) &&
						Number(y) > box.y &&
						Number(y) < box.y + box.height &&
						Number(x2) > box.x &&
						Number(x1) < box.x + box.width,
				);
				expect(crossed.map(({ id }) => `${from} → ${to} crosses ${id}`)).toEqual([]);
			}
		}
		expect(edges).toHaveLength(7);
	});

	it('visits what is built on before what builds on it, and the others last', () => {
		const order = draw().nodes.map(({ id }) => id);
		expect(order[0]).toBe('base');
		expect(order.indexOf('left')).toBeLessThan(order.indexOf('top'));
		expect(order.slice(-2)).toEqual(['alone', 'other']);
	});

	it('leads the arrow keys along the lines, and among those that stand alone along their row', () => {
		const drawing = draw();
		expect(['left', 'right']).toContain(node(drawing, 'base').keys.right);
		expect(node(drawing, 'left').keys).toMatchObject({ left: 'base', right: 'top' });
		expect(node(drawing, 'base').keys.left).toBeUndefined();
		expect(node(drawing, 'alone').keys.right).toBe('other');
		expect(node(drawing, 'other').keys.left).toBe('alone');
		const pair = [node(drawing, 'left'), node(drawing, 'right')].toSorted((a, b) => a.y - b.y);
		expect(pair[0]?.keys.down).toBe(pair[1]?.id);
	});

	it('reaches every record from any other by arrow keys', () => {
		const drawing = draw();
		for (const start of drawing.nodes) {
			const reached = new Set([start.id]);
			for (const id of reached) for (const next of Object.values(node(drawing, id).keys)) reached.add(next);
			expect(reached.size).toBe(records.length);
		}
	});

	it('is the same every time, and ignores dependencies on what is not there', () => {
		expect(draw()).toEqual(draw());
		expect(node(draw([record('a', 'nowhere'), record('b', 'a')]), 'a').needs).toEqual([]);
	});

	it('draws nothing where there is nothing, and gives up where nobody could read it', () => {
		expect(draw([])).toMatchObject({ nodes: [], edges: [] });
		const chain = Array.from({ length: MOST_DRAWN + 1 }, (_, i) => record(`n${i}`, `n${i - 1}`));
		expect(layoutGraph(chain, 800)).toBeUndefined();
		expect(
			layoutGraph(
				[...Array(MOST_RECORDS + 1).keys()].map((i) => record(`n${i}`)),
				800,
			),
		).toBeUndefined();
	});
});
