import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../postgres-testing.ts';
import { pgliteDatabase, postgresDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { inEachOf } from '../worlds-testing.ts';
import { demo, rules } from './keyset-pagination.demo.ts';
import { memoryPages } from './keyset-pagination.memory.ts';
import type { KeysetQuery, Page, PageSource, SortKey, Sql } from './keyset-pagination.ts';
import { assertTotalOrder, InvalidCursorError, paginate, postgresPages } from './keyset-pagination.ts';
import { signedCursors } from './signed-cursors.ts';

interface Item {
	id: string;
	score: number;
	title: string;
}

/** A table of items, in memory or in a database: every rule holds for both. */
interface World {
	name: string;
	/** How many random walks are worth their time here. */
	runs: number;
	insert(items: Item[]): Promise<void>;
	remove(ids: string[]): Promise<void>;
	clear(): Promise<void>;
	pages(query: KeysetQuery): PageSource<Item>;
}

const SECRET = 'a secret of thirty-two characters';
const cursors = signedCursors([SECRET]);
const { DATABASE_URL } = process.env;
const worlds: World[] = [memoryWorld()];
const databases: TestDatabase[] = [];

beforeAll(async () => {
	databases.push(await pgliteDatabase());
	if (DATABASE_URL) databases.push(await postgresDatabase(DATABASE_URL));
	for (const [i, database] of databases.entries()) {
		await database.script(`
			create table items (id text collate "C" primary key, score integer not null, title text collate "C" not null);
			create index on items (score, id);
			create table events (id integer primary key, at timestamptz not null, size bigint not null, note text, day date not null);
			create unique index on events (at, day);
		`);
		worlds.push(databaseWorld(i === 0 ? 'PGlite' : 'PostgreSQL', database));
	}
});

afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('keyset-pagination', () => {
	it('returns every row that stays put exactly once while rows are inserted and deleted', () =>
		inEach(async (world) => {
			const score = fc.integer({ min: 0, max: 3 });
			const plan = fc.record({
				scores: fc.array(score, { minLength: 1, maxLength: 12 }),
				query: anyOrder,
				pages: fc.array(
					fc.record({
						limit: fc.integer({ min: 1, max: 4 }),
						inserts: fc.array(score, { maxLength: 2 }),
						remove: fc.nat({ max: 11 }),
					}),
					{ minLength: 1, maxLength: 8 },
				),
			});
			await fc.assert(
				fc.asyncProperty(plan, async ({ scores, query, pages }) => {
					await world.clear();
					const items = scores.map((value, i) => item(i, value));
					await world.insert(items);
					const stayed = new Set(items.map(({ id }) => id));
					const seen: Item[] = [];
					let cursor: string | null = null;
					for (let i = 0; i === 0 || cursor !== null; i++) {
						const step = pages[i];
						const page: Page<Item> = await paginate(world.pages(query), cursors, { cursor, limit: step?.limit ?? 3 });
						seen.push(...page.rows);
						cursor = page.next;
						if (!step) continue;
						await world.insert(step.inserts.map((value, j) => item(100 + i * 10 + j, value)));
						const gone = `i${String(step.remove).padStart(3, '0')}`;
						await world.remove([gone]);
						stayed.delete(gone);
					}
					const ids = seen.map(({ id }) => id);
					expect(new Set(ids).size, 'a row was repeated').toBe(ids.length);
					expect([...stayed].filter((id) => !ids.includes(id))).toEqual([]);
					expect(ids).toEqual(sorted(seen, query.order).map(({ id }) => id));
				}),
				{ numRuns: world.runs, seed: 7 },
			);
		}));

	it('keeps its place when the row that the cursor stands on is deleted', () =>
		inEach(async (world) => {
			await fill(world, [1, 2, 3, 4, 5]);
			const first = await paginate(world.pages(byScore), cursors, { limit: 2 });
			await world.remove(['i001']);
			const second = await paginate(world.pages(byScore), cursors, { cursor: first.next, limit: 2 });
			expect(second.rows.map(({ id }) => id)).toEqual(['i002', 'i003']);
		}));

	it('walks rows that tie in the order of their unique key, page size one included', () =>
		inEach(async (world) => {
			await fill(world, [5, 5, 5, 5, 1]);
			expect(await walk(world.pages(byScore), 1)).toEqual(['i004', 'i000', 'i001', 'i002', 'i003']);
		}));

	it('refuses at start-up an order that is not total and says how to mend it', async () => {
		for (const { db } of databases) {
			const order = (...columns: string[]): KeysetQuery => ({
				name: 'events',
				table: 'events',
				columns: ['id'],
				order: columns.map((column) => ({ column, type: 'text', direction: 'asc' })),
			});
			await expect(assertTotalOrder(db, order('size'))).rejects.toThrow('no unique key, so ties have no order');
			await expect(assertTotalOrder(db, order('at'))).rejects.toThrow('End it with the primary key');
			await expect(assertTotalOrder(db, order('note', 'id'))).rejects.toThrow('sort column note may be null');
			await expect(assertTotalOrder(db, order('absent', 'id'))).rejects.toThrow('absent');
			await expect(assertTotalOrder(db, order('size', 'id'))).resolves.toBeUndefined();
			await expect(assertTotalOrder(db, order('day', 'at'))).resolves.toBeUndefined();
		}
	});

	it('tells apart rows that differ by one microsecond or by the last digit of a bigint', async () => {
		for (const database of databases) {
			await database.script(`insert into events values
				(1, '2026-01-01 00:00:00.000001+00', 9007199254740993, null, '2026-01-01'),
				(2, '2026-01-01 00:00:00.000002+00', 9007199254740992, null, '2026-01-01'),
				(3, '2026-01-01 00:00:00.000003+00', 9007199254740994, null, '2026-01-01')`);
			const by = (column: string, type: SortKey['type']) =>
				postgresPages<{ id: number }>(database.db, {
					name: 'events',
					table: 'events',
					columns: ['id'],
					order: [
						{ column, type, direction: 'asc' },
						{ column: 'id', type: 'integer', direction: 'asc' },
					],
				});
			expect(await walk(by('at', 'timestamptz'), 1)).toEqual([1, 2, 3]);
			expect(await walk(by('size', 'bigint'), 1)).toEqual([2, 1, 3]);
		}
	});

	it('refuses a cursor that was changed in any one character, cut, extended or put together from two', async () => {
		const source = await filled([1, 2, 3, 4]);
		const { next } = await paginate(source, cursors, { limit: 1 });
		const cursor = next ?? '';
		const other = (await paginate(source, cursors, { limit: 2 })).next ?? '';
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %é\u0000';
		const changed = [...cursor].flatMap((_, i) =>
			[...alphabet]
				.filter((char, j) => char !== cursor[i] && (i > cursor.length - 3 || j % 7 === i % 7))
				.map((char) => cursor.slice(0, i) + char + cursor.slice(i + 1)),
		);
		const [payload, signature] = cursor.split('.');
		const rest = [
			'',
			'.',
			'..',
			payload ?? '',
			`${payload}.`,
			`.${signature}`,
			cursor.slice(1),
			cursor.slice(0, -1),
			`${cursor}A`,
			`${cursor}=`,
			`${cursor}.`,
			`${cursor}.${signature}`,
			`${payload}.${other.split('.')[1]}`,
			'not a cursor',
		];
		for (const text of [...changed, ...rest])
			await expect(paginate(source, cursors, { cursor: text, limit: 1 }), text).rejects.toThrow(InvalidCursorError);
		expect(changed.length).toBeGreaterThan(500);
	});

	it('asks the database nothing for a cursor that it refuses', async () => {
		let asked = 0;
		const sql = { query: async () => ({ rows: [], asked: asked++ }) };
		await expect(paginate(postgresPages(sql, byScore), cursors, { cursor: 'x.y', limit: 1 })).rejects.toThrow(
			InvalidCursorError,
		);
		expect(asked).toBe(0);
	});

	it("refuses another list's cursor, another order's and another tenant's, and takes another page size", async () => {
		const where = (tenant: string) => ({ sql: 'id <> $1', params: [tenant] });
		const mine: KeysetQuery = { ...byScore, where: where('ann') };
		const source = await filled([1, 2, 3, 4], mine);
		const { next } = await paginate(source, cursors, { limit: 1 });
		const others: KeysetQuery[] = [
			{ ...mine, name: 'other' },
			{ ...mine, table: 'others' },
			{ ...mine, where: where('bob') },
			{ ...mine, where: { sql: 'id = $1', params: ['ann'] } },
			{ ...byScore },
			{ ...mine, order: byScore.order.map((key) => ({ ...key, direction: 'desc' })) },
			{ ...mine, order: byScore.order.slice(1) },
		];
		for (const query of others)
			await expect(paginate(await filled([1, 2], query), cursors, { cursor: next, limit: 1 })).rejects.toThrow(
				InvalidCursorError,
			);
		const wider = await paginate(source, cursors, { cursor: next, limit: 3 });
		expect(wider.rows.map(({ id }) => id)).toEqual(['i001', 'i002', 'i003']);
	});

	it('shows the same pages in both directions, for any order and with every mix of ascending and descending', () =>
		inEach(async (world) => {
			const input = fc.record({
				scores: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }),
				query: anyOrder,
				limit: fc.integer({ min: 1, max: 5 }),
			});
			await fc.assert(
				fc.asyncProperty(input, async ({ scores, query, limit }) => {
					await fill(world, scores);
					const source = world.pages(query);
					const forth: Page<Item>[] = [await paginate(source, cursors, { limit })];
					for (let last = forth[0]; last?.next; last = forth.at(-1))
						forth.push(await paginate(source, cursors, { cursor: last.next, limit }));
					const items = scores.map((value, i) => item(i, value));
					expect(forth.flatMap(({ rows }) => rows)).toEqual(sorted(items, query.order));
					expect(forth[0]?.previous).toBeNull();
					for (let i = forth.length - 1; i > 0; i--) {
						const back = await paginate(source, cursors, { cursor: forth[i]?.previous ?? '', limit });
						expect(back.rows).toEqual(forth[i - 1]?.rows);
						expect(back.previous === null).toBe(i === 1);
						const again = await paginate(source, cursors, { cursor: back.next, limit });
						expect(again.rows).toEqual(forth[i]?.rows);
					}
				}),
				{ numRuns: world.runs, seed: 3 },
			);
		}));

	it("skips nothing when it turns round on an empty page, the cursor's own row included", () =>
		inEach(async (world) => {
			const source = world.pages(byScore);
			const go = (cursor: string | null) => paginate(source, cursors, { cursor, limit: 2 });
			const ids = (page: Page<Item>) => page.rows.map(({ id }) => id);
			await fill(world, [1, 2, 3]);
			const first = await go(null);
			await world.remove(['i002']);
			const empty = await go(first.next);
			expect([ids(empty), empty.next]).toEqual([[], null]);
			const back = await go(empty.previous);
			expect(ids(back)).toEqual(['i000', 'i001']);

			// The same at the other end, and then once more on the spot.
			await world.insert([item(2, 3)]);
			const last = await go(first.next);
			expect(ids(last)).toEqual(['i002']);
			await world.remove(['i000', 'i001']);
			const none = await go(last.previous);
			expect([ids(none), none.previous]).toEqual([[], null]);
			expect(ids(await go(none.next))).toEqual(['i002']);
			await world.remove(['i002']);
			const gone = await go(none.next);
			expect([ids(gone), gone.next]).toEqual([[], null]);
			await world.insert([item(2, 3)]);
			// `gone` looked at the cursor's row and beyond, so the page before it ends short of that row.
			expect(ids(await go(gone.previous))).toEqual([]);
		}));

	it('opens cursors of the old secret while the new one signs, and none once the old is gone', async () => {
		const source = await filled([1, 2, 3]);
		const renewed = 'another secret of thirty-two or more';
		const both = signedCursors([renewed, SECRET]);
		const old = (await paginate(source, cursors, { limit: 1 })).next;
		const page = await paginate(source, both, { cursor: old, limit: 1 });
		expect(page.rows.map(({ id }) => id)).toEqual(['i001']);
		const only = signedCursors([renewed]);
		await expect(paginate(source, only, { cursor: page.next, limit: 1 })).resolves.toHaveProperty('rows');
		await expect(paginate(source, only, { cursor: old, limit: 1 })).rejects.toThrow(InvalidCursorError);
		expect(() => signedCursors([renewed, 'short'])).toThrow('32 characters or more');
	});

	it('sends every value as a parameter and refuses names that are not plain', async () => {
		for (const [i, { db }] of databases.entries()) {
			const world = worlds[i + 1] ?? expect.fail('a database without its world');
			const hostile = `x' or 'a' = 'a`;
			await world.clear();
			await world.insert([{ id: hostile, score: 1, title: '$1' }, item(1, 2), item(2, 3)]);
			const query = { ...byScore, where: { sql: 'score < $1 or score = $2', params: [3, 3] } };
			expect(await walk(world.pages(query), 1)).toEqual([hostile, 'i001', 'i002']);
			const statements: string[] = [];
			const listening: Sql = {
				query: (text, params) => {
					statements.push(text);
					return db.query(text, params);
				},
			};
			await walk(postgresPages<Item>(listening, query), 1);
			expect(statements.length).toBeGreaterThan(2);
			for (const text of statements) expect(text).not.toMatch(/'|limit [^$]/);
			for (const name of ['id; drop table items', 'id" --', 'Id', '', 'a.b']) {
				const order: SortKey[] = [{ column: name, type: 'text', direction: 'asc' }];
				expect(() => world.pages({ ...query, order })).toThrow(RangeError);
				expect(() => world.pages({ ...query, columns: [name] })).toThrow('is not a plain column or table name');
				expect(() => world.pages({ ...query, table: name })).toThrow(RangeError);
			}
		}
	});

	it('refuses a page size that is no whole number from one to the maximum', async () => {
		const source = await filled([1, 2]);
		for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 101, 1e9])
			await expect(paginate(source, cursors, { limit })).rejects.toThrow('expected a whole number from 1 to 100');
		for (const maxLimit of [2, Number.NaN])
			await expect(paginate(source, cursors, { limit: 3, maxLimit })).rejects.toThrow(RangeError);
		await expect(paginate(source, cursors, { limit: 100 })).resolves.toMatchObject({ next: null, previous: null });
	});

	it('reads a deep page from the index without touching the rows before it', async () => {
		for (const { db, script } of databases) {
			await script(`
				truncate items;
				insert into items select 'r' || n, n / 3, '' from generate_series(1, 3000) as n;
				analyze items`);
			for (const direction of ['asc', 'desc'] as const) {
				const query = { ...byScore, order: byScore.order.map((key, i) => (i === 0 ? { ...key, direction } : key)) };
				const plans: string[] = [];
				const explain = {
					query: async <Row>(text: string, params?: readonly unknown[]) => {
						// A sequential scan is cheap in a table this small; what counts is that the index can serve the condition.
						await script('set enable_seqscan = off');
						const plan = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, params);
						plans.push(...plan.rows.map((row) => row['QUERY PLAN']));
						return db.query<Row>(text, params);
					},
				};
				const position = { backward: false, inclusive: false, keys: ['990', 'r2971'] };
				const cursor = await cursors.seal(postgresPages(db, query).identity, position);
				await paginate(postgresPages(explain, query), cursors, { cursor, limit: 5 });
				expect(plans.join('\n')).toMatch(/Index Cond: .*score/);
			}
		}
	});

	it('runs the scenario: every check holds with the pattern, and rows are skipped or repeated without', async () => {
		await expectEveryRule(demo, rules, {
			writes: ['both', 'inserts', 'deletes'],
			posts: [20, 24, 27, 40],
			pageSize: [3, 4, 5, 8],
		});
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.stable, rules.tampered]));
	});
});

