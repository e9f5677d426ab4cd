import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneOrder, packRows, type Way } from './lanes.ts';

const event = (lane: string) => ({ t: 0, lane, kind: 'ok' as const, label: 'x' });

describe('laneOrder', () => {
	it('is the order of the first events', () => {
		expect(laneOrder(['server', 'client', 'server'].map(event))).toEqual(['server', 'client']);
	});

	it('keeps numbered lanes together and in order', () => {
		expect(laneOrder(['slot 5', 'door', 'slot 10', 'slot 2'].map(event))).toEqual([
			'slot 2',
			'slot 5',
			'slot 10',
			'door',
		]);
	});
});

describe('packRows', () => {
	const way = (left: number, right: number, as: string): Way<string> => ({ left, right, as });

	it('uses one row while nothing overlaps', () => {
		expect(packRows([[way(0, 10, 'a')], [way(10, 20, 'b')]], 3).rows).toBe(1);
	});

	it('opens a row for the telling way rather than draw the bare one', () => {
		const { placed, rows } = packRows(
			[
				[way(0, 50, 'label'), way(0, 10, 'bare')],
				[way(20, 70, 'label'), way(20, 30, 'bare')],
			],
			2,
		);
		expect(placed.map(({ row, way }) => [row, way.as])).toEqual([
			[0, 'label'],
			[1, 'label'],
		]);
		expect(rows).toBe(2);
	});

	it('falls back to the bare way when the rows are used up, and to a further row when even that does not fit', () => {
		const { placed } = packRows(
			[
				[way(0, 50, 'label'), way(0, 10, 'bare')],
				[way(60, 100, 'label'), way(60, 65, 'bare')],
				[way(40, 70, 'label'), way(52, 58, 'bare')],
				[way(0, 50, 'label'), way(0, 10, 'bare')],
			],
			1,
		);
		expect(placed.map(({ row, way }) => [row, way.as])).toEqual([
			[0, 'label'],
			[0, 'label'],
			[0, 'bare'],
			[1, 'bare'],
		]);
	});

	it('never lets marks overlap and drops none', () => {
		const mark = fc
			.tuple(fc.nat(500), fc.nat(80), fc.nat(120))
			.map(([left, width, label]): [Way<string>, Way<string>] => [
				way(left, left + width + label, 'label'),
				way(left, left + width + 1, 'bare'),
			]);
		fc.assert(
			fc.property(fc.array(mark, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (marks, most) => {
				const { placed, rows } = packRows(marks, most);
				expect(placed).toHaveLength(marks.length);
				placed.forEach((a, i) => {
					expect(a.row).toBeLessThan(rows);
					for (const b of placed.slice(i + 1)) {
						if (a.row === b.row) expect(a.way.right <= b.way.left || a.way.left >= b.way.right).toBe(true);
					}
				});
			}),
			{ numRuns: 200 },
		);
	});
});
