import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresTestDatabase, TestDatabase } from '../postgres-testing.ts';
import { pgliteDatabase, postgresDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { inEachOf } from '../worlds-testing.ts';
import { type ConditionalRequest, parseTags, serve } from './conditional-request.ts';
import { demo, rules } from './optimistic-concurrency.demo.ts';
import { memoryDocuments } from './optimistic-concurrency.memory.ts';
import type { Sql, VersionedStore } from './optimistic-concurrency.ts';
import { ConflictError, DOCUMENTS_SCHEMA, modify, postgresDocuments } from './optimistic-concurrency.ts';

type Doc = { n: number; by?: string };

/** A store, in memory or in a database: every rule holds for both. */
interface World {
	name: string;
	store: VersionedStore<Doc>;
	/** The same store, but right before a statement that writes reaches it, `rival` runs. */
	raced(rival: () => Promise<unknown>): VersionedStore<Doc>;
}

const { DATABASE_URL } = process.env;
const databases: TestDatabase[] = [];
const worlds: World[] = [memoryWorld()];
let postgres: PostgresTestDatabase | undefined;
let ids = 0;
/** An id that no other test uses. */
const fresh = () => `doc ${++ids}`;

beforeAll(async () => {
	databases.push(await pgliteDatabase());
	if (DATABASE_URL) {
		postgres = await postgresDatabase(DATABASE_URL);
		databases.push(postgres);
	}
	for (const database of databases) {
		await database.script(DOCUMENTS_SCHEMA);
		worlds.push(databaseWorld(database === postgres ? 'PostgreSQL' : 'PGlite', database.db));
	}
});

afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('optimistic-concurrency', () => {
	it('refuses a write whose version is not the current one, even if it became so right before the write', () =>
		inEach(async ({ store, raced }) => {
			const id = fresh();
			const { current: first } = await store.write(id, null, { n: 1 });
			const version = first?.version ?? '';
			const rival = async () => store.write(id, version, { n: 2, by: 'rival' });
			expect(await raced(rival).write(id, version, { n: 9 })).toMatchObject({
				ok: false,
				current: { value: { n: 2 } },
			});
			expect((await store.read(id))?.value).toEqual({ n: 2, by: 'rival' });
			expect(await raced(rival).write(id, version, null)).toMatchObject({ ok: false });
			expect((await store.read(id))?.value).toEqual({ n: 2, by: 'rival' });
			const other = fresh();
			const creator = async () => store.write(other, null, { n: 3, by: 'rival' });
			expect(await raced(creator).write(other, null, { n: 9 })).toMatchObject({
				ok: false,
				current: { value: { n: 3 } },
			});
			for (const wrong of ['0', '', '-1', '1e0', ' 1', "x' or true --", '999999999999999999999999', `${version}0`])
				expect(await store.write(id, wrong, { n: 9 }), wrong).toMatchObject({ ok: false });
		}));

	it('loses no acknowledged change among writers that interleave in any way', () =>
		inEach(async ({ name, store }) => {
			const schedule = fc.array(fc.record({ writer: fc.nat({ max: 2 }), reads: fc.boolean() }), { maxLength: 30 });
			await fc.assert(
				fc.asyncProperty(schedule, async (steps) => {
					const id = fresh();
					await store.write(id, null, { n: 0 });
					const held = new Map<number, { version: string; value: Doc }>();
					let acknowledged = 0;
					for (const { writer, reads } of steps) {
						const mine = held.get(writer);
						if (reads || !mine) {
							const state = await store.read(id);
							if (state) held.set(writer, state);
						} else if ((await store.write(id, mine.version, { n: mine.value.n + 1 })).ok) acknowledged++;
					}
					expect((await store.read(id))?.value.n).toBe(acknowledged);
				}),
				{ numRuns: name === 'memory' ? 200 : 15, seed: 14 },
			);
		}));

	it('changes nothing in a conflict and returns the current state', async () => {
		await inEach(async ({ store }) => {
			const id = fresh();
			const { current: first } = await store.write(id, null, { n: 1 });
			const { current: second } = await store.write(id, first?.version ?? '', { n: 2 });
			expect(second?.version).not.toBe(first?.version);
			for (const value of [{ n: 9 }, null])
				expect(await store.write(id, first?.version ?? '', value)).toEqual({ ok: false, current: second });
			expect(await store.write(id, null, { n: 9 })).toEqual({ ok: false, current: second });
			expect(await store.read(id)).toEqual(second);
			expect(await store.write(id, null, null)).toEqual({ ok: false, current: second });

			expect(await store.write(id, second?.version ?? '', null)).toEqual({ ok: true, current: undefined });
			expect(await store.write(id, second?.version ?? '', { n: 9 })).toEqual({ ok: false, current: undefined });
			expect(await store.write(id, null, null)).toEqual({ ok: true, current: undefined });
			expect(await store.read(id)).toBeUndefined();
		});
		// A statement that waited for the write that beat it still sees what was there before. Here that write comes right
		// after the statement instead: the state that is returned must have been read later than that.
		for (const { db } of databases) {
			const store = postgresDocuments<Doc>(db);
			const overtaken = postgresDocuments<Doc>({
				query: async <Row>(text: string, params?: readonly unknown[]) => {
					const result = await db.query<Row>(text, params);
					if (/insert|update|delete/.test(text)) await modify(store, id, (doc) => ({ n: (doc?.n ?? 0) + 1 }));
					return result;
				},
			});
			const id = fresh();
			const { current: first } = await store.write(id, null, { n: 1 });
			await store.write(id, first?.version ?? '', { n: 2 });
			for (const [value, n] of [
				[{ n: 9 }, 3],
				[null, 4],
			] as const)
				expect(await overtaken.write(id, first?.version ?? '', value)).toMatchObject({
					ok: false,
					current: { value: { n } },
				});
			expect(await overtaken.write(id, null, { n: 9 })).toMatchObject({ ok: false, current: { value: { n: 5 } } });
		}
	});

	it('never gives out a version twice, across deletion and creation and across documents', () =>
		inEach(async ({ store }) => {
			const seen: string[] = [];
			const id = fresh();
			for (let round = 0; round < 3; round++) {
				const { current: made } = await store.write(id, null, { n: 0 });
				const { current: changed } = await store.write(id, made?.version ?? '', { n: 0 });
				seen.push(made?.version ?? '', changed?.version ?? '');
				expect(await store.write(id, changed?.version ?? '', null)).toMatchObject({ ok: true });
			}
			const { current: other } = await store.write(fresh(), null, { n: 0 });
			seen.push(other?.version ?? '');
			expect(new Set(seen).size).toBe(7);
			// A writer that still holds the first life's version can't touch the second one.
			await store.write(id, null, { n: 5 });
			for (const old of seen) expect(await store.write(id, old, { n: 9 })).toMatchObject({ ok: false });
		}));

	it('reads anew for each of a bounded number of tries and then gives up with the current state', () =>
		inEach(async ({ store, raced }) => {
			const id = fresh();
			await store.write(id, null, { n: 0 });
			const clock = new VirtualClock();
			let rivals = 0;
			const rival = (times: number) => async () => {
				if (rivals++ < times) await modify(store, id, (doc) => ({ n: (doc?.n ?? 0) + 10 }));
			};
			const found: unknown[] = [];
			const increment = (doc: Doc | undefined) => {
				found.push(doc?.n);
				return { n: (doc?.n ?? 0) + 1 };
			};
			const options = { attempts: 3, sleep: async () => undefined, random: () => 0.5 };
			const done = await modify(raced(rival(2)), id, increment, options);
			expect(found).toEqual([0, 10, 20]);
			expect(done?.value).toEqual({ n: 21 });

			[rivals, found.length] = [0, 0];
			const failure = await modify(raced(rival(9)), id, increment, options).catch((error: unknown) => error);
			expect(failure).toBeInstanceOf(ConflictError);
			expect(failure).toMatchObject({ message: expect.stringContaining('3 attempts'), current: { value: { n: 51 } } });
			expect(found).toEqual([21, 31, 41]);
			expect((await store.read(id))?.value).toEqual({ n: 51 });

			for (const attempts of [0, Number.NaN]) {
				[rivals, found.length] = [0, 0];
				await expect(modify(raced(rival(9)), id, increment, { ...options, attempts })).rejects.toThrow(ConflictError);
				expect(found).toHaveLength(1);
			}
			expect(clock.pending).toBe(0);
		}));

	it('waits longer between tries, at random below a doubling bound and a cap', async () => {
		const { store, raced } = memoryWorld();
		const waits: number[] = [];
		const rival = () => modify(store, 'a', (doc) => ({ n: (doc?.n ?? 0) + 1 }));
		const sleep = async (ms: number) => void waits.push(ms);
		const options = { attempts: 7, baseMs: 10, capMs: 100, sleep, random: () => 0.5 };
		await expect(modify(raced(rival), 'a', () => ({ n: 0 }), options)).rejects.toThrow(ConflictError);
		expect(waits).toEqual([5, 10, 20, 40, 50, 50]);
	});

	it('stops waiting at once when aborted and writes nothing after it', async () => {
		const { store, raced } = memoryWorld();
		const clock = new VirtualClock();
		const stop = new AbortController();
		let changes = 0;
		const bump = (doc: Doc | undefined) => ({ n: (doc?.n ?? 0) + 1 });
		const contended = raced(() => modify(store, 'a', bump));
		const change = (doc: Doc | undefined) => {
			changes++;
			return bump(doc);
		};
		const options = { baseMs: 1000, random: () => 0.9, sleep: clock.sleep, signal: stop.signal };
		const running = modify(contended, 'a', change, options);
		clock.after(100, () => stop.abort(new Error('the client left')));
		await expect(clock.run(running)).rejects.toThrow('the client left');
		expect([clock.now(), clock.pending, changes]).toEqual([100, 0, 1]);

		// Aborted while the change is being made: what it makes isn't written.
		const during = new AbortController();
		const leaving = () => {
			during.abort(new Error('late'));
			return { n: 1 };
		};
		const late = modify(store, 'b', leaving, { signal: during.signal });
		await expect(late).rejects.toThrow('late');
		expect(await store.read('b')).toBeUndefined();

		// The real timer, too, ends with its signal.
		const real = new AbortController();
		const slow = modify(contended, 'a', bump, {
			baseMs: 60_000,
			capMs: 60_000,
			random: () => 0.9,
			signal: real.signal,
		});
		setTimeout(() => real.abort(new Error('enough')), 10);
		await expect(slow).rejects.toThrow('enough');
	});

	it('leaves all as it is for a change of undefined, deletes for null, and passes on what a change throws', () =>
		inEach(async ({ store }) => {
			const id = fresh();
			expect(await modify(store, id, () => undefined)).toBeUndefined();
			const made = await modify(store, id, (doc) => ({ n: doc ? 9 : 1 }));
			expect(await modify(store, id, () => undefined)).toEqual(made);
			const thrower = () => {
				throw new Error('no');
			};
			await expect(modify(store, id, thrower)).rejects.toThrow('no');
			expect(await store.read(id)).toEqual(made);
			expect(await modify(store, id, () => null)).toBeUndefined();
			expect(await store.read(id)).toBeUndefined();
		}));

	it('never takes a weak tag for a match in If-Match', () =>
		inEach(async ({ store }) => {
			const id = fresh();
			const { etag: tag = '' } = await serve(store, put(id, { n: 1 }, { ifNoneMatch: '*' }));
			expect(tag).toMatch(/^"[^"]+"$/);
			for (const ifMatch of [`W/${tag}`, `"0", W/${tag}`, `W/${tag}, W/"0"`]) {
				expect(await serve(store, put(id, { n: 2 }, { ifMatch }))).toMatchObject({ status: 412 });
				expect(await serve(store, { method: 'DELETE', id, ifMatch })).toMatchObject({ status: 412 });
			}
			// Weak comparison is for reading: it saves a transfer.
			const get: ConditionalRequest<Doc> = { method: 'GET', id, ifMatch: null };
			expect(await serve(store, { ...get, ifMatch: tag })).toMatchObject({ status: 200 });
			for (const ifMatch of [`W/${tag}`, '"0"'])
				expect(await serve(store, { ...get, ifMatch })).toEqual({ status: 412, etag: tag, value: { n: 1 } });
			for (const ifNoneMatch of [tag, `W/${tag}`, `"0", ${tag}`, '*'])
				expect(await serve(store, { ...get, ifNoneMatch })).toEqual({ status: 304, etag: tag });
			expect(await serve(store, { ...get, ifNoneMatch: '"0"' })).toMatchObject({ status: 200, value: { n: 1 } });
		}));

	it('answers a mismatch with 412, the current state and its tag', () =>
		inEach(async ({ store, raced }) => {
			const id = fresh();
			const { etag: first = '' } = await serve(store, put(id, { n: 1 }, { ifNoneMatch: '*' }));
			const second = await serve(store, put(id, { n: 2 }, { ifMatch: `"0" ,${first}` }));
			expect(second).toMatchObject({ status: 200, value: { n: 2 } });
			const { etag: tag = '' } = second;
			const refused = { status: 412, etag: tag, value: { n: 2 } };
			for (const ifMatch of [first, '"0"', '""', `"${tag}"`, tag.slice(0, -1).concat('0"')])
				if (parseTags(ifMatch)) expect(await serve(store, put(id, { n: 9 }, { ifMatch })), ifMatch).toEqual(refused);
			expect(await serve(store, { method: 'DELETE', id, ifMatch: first })).toEqual(refused);
			// The tag was right when it was read, and wrong when it was written.
			const rival = () => modify(store, id, () => ({ n: 3, by: 'rival' }));
			const late = await serve(raced(rival), put(id, { n: 9 }, { ifMatch: tag }));
			expect(late).toMatchObject({ status: 412, value: { n: 3, by: 'rival' } });
			expect(late.etag).not.toBe(tag);
			expect(await store.read(id)).toMatchObject({ value: { n: 3 } });
			for (const ifMatch of ['*', tag]) {
				expect(await serve(store, put(fresh(), { n: 1 }, { ifMatch }))).toEqual({ status: 412 });
				expect(await serve(store, { method: 'DELETE', id: fresh(), ifMatch })).toEqual({ status: 412 });
			}
		}));

	it('answers a write without a precondition with 428 and does nothing', () =>
		inEach(async ({ store }) => {
			const id = fresh();
			expect(await serve(store, put(id, { n: 1 }))).toEqual({ status: 428 });
			expect(await store.read(id)).toBeUndefined();
			const made = await serve(store, put(id, { n: 1 }, { ifNoneMatch: '*' }));
			expect(await serve(store, put(id, { n: 2 }))).toEqual({ status: 428 });
			expect(await serve(store, put(id, { n: 2 }, { ifNoneMatch: '"0"' }))).toEqual({ status: 428 });
			expect(await serve(store, { method: 'DELETE', id, ifMatch: null })).toEqual({ status: 428 });
			expect(await serve(store, { method: 'GET', id, ifMatch: null })).toEqual({ ...made, status: 200 });
			for (const ifMatch of ['', 'abc', '"', '"a" "b"', '"a";', 'w/"a"', '*, "a"', '"a\u0007"'])
				expect(await serve(store, put(id, { n: 2 }, { ifMatch })), ifMatch).toEqual({ status: 400 });
			expect(await serve(store, { method: 'PUT', id, ifMatch: made.etag ?? '' })).toEqual({ status: 400 });
			const nothing = JSON.parse('null') as Doc;
			expect(await serve(store, put(id, nothing, { ifMatch: made.etag ?? '' }))).toEqual({ status: 400 });
			expect(await store.read(id)).toMatchObject({ value: { n: 1 } });
			expect(await serve(store, { method: 'DELETE', id, ifMatch: made.etag ?? '' })).toEqual({ status: 204 });
			expect(await serve(store, { method: 'GET', id, ifMatch: null })).toEqual({ status: 404 });
		}));

	it('lets one of two creations through and answers the other with 412, and takes * for any version', () =>
		inEach(async ({ store, raced }) => {
			const id = fresh();
			const rival = () => serve(store, put(id, { n: 1, by: 'rival' }, { ifNoneMatch: '*' }));
			const create = put(id, { n: 9 }, { ifNoneMatch: '*' });
			expect(await serve(raced(rival), create)).toMatchObject({ status: 412, value: { n: 1, by: 'rival' } });
			expect(await serve(store, create)).toMatchObject({ status: 412, value: { n: 1, by: 'rival' } });
			expect(await serve(store, { ...create, method: 'DELETE' })).toMatchObject({ status: 428 });
			expect(await serve(store, { ...create, ifMatch: '*' })).toMatchObject({ status: 412, value: { n: 1 } });
			expect(await serve(store, put(id, { n: 9 }, { ifMatch: '*' }))).toMatchObject({ status: 200, value: { n: 9 } });

			let rivals = 0;
			const busy = (times: number) =>
				raced(async () => {
					if (rivals++ < times) await modify(store, id, (doc) => ({ n: (doc?.n ?? 0) + 1 }));
				});
			expect(await serve(busy(2), put(id, { n: 50 }, { ifMatch: '*' }))).toMatchObject({
				status: 200,
				value: { n: 50 },
			});
			rivals = 0;
			expect(await serve(busy(99), put(id, { n: 70 }, { ifMatch: '*' }))).toMatchObject({
				status: 412,
				value: { n: 55 },
			});
		}));

	it('reads entity tags as RFC 9110 writes them, commas inside them included', () => {
		expect(parseTags(' "a,b" ,W/"c",\t"" ')).toEqual([
			{ weak: false, tag: 'a,b' },
			{ weak: true, tag: 'c' },
			{ weak: false, tag: '' },
		]);
		expect(parseTags(' * ')).toBe('*');
		expect(parseTags('"é\\"')).toEqual([{ weak: false, tag: 'é\\' }]);
		for (const text of ['', ',', 'a', '"a', 'a"', '"a"b', '"a b"', '**', 'W/*', `${'"a" '.repeat(5000)}x`])
			expect(parseTags(text), text.slice(0, 9)).toBeUndefined();
	});

	it('runs the scenario: every check holds with the pattern, and acknowledged changes are lost without', async () => {
		await expectEveryRule(demo, rules, { editors: [2, 3, 4], think: [50, 300, 600], attempts: [1, 4, 6] });
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.names, rules.unique]));
	});
});