const byScore: KeysetQuery = {
	name: 'items by score',
	table: 'items',
	columns: ['id', 'score', 'title'],
	order: [
		{ column: 'score', type: 'integer', direction: 'asc' },
		{ column: 'id', type: 'text', direction: 'asc' },
	],
};

/** Orders by up to three keys, each up or down, that end in the primary key. */
const anyOrder = fc
	.tuple(
		fc.constantFrom<SortKey[]>(
			[],
			[{ column: 'score', type: 'integer', direction: 'asc' }],
			[
				{ column: 'title', type: 'text', direction: 'asc' },
				{ column: 'score', type: 'integer', direction: 'asc' },
			],
		),
		fc.array(fc.constantFrom<'asc' | 'desc'>('asc', 'desc'), { minLength: 3, maxLength: 3 }),
	)
	.map(([keys, directions]): KeysetQuery => {
		const order = [...keys, { column: 'id', type: 'text' } as const];
		return { ...byScore, order: order.map((key, i) => ({ ...key, direction: directions[i] ?? 'asc' })) };
	});

const item = (i: number, score: number): Item => ({
	id: `i${String(i).padStart(3, '0')}`,
	score,
	title: i % 2 ? 'Odd' : 'even',
});

/** The order as a plain sort gives it, independent of positions and cursors. */
function sorted(items: Item[], order: readonly SortKey[]): Item[] {
	return [...items].sort((a, b) => {
		for (const { column, direction } of order) {
			const [x, y] = [Reflect.get(a, column), Reflect.get(b, column)];
			if (x !== y) return (x < y ? -1 : 1) * (direction === 'asc' ? 1 : -1);
		}
		return 0;
	});
}

