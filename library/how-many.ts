/**
 * A number with what it counts: `howMany(1, 'charge')` is "1 charge", `howMany(2, 'query is', 'queries are')` is "2 queries
 * are". For what a scenario says of a run; English only, as the cards are.
 */
export function howMany(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}