describe.runIf(DATABASE_URL)('optimistic-concurrency on PostgreSQL', () => {
	it('returns the state of the write that it waited for, not the one from before', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const id = fresh();
		const { current } = await postgresDocuments<Doc>(db).write(id, null, { n: 1 });
		const version = current?.version ?? '';
		let second: ReturnType<VersionedStore<Doc>['write']> | undefined;
		await db.transaction(async (tx) => {
			expect(await postgresDocuments<Doc>(tx).write(id, version, { n: 2 })).toMatchObject({ ok: true });
			second = postgresDocuments<Doc>(db).write(id, version, { n: 9 });
			await postgres?.untilWaiting();
		});
		expect(await second).toMatchObject({ ok: false, current: { value: { n: 2 } } });
	});

	it('counts every one of forty increments that ten sessions make at once', async () => {
		if (!postgres) throw new Error('no database');
		const store = postgresDocuments<Doc>(postgres.db);
		const id = fresh();
		const increments = Array.from({ length: 40 }, () =>
			modify(store, id, (doc) => ({ n: (doc?.n ?? 0) + 1 }), { attempts: 100, baseMs: 1, capMs: 20 }),
		);
		await Promise.all(increments);
		expect((await store.read(id))?.value).toEqual({ n: 40 });
	});
});

const put = (id: string, value: Doc, conditions: Partial<ConditionalRequest<Doc>> = {}): ConditionalRequest<Doc> => ({
	method: 'PUT',
	id,
	ifMatch: null,
	value,
	...conditions,
});

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

function memoryWorld(): World {
	const store = memoryDocuments<Doc>();
	return {
		name: 'memory',
		store,
		raced: (rival) => ({
			read: store.read,
			write: async (id, expected, value) => {
				await rival();
				return store.write(id, expected, value);
			},
		}),
	};
}

function databaseWorld(name: string, db: Sql): World {
	return {
		name,
		store: postgresDocuments<Doc>(db),
		raced: (rival) =>
			postgresDocuments<Doc>({
				query: async <Row>(text: string, params?: readonly unknown[]) => {
					if (/insert|update|delete/.test(text)) await rival();
					return db.query<Row>(text, params);
				},
			}),
	};
}
