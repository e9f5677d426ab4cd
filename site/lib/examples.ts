import { groups } from './source.ts';

/** Asks to try, in the words of the cards: the first of the first card that has any, of each group. */
export function exampleAsks(count: number): string[] {
	return groups
		.flatMap(({ categories }) => {
			const asks = categories.flatMap(({ patterns }) => patterns.flatMap((record) => record.asks.slice(0, 1)));
			return asks.slice(0, 1);
		})
		.slice(0, count);
}
