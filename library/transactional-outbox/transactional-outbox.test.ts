import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PostgresTestDatabase, TestDatabase } from '../postgres-testing.ts';
import { pgliteDatabase, postgresDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { inEachOf } from '../worlds-testing.ts';
import { relayOnce, runRelay } from './outbox-relay.ts';
import { demo, rules } from './transactional-outbox.demo.ts';
import { memoryOutbox } from './transactional-outbox.memory.ts';
import type { Database, OutboxEvent, OutboxStore, Sql, Verdict } from './transactional-outbox.ts';
import { append, discard, handleOnce, OUTBOX_SCHEMA, postgresOutbox, redrive } from './transactional-outbox.ts';

/** Orders and their outbox, in memory or in a database: every rule holds for both. */
interface World {
	name: string;
	/** Whether two relays can be under way at one time: PGlite has one connection, where the second waits. */
	concurrent: boolean;
	store: OutboxStore;
	/** Changes an order and appends the event in one transaction, which fails at the end if told to. Returns the event's id. */
	change(aggregate: string, type: string, fail?: boolean): Promise<string>;
	changes(): Promise<string[]>;
	pending(): Promise<{ name: string; attempts: number; parked: boolean }[]>;
	/** Lets the pauses of failed events pass. */
	due(): Promise<void>;
	reset(): Promise<void>;
}

const { DATABASE_URL } = process.env;
const databases: TestDatabase[] = [];
const worlds: World[] = [memoryWorld()];
let postgres: PostgresTestDatabase | undefined;

beforeAll(async () => {
	databases.push(await pgliteDatabase());
	if (DATABASE_URL) {
		postgres = await postgresDatabase(DATABASE_URL);
		databases.push(postgres);
	}
	for (const database of databases) {
		await database.script(`${OUTBOX_SCHEMA} create table changes (id serial primary key, name text not null)`);
		worlds.push(databaseWorld(database === postgres ? 'PostgreSQL' : 'PGlite', database.db));
	}
});

beforeEach(async () => {
	for (const world of worlds) await world.reset();
});

afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('transactional-outbox', () => {
	it('commits the event with its change and drops it with a change that is rolled back', () =>
		inEach(async (world) => {
			await world.change('a', '1');
			await expect(world.change('a', '2', true)).rejects.toThrow('rolled back');
			await world.change('a', '3');
			expect(await world.changes()).toEqual(['a 1', 'a 3']);
			expect((await world.pending()).map(({ name }) => name)).toEqual(['a 1', 'a 3']);
			const { publish, seen } = broker();
			while ((await relayOnce(world.store, publish)) > 0);
			expect(seen.map(named)).toEqual(['a 1', 'a 3']);
		}));

	it('refuses to append, or to handle, where each statement commits alone', async () => {
		for (const { db } of databases) {
			const event = { aggregate: 'a', type: '1', payload: null };
			// @ts-expect-error A database is no transaction.
			await expect(append(db, event)).rejects.toThrow('needs the transaction of the change');
			// @ts-expect-error A database is no transaction.
			await expect(handleOnce(db, 'mail', id(1), async () => undefined)).rejects.toThrow(TypeError);
			expect(await left(db)).toEqual([]);
			const unwritable = { aggregate: 'a', type: '1', payload: undefined };
			await expect(db.transaction((tx) => append(tx, unwritable))).rejects.toThrow();
		}
	});

	it('keeps an event until the broker has taken it, and carries its payload whole', () =>
		inEach(async (world) => {
			await world.change('a', '1');
			const { publish, seen } = broker((event) => event.attempts === 0);
			expect(await relayOnce(world.store, publish, { baseMs: 1000 })).toBe(1);
			expect(await world.pending()).toEqual([{ name: 'a 1', attempts: 1, parked: false }]);
			// It isn't due yet.
			expect(await relayOnce(world.store, publish)).toBe(0);
			await world.due();
			expect(await relayOnce(world.store, publish)).toBe(1);
			expect(await world.pending()).toEqual([]);
			expect(await relayOnce(world.store, publish)).toBe(0);
			expect(seen).toMatchObject([{ aggregate: 'a', type: '1', payload: { text: 'a\u0000 "é🎉"', n: [1, null] } }]);
		}));

	it("delivers an aggregate's events one after the other in the order of their changes, and holds them behind a failure", () =>
		inEach(async (world) => {
			for (const [aggregate, type] of ['a1', 'a2', 'b1', 'a3', 'b2']) await world.change(aggregate ?? '', type ?? '');
			const batches: string[][] = [];
			let failing = true;
			const { publish, seen } = broker((event) => failing && named(event) === 'a 2');
			const store = spied(world.store, (events) => batches.push(events.map(named)));
			for (let i = 0; i < 3; i++) await relayOnce(store, publish);
			expect(batches.filter((batch) => batch.length > 0)).toEqual([
				['a 1', 'b 1'],
				['a 2', 'b 2'],
			]);
			expect(seen.map(named)).toEqual(['a 1', 'b 1', 'b 2']);
			failing = false;
			await world.due();
			while ((await relayOnce(store, publish, { limit: 1 })) > 0);
			expect(seen.map(named)).toEqual(['a 1', 'b 1', 'b 2', 'a 2', 'a 3']);
		}));

	it("locks an aggregate from the append of its event to the commit, and no other's", async () => {
		for (const { db } of databases) {
			const locks = async (sql: Sql) =>
				(
					await sql.query(`select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted
					and pid = pg_backend_pid()`)
				).rows.length;
			await db.transaction(async (tx) => {
				expect(await locks(tx)).toBe(0);
				await append(tx, { aggregate: 'a', type: '1', payload: 1 });
				expect(await locks(tx)).toBe(1);
				await append(tx, { aggregate: 'a', type: '2', payload: 1 });
				expect(await locks(tx)).toBe(1);
				await append(tx, { aggregate: 'b', type: '1', payload: 1 });
				expect(await locks(tx)).toBe(2);
			});
			expect(await locks(db)).toBe(0);
			// The position is drawn under the lock: drawn before it, it could be lower than one that commits earlier.
			const order: string[] = [];
			await db.transaction((tx) =>
				append(
					{
						query: async <Row>(text: string, params?: readonly unknown[]) => {
							const held = await locks(tx);
							order.push(`${text.includes('insert into outbox') ? 'insert' : 'other'} with ${held} locks`);
							return tx.query<Row>(text, params);
						},
					},
					{ aggregate: 'a', type: '3', payload: 1 },
				),
			);
			expect(order).toEqual(['other with 0 locks', 'insert with 1 locks']);
		}
	});

	it('loses nothing when a relay dies in the middle of a batch: all of it is delivered again, under the same ids', () =>
		inEach(async (world) => {
			const ids = [await world.change('a', '1'), await world.change('b', '1'), await world.change('c', '1')];
			const { publish, seen } = broker((event) => event.aggregate === 'b' && seen.length < 2);
			const dying: OutboxStore = {
				take: (limit, deliver) =>
					world.store.take(limit, async (events) => {
						await deliver(events);
						throw new Error('killed');
					}),
			};
			await expect(relayOnce(dying, publish)).rejects.toThrow('killed');
			expect(seen.map(named)).toEqual(['a 1', 'c 1']);
			expect(await world.pending()).toEqual(
				['a 1', 'b 1', 'c 1'].map((name) => ({ name, attempts: 0, parked: false })),
			);
			expect(await relayOnce(world.store, publish)).toBe(3);
			expect(seen.slice(2).map((event) => event.id)).toEqual(ids);
			expect(await world.pending()).toEqual([]);
		}));

	it('loses nothing when the connection breaks while a batch is noted down', async () => {
		for (const { db } of databases) {
			const world = databaseWorld('', db);
			await world.change('a', '1');
			await world.change('b', '1');
			for (const statement of ['delete from outbox', 'update outbox']) {
				const breaking: Database = {
					...db,
					transaction: (work) =>
						db.transaction((tx) =>
							work({
								query: async <Row>(text: string, params?: readonly unknown[]) => {
									if (text.includes(statement)) throw new Error('connection lost');
									return tx.query<Row>(text, params);
								},
							}),
						),
				};
				const { publish } = broker((event) => event.aggregate === 'b');
				await expect(relayOnce(postgresOutbox(breaking), publish)).rejects.toThrow('connection lost');
				expect(await world.pending()).toHaveLength(2);
			}
		}
	});

	it('retries a poison event with growing pauses, parks it, and lets every other aggregate pass', () =>
		inEach(async (world) => {
			const poison = await world.change('a', '1');
			await world.change('a', '2');
			await world.change('b', '1');
			const { publish, seen } = broker((event) => named(event) === 'a 1');
			const pauses: number[] = [];
			const parks: boolean[] = [];
			const store = spied(world.store, undefined, (verdict) => {
				if (verdict.outcome !== 'failed') return;
				pauses.push(verdict.retryInMs);
				parks.push(verdict.park);
			});
			const options = { limit: 1, maxAttempts: 5, baseMs: 100, capMs: 500 };
			for (let round = 0; round < 8; round++) {
				await world.change('b', `${round + 2}`);
				while ((await relayOnce(store, publish, options)) > 0);
				await world.due();
			}
			expect(pauses).toEqual([100, 200, 400, 500, 500]);
			expect(parks).toEqual([false, false, false, false, true]);
			expect(seen.map(named)).toEqual(['b 1', 'b 2', 'b 3', 'b 4', 'b 5', 'b 6', 'b 7', 'b 8', 'b 9']);
			expect(await world.pending()).toEqual([
				{ name: 'a 1', attempts: 5, parked: true },
				{ name: 'a 2', attempts: 0, parked: false },
			]);
			expect(poison).toMatch(/^[0-9a-f-]{36}$/);
		}));

	it('redrives a parked event from its first attempt, or discards it, and then its aggregate goes on', async () => {
		for (const { db } of databases) {
			const world = databaseWorld('', db);
			const poison = await world.change('a', '1');
			await world.change('a', '2');
			let broken = true;
			const { publish, seen } = broker(() => broken);
			expect([await redrive(db, poison), await discard(db, poison)]).toEqual([false, false]);
			await relayOnce(world.store, publish, { maxAttempts: 1 });
			expect(await world.pending()).toMatchObject([{ name: 'a 1', parked: true, attempts: 1 }, { name: 'a 2' }]);
			expect(await redrive(db, poison)).toBe(true);
			expect(await world.pending()).toMatchObject([{ name: 'a 1', parked: false, attempts: 0 }, { name: 'a 2' }]);
			await relayOnce(world.store, publish, { maxAttempts: 1 });
			broken = false;
			await world.due();
			expect(await relayOnce(world.store, publish)).toBe(0);
			expect(await discard(db, poison)).toBe(true);
			expect(await relayOnce(world.store, publish)).toBe(1);
			expect(seen.map(named)).toEqual(['a 2']);
			await world.reset();
		}
	});

	it('reports a failure whatever is in its text', async () => {
		for (const { db } of databases) {
			const world = databaseWorld('', db);
			const texts = ['nul \u0000 inside', `half a pair \ud83c`, '🎉'.repeat(400), 'x'.repeat(100_000), `it's "x" \\`];
			for (const [i] of texts.entries()) await world.change(`a${i}`, '1');
			await relayOnce(world.store, (event) => Promise.reject(new Error(texts[Number(event.aggregate.slice(1))])));
			await world.due();
			await relayOnce(world.store, () => Promise.reject('no error at all'));
			expect((await world.pending()).map(({ attempts }) => attempts)).toEqual(texts.map(() => 2));
			const thrown = [
				Object.create(null),
				Object.assign(new Error(), { message: { code: 1 } }),
				Symbol('s'),
				undefined,
			];
			await world.due();
			await relayOnce(world.store, (event) => Promise.reject(thrown[Number(event.aggregate.slice(1))]));
			expect((await world.pending()).map(({ attempts }) => attempts)).toEqual(texts.map(() => 3));
			await world.reset();
		}
	});

	it('gives every delivery of an event one id, by which a consumer handles it once', async () => {
		for (const { db } of databases) {
			const world = databaseWorld('', db);
			const event = await world.change('a', '1');
			const seen: string[] = [];
			// The broker has it, but says that it failed.
			const doubtful = async ({ id: given }: OutboxEvent) => {
				seen.push(given);
				throw new Error('no acknowledgement');
			};
			for (let i = 0; i < 3; i++) {
				await relayOnce(world.store, doubtful);
				await world.due();
			}
			expect(seen).toEqual([event, event, event]);

			let handled = 0;
			const handle = (consumer: string, fail = false) =>
				db.transaction((tx) =>
					handleOnce(tx, consumer, event, async () => {
						handled++;
						if (fail) throw new Error('not now');
					}),
				);
			await expect(handle('mail', true)).rejects.toThrow('not now');
			expect([await handle('mail'), await handle('mail'), await handle('stock')]).toEqual([true, false, true]);
			expect(handled).toBe(3);
			await world.reset();
		}
	});

	it('never hands an event, or a later one of its aggregate, to a second relay while one holds it', async () => {
		await inEach(async (world) => {
			if (!world.concurrent) return;
			for (const [aggregate, type] of ['a1', 'a2', 'b1']) await world.change(aggregate ?? '', type ?? '');
			const gate = signal();
			const begun = signal();
			const { publish, seen } = broker();
			const slow = relayOnce(
				world.store,
				async (event) => {
					begun.resolve();
					await gate.promise;
					await publish(event);
				},
				{ limit: 1 },
			);
			await begun.promise;
			while ((await relayOnce(world.store, publish)) > 0);
			expect(seen.map(named)).toEqual(['b 1']);
			gate.resolve();
			await slow;
			while ((await relayOnce(world.store, publish)) > 0);
			expect(seen.map(named)).toEqual(['b 1', 'a 1', 'a 2']);
		});
		// One connection shows no rival, but it does show the lock, and that it is not waited for.
		for (const { db } of databases) {
			await databaseWorld('', db).change('z', '1');
			let inside: Sql | undefined;
			const asked: string[] = [];
			const spying: Database = {
				...db,
				transaction: (work) =>
					db.transaction((tx) => {
						inside = tx;
						return work({
							query: (text, params) => {
								asked.push(text);
								return tx.query(text, params);
							},
						});
					}),
			};
			let modes: unknown[] = [];
			await relayOnce(postgresOutbox(spying), async () => {
				const locks = await inside?.query(
					`select mode from pg_locks where relation = 'outbox'::regclass and mode = 'RowShareLock' and pid = pg_backend_pid()`,
				);
				modes = locks?.rows ?? [];
			});
			expect(modes).toHaveLength(1);
			expect(asked[0]).toMatch(/for update of event skip locked$/);
		}
	});

	it('gives up on a broker that stays silent, counts it as a failure, and delivers the rest of the batch', async () => {
		const clock = new VirtualClock();
		const world = memoryWorld(clock);
		await world.change('a', '1');
		await world.change('b', '1');
		const { publish, seen } = broker();
		let told: unknown;
		const silent = (event: OutboxEvent, attempt: AbortSignal) => {
			if (event.aggregate === 'b') return publish(event);
			attempt.addEventListener('abort', () => {
				told = attempt.reason;
			});
			return new Promise<void>(() => undefined);
		};
		await clock.run(relayOnce(world.store, silent, { timeoutMs: 700, after: clock.after, baseMs: 1 }));
		expect(clock.now()).toBe(700);
		expect(told).toMatchObject({ message: 'the broker took more than 700 ms' });
		expect(seen.map(named)).toEqual(['b 1']);
		expect(await world.pending()).toEqual([{ name: 'a 1', attempts: 1, parked: false }]);
		expect(clock.pending).toBe(0);
		const thrower = () => {
			throw new Error('at once');
		};
		await clock.advance(10);
		await relayOnce(world.store, thrower, { after: clock.after });
		expect([(await world.pending())[0]?.attempts, clock.pending]).toEqual([2, 0]);
	});

	it('ends when it is told to, and neither delivers nor counts what that interrupts', async () => {
		const clock = new VirtualClock();
		const world = memoryWorld(clock);
		const stop = new AbortController();
		await world.change('a', '1');
		await world.change('b', '1');
		const { publish, seen } = broker();
		const slow = async (event: OutboxEvent) => {
			await clock.sleep(event.aggregate === 'a' ? 50 : 500);
			if (!stop.signal.aborted) await publish(event);
		};
		const options = { after: clock.after, signal: stop.signal, idleMs: 1000 };
		const relay = runRelay(world.store, slow, options);
		clock.after(100, () => stop.abort(new Error('shutdown')));
		await clock.run(relay);
		expect(clock.now()).toBe(100);
		expect(seen.map(named)).toEqual(['a 1']);
		expect(await world.pending()).toEqual([{ name: 'b 1', attempts: 0, parked: false }]);
		// What is already stopped begins nothing; what idles stops at once.
		expect(await relayOnce(world.store, publish, options)).toBe(1);
		expect(await world.pending()).toHaveLength(1);
		expect(seen).toHaveLength(1);
		await clock.advance(500);
		const idle = new AbortController();
		await relayOnce(world.store, publish);
		const idling = runRelay(world.store, publish, { ...options, signal: idle.signal });
		clock.after(10, () => idle.abort());
		await clock.run(idling);
		expect([clock.now(), clock.pending]).toEqual([610, 0]);
	});

	it('puts one listener on its signal, however many events a batch has', async () => {
		const world = memoryWorld();
		for (let i = 0; i < 20; i++) await world.change(`a${i}`, '1');
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		const { publish, seen } = broker();
		expect(await relayOnce(world.store, publish, { signal })).toBe(20);
		expect([seen.length, added.mock.calls.length, removed.mock.calls.length]).toEqual([20, 1, 1]);
	});

	it('refuses options that make no sense before it takes anything', async () => {
		const world = memoryWorld();
		await world.change('a', '1');
		const { publish } = broker(() => true);
		for (const wrong of [
			{ limit: 0 },
			{ maxAttempts: 0 },
			{ baseMs: Number.NaN },
			{ capMs: -1 },
			{ timeoutMs: 2 ** 31 },
		])
			await expect(relayOnce(world.store, publish, wrong)).rejects.toThrow(`${Object.keys(wrong)[0]} is`);
		const { signal } = new AbortController();
		await expect(runRelay(world.store, publish, { signal, idleMs: Number.POSITIVE_INFINITY })).rejects.toThrow(
			'idleMs is',
		);
		expect(await world.pending()).toMatchObject([{ attempts: 0 }]);
	});

	it('goes on after an error of the database, which it reports, and delivers what comes later', async () => {
		const clock = new VirtualClock();
		const world = memoryWorld(clock);
		const stop = new AbortController();
		const errors: unknown[] = [];
		let calls = 0;
		const flaky: OutboxStore = {
			take: (limit, deliver) => {
				if (++calls <= 2) throw new Error(`down ${calls}`);
				return world.store.take(limit, deliver);
			},
		};
		const { publish, seen } = broker();
		const options = {
			after: clock.after,
			signal: stop.signal,
			idleMs: 100,
			onError: (error: unknown) => errors.push(error),
		};
		const relay = runRelay(flaky, publish, options);
		clock.after(450, () => void world.change('a', '1'));
		clock.after(1000, () => stop.abort());
		await clock.run(relay);
		expect(errors).toMatchObject([{ message: 'down 1' }, { message: 'down 2' }]);
		expect(seen.map(named)).toEqual(['a 1']);
		// Once per idle pause, and once more right after the batch.
		expect(calls).toBe(11);
		expect(clock.pending).toBe(0);
	});

	it('runs the scenario: every check holds with the pattern, and events are lost or made up without', async () => {
		const { crash, ...others } = rules;
		const values = { orders: [2, 3, 4], relays: [1, 2, 3], poison: [true, false] };
		await expectEveryRule(demo, { crash, ...others }, { ...values, dies: [true] });
		await expectEveryRule(demo, others, { ...values, dies: [false] });
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.atomic, rules.delivery]));
	});
});

