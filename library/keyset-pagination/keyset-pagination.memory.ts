import type { KeysetQuery, PageSource, Position, SortKey } from './keyset-pagination.ts';
import { queryIdentity } from './keyset-pagination.ts';

/**
 * The same list over an array, for scenarios and as a model in tests. Text sorts by code unit, as `collate "C"` does.
 * @param rows the rows that the filter lets through, in any order, read anew for each page
 */
export function memoryPages<Row extends object>(rows: () => readonly Row[], query: KeysetQuery): PageSource<Row> {
	return {
		identity: queryIdentity(query),
		read: async (from, count) => {
			const compare = (a: readonly string[], b: readonly string[]) => compareKeys(query.order, a, b, from);
			return rows()
				.map((row) => ({ row, keys: query.order.map(({ column }) => String(Reflect.get(row, column))) }))
				.filter(({ keys }) => !from || compare(keys, from.keys) > (from.inclusive ? -1 : 0))
				.sort((a, b) => compare(a.keys, b.keys))
				.slice(0, count);
		},
	};
}

function compareKeys(order: readonly SortKey[], a: readonly string[], b: readonly string[], from?: Position): number {
	for (const [i, { type, direction }] of order.entries()) {
		const [x = '', y = ''] = [a[i], b[i]];
		const sign = type === 'text' ? Number(x > y) - Number(x < y) : Math.sign(Number(x) - Number(y));
		if (sign !== 0) return (direction === 'asc') === (from?.backward ?? false) ? -sign : sign;
	}
	return 0;
}
