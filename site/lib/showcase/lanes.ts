import type { TimelineEvent } from '../../../library/scenario.ts';

/**
 * The lanes in the order in which the events name them first; lanes that differ in a number only (`slot 2`, `slot 10`)
 * stand together where the first of them stands, in the order of the numbers.
 */
export function laneOrder(events: readonly TimelineEvent[]): string[] {
	const families = new Map<string, string[]>();
	for (const lane of new Set(events.map((event) => event.lane))) {
		const family = lane.replace(/\d+/, '#');
		families.set(family, [...(families.get(family) ?? []), lane]);
	}
	return [...families.values()].flatMap((lanes) => lanes.toSorted((a, b) => numberIn(a) - numberIn(b)));
}

function numberIn(lane: string): number {
	return Number(/\d+/.exec(lane)?.[0] ?? 0);
}

/** A stretch of a row, in pixels. */
export interface Extent {
	left: number;
	right: number;
}

/** One way to draw a mark: the room that it takes, and what that buys. Better ways come first. */
export interface Way<T> extends Extent {
	as: T;
}

/**
 * Puts marks into rows so that nothing overlaps. Each mark is drawn in the best way for which a row has room; a row is
 * added for it while there are fewer than `mostRows`. Beyond that it is drawn in any way that fits, at worst in the last
 * way in a row of its own, so that no mark is ever dropped or covered.
 * @returns for each mark its row, counted from 0, and the way that was taken; and the number of rows
 */
export function packRows<T>(
	marks: readonly (readonly [Way<T>, ...Way<T>[]])[],
	mostRows: number,
): { placed: { row: number; way: Way<T> }[]; rows: number } {
	const rows: Extent[][] = [];
	const isFree = (row: readonly Extent[], { left, right }: Extent) =>
		row.every((taken) => right <= taken.left || left >= taken.right);
	const find = (way: Way<T>) => rows.findIndex((row) => isFree(row, way));
	const put = (row: number, way: Way<T>) => {
		rows[row] = [...(rows[row] ?? []), way];
		return { row, way };
	};
	const placed = marks.map((ways) => {
		const bare = ways.at(-1) ?? ways[0];
		for (const way of ways) {
			if (way === bare && ways.length > 1 && rows.length < mostRows) return put(rows.length, ways[0]);
			const row = find(way);
			if (row >= 0) return put(row, way);
		}
		return put(rows.length, bare);
	});
	return { placed, rows: Math.max(1, rows.length) };
}