describe.runIf(DATABASE_URL)('transactional-outbox on PostgreSQL', () => {
	it('makes a second change of an aggregate wait for the commit of the first, so that no later event is out before it', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const store = postgresOutbox(db);
		const { publish, seen } = broker();
		let second: Promise<string> | undefined;
		await db.transaction(async (tx) => {
			await append(tx, { aggregate: 'a', type: '1', payload: null });
			await db.transaction((other) => append(other, { aggregate: 'b', type: '1', payload: null }));
			second = db.transaction((other) => append(other, { aggregate: 'a', type: '2', payload: null }));
			await postgres?.untilWaiting();
			while ((await relayOnce(store, publish)) > 0);
			expect(seen.map(named)).toEqual(['b 1']);
		});
		await second;
		while ((await relayOnce(store, publish)) > 0);
		expect(seen.map(named)).toEqual(['b 1', 'a 1', 'a 2']);
	});

	it('frees what a killed relay had taken at once', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const doomed = await postgres.connect();
		const { rows } = await doomed.query<{ pid: number }>('select pg_backend_pid() as pid');
		for (const aggregate of ['a', 'b'])
			await db.transaction((tx) => append(tx, { aggregate, type: '1', payload: null }));
		const { publish, seen } = broker();
		const killed = relayOnce(postgresOutbox(doomed), async (event) => {
			await publish(event);
			await db.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
		});
		await expect(killed).rejects.toThrow();
		expect(await relayOnce(postgresOutbox(db), publish)).toBe(2);
		expect(new Set(seen.map(named))).toEqual(new Set(['a 1', 'b 1']));
		expect(await left(db)).toEqual([]);
	});

	it('delivers everything once and in order with four relays beside twelve writers', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const store = postgresOutbox(db);
		const stop = new AbortController();
		const { publish, seen } = broker();
		const relays = Array.from({ length: 4 }, () =>
			runRelay(store, publish, { limit: 3, idleMs: 2, signal: stop.signal }),
		);
		const writers = Array.from({ length: 12 }, async (_, i) => {
			for (let n = 0; n < 5; n++)
				await db.transaction((tx) => append(tx, { aggregate: `a${i % 3}`, type: 'change', payload: { writer: i, n } }));
		});
		await Promise.all(writers);
		for (let i = 0; i < 500 && (await left(db)).length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 5));
		stop.abort();
		await Promise.all(relays);
		expect(new Set(seen.map((event) => event.id)).size).toBe(60);
		expect(seen).toHaveLength(60);
		for (let i = 0; i < 12; i++) {
			const mine = seen
				.map(({ payload }) => payload as { writer: number; n: number })
				.filter(({ writer }) => writer === i);
			expect(mine.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
		}
	});

	it('handles an event once when two consumers of one name get it at the same time', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		let handled = 0;
		const handle = () => db.transaction((tx) => handleOnce(tx, 'mail', id(7), async () => void handled++));
		expect((await Promise.all([handle(), handle(), handle()])).sort()).toEqual([false, false, true]);
		expect(handled).toBe(1);
	});
});

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const named = (event: { aggregate: string; type: string }) => `${event.aggregate} ${event.type}`;