async function walk<Id>(source: PageSource<{ id: Id }>, limit: number): Promise<Id[]> {
	const ids: Id[] = [];
	for (let cursor: string | null | undefined; cursor !== null; ) {
		const page: Page<{ id: Id }> = await paginate(source, cursors, { cursor: cursor ?? null, limit });
		ids.push(...page.rows.map(({ id }) => id));
		cursor = page.next;
	}
	return ids;
}

async function fill(world: World, scores: number[]): Promise<void> {
	await world.clear();
	await world.insert(scores.map((score, i) => item(i, score)));
}

async function filled(scores: number[], query = byScore): Promise<PageSource<Item>> {
	const world = memoryWorld();
	await fill(world, scores);
	return world.pages(query);
}

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

function memoryWorld(): World {
	let items: Item[] = [];
	return {
		name: 'memory',
		runs: 150,
		insert: async (added) => void items.push(...added),
		remove: async (ids) => {
			items = items.filter(({ id }) => !ids.includes(id));
		},
		clear: async () => {
			items = [];
		},
		pages: (query) => memoryPages(() => items, query),
	};
}

function databaseWorld(name: string, { db }: TestDatabase): World {
	return {
		name,
		runs: 12,
		insert: async (added) => {
			if (added.length === 0) return;
			await db.query(
				'insert into items select * from jsonb_to_recordset($1::jsonb) as t (id text, score int, title text)',
				[JSON.stringify(added)],
			);
		},
		remove: async (ids) => void (await db.query('delete from items where id = any($1::text[])', [ids])),
		clear: async () => void (await db.query('delete from items')),
		pages: (query) => postgresPages(db, query),
	};
}
