import { expect, it } from 'vitest';
import { howMany } from './how-many.ts';

it.each([
	[0, '0 charges'],
	[1, '1 charge'],
	[2, '2 charges'],
	[1.5, '1.5 charges'],
])('howMany: %d agrees with its noun', (count, text) => {
	expect(howMany(count, 'charge')).toBe(text);
});

it('howMany: another plural is given, with the verb when there is one', () => {
	expect([1, 2].map((count) => howMany(count, 'query is late', 'queries are late'))).toEqual([
		'1 query is late',
		'2 queries are late',
	]);
});