const left = async (sql: Sql) => (await sql.query('select 1 from outbox')).rows;

/** A broker that remembers what it took and refuses what it is told to. */
function broker(refuses: (event: OutboxEvent) => boolean = () => false) {
	const seen: OutboxEvent[] = [];
	const publish = async (event: OutboxEvent) => {
		if (refuses(event)) throw new Error('refused');
		seen.push(event);
	};
	return { publish, seen };
}

function spied(
	store: OutboxStore,
	onBatch: (events: OutboxEvent[]) => void = () => undefined,
	onVerdict: (verdict: Verdict) => void = () => undefined,
): OutboxStore {
	return {
		take: (limit, deliver) =>
			store.take(limit, async (events) => {
				onBatch(events);
				const verdicts = await deliver(events);
				verdicts.forEach(onVerdict);
				return verdicts;
			}),
	};
}

function signal(): { promise: Promise<void>; resolve: () => void } {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

const payload = { text: 'a\u0000 "é🎉"', n: [1, null] };

function memoryWorld(clock?: VirtualClock): World {
	let later = 0;
	const now = () => (clock?.now() ?? 0) + later;
	let outbox = memoryOutbox(now);
	let changes: string[] = [];
	return {
		name: 'memory',
		concurrent: true,
		store: { take: (limit, deliver) => outbox.take(limit, deliver) },
		change: (aggregate, type, fail = false) =>
			outbox.transaction(async (tx) => {
				tx.onCommit(() => changes.push(`${aggregate} ${type}`));
				const appended = await outbox.append(tx, { aggregate, type, payload });
				if (fail) throw new Error('rolled back');
				return appended;
			}),
		changes: async () => changes,
		pending: async () =>
			outbox.pending().map((row) => ({ name: named(row), attempts: row.attempts, parked: row.parked })),
		due: async () => {
			later += 3_600_000;
		},
		reset: async () => {
			outbox = memoryOutbox(now);
			changes = [];
		},
	};
}

function databaseWorld(name: string, db: Database): World {
	return {
		name,
		concurrent: name === 'PostgreSQL',
		store: postgresOutbox(db),
		change: (aggregate, type, fail = false) =>
			db.transaction(async (tx) => {
				await tx.query('insert into changes (name) values ($1)', [`${aggregate} ${type}`]);
				const appended = await append(tx, { aggregate, type, payload });
				if (fail) throw new Error('rolled back');
				return appended;
			}),
		changes: async () =>
			(await db.query<{ name: string }>('select name from changes order by id')).rows.map((row) => row.name),
		pending: async () =>
			(
				await db.query<{ name: string; attempts: number; parked: boolean }>(
					`select aggregate || ' ' || type as name, attempts, parked_at is not null as parked from outbox order by position`,
				)
			).rows,
		due: async () => void (await db.query(`update outbox set next_attempt_at = clock_timestamp() where attempts > 0`)),
		reset: async () => {
			await db.query('delete from outbox');
			await db.query('delete from inbox');
			await db.query('delete from changes');
		},
	};
}
