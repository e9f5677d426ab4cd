import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PostgresTestDatabase, TestDatabase } from '../postgres-testing.ts';
import { pgliteDatabase, postgresDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { inEachOf } from '../worlds-testing.ts';
import { demo, rules } from './idempotency-key.demo.ts';
import { memoryKeys } from './idempotency-key.memory.ts';
import type { Database, KeyedRequest, KeyId, Outcome, Sql, StoredResponse } from './idempotency-key.ts';
import {
	fingerprint,
	IDEMPOTENCY_SCHEMA,
	once,
	parseKey,
	postgresKeys,
	purgeExpired,
	respond,
} from './idempotency-key.ts';

type Request = KeyId & { fingerprint: string };
/** Work that charges in its transaction. */
type Work = (charge: (amount: number) => Promise<void>) => Promise<StoredResponse>;

/** A ledger and a key store over it, in memory or in a database: every rule holds for both. */
interface World {
	name: string;
	/** Whether two requests can be under way at one time: PGlite has one connection, where the second waits. */
	concurrent: boolean;
	once(request: Request, work: Work): Promise<Outcome>;
	respond(request: KeyedRequest, work: Work): Promise<StoredResponse>;
	charges(): Promise<number[]>;
	/** Lets a day pass. */
	age(): Promise<void>;
	reset(): Promise<void>;
}

const DAY = 86_400;
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
		await database.script(
			`${IDEMPOTENCY_SCHEMA} create table charges (id serial primary key, amount integer not null)`,
		);
		worlds.push(databaseWorld(database === postgres ? 'PostgreSQL' : 'PGlite', database.db));
	}
});

beforeEach(async () => {
	for (const world of worlds) await world.reset();
});

afterEach(() => vi.useRealTimers());

afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('idempotency-key', () => {
	it('gives the same key and request the same response, byte for byte, and does the work once', () =>
		inEach(async (world) => {
			const response = { status: 201, headers: { location: '/charges/1' }, body: 'a\u0000b "é🎉" \ud800\r\n' };
			const work = async (charge: (amount: number) => Promise<void>) => {
				await charge(30);
				return response;
			};
			expect(await world.once(asked('k1'), work)).toEqual({ kind: 'done', response });
			expect(await world.once(asked('k1'), work)).toEqual({ kind: 'replayed', response });
			expect(await world.once(asked('k1'), work)).toEqual({ kind: 'replayed', response });
			expect(await world.once(asked('k2'), work)).toEqual({ kind: 'done', response });
			expect(await world.charges()).toEqual([30, 30]);
		}));

	it('answers another request under a used key with 422 and does nothing', () =>
		inEach(async (world) => {
			const first = http({ body: '{"amount":30}' });
			expect(await world.respond(first, charging(30))).toMatchObject({ status: 201 });
			for (const other of [
				http({ body: '{"amount":31}' }),
				http({ path: '/refunds' }),
				http({ path: '/charges?dry=1' }),
				http({ method: 'PUT' }),
				http({ path: '/charges{', body: '"amount":30}' }),
			]) {
				const answer = await world.respond(other, charging(99));
				expect(answer).toMatchObject({ status: 422, headers: { 'content-type': 'application/problem+json' } });
				expect(JSON.parse(answer.body)).toMatchObject({ status: 422, title: 'Idempotency-Key reused' });
			}
			expect(await world.respond(http({ body: bytes('{"amount":30}'), method: 'post' }), charging(99))).toMatchObject({
				status: 201,
			});
			expect(await world.charges()).toEqual([30]);
		}));

	it('answers 409 at once while a request with the key is in flight, and works for neither', async () => {
		await inEach(async (world) => {
			if (!world.concurrent) return;
			const gate = signal();
			const begun = signal();
			const first = world.respond(http(), async (charge) => {
				await charge(30);
				begun.resolve();
				await gate.promise;
				return created;
			});
			await begun.promise;
			const second = await world.respond(http(), charging(99));
			expect(second).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
			const others = [http({ caller: 'bob' }), http({ key: 'k2' })].map((other) => world.respond(other, charging(5)));
			expect(await Promise.all(others)).toEqual([created, created]);
			gate.resolve();
			expect(await first).toEqual(created);
			expect(await world.respond(http(), charging(99))).toEqual(created);
			expect((await world.charges()).sort()).toEqual([30, 5, 5]);
		});
		// One connection can't hold a lock against itself: let the database say that another session has it.
		for (const { db } of databases) {
			const asks: string[] = [];
			const listening = intercept(db, (text, params) => {
				if (text.includes('pg_try_advisory_xact_lock')) asks.push(String(params));
				return undefined;
			});
			const ids = [asked('k1'), asked('k2'), { ...asked('k1'), caller: 'bob' }];
			for (const id of ids) await once(postgresKeys(listening), id, async () => created);
			expect(new Set(asks).size).toBe(3);
			const contended = postgresKeys(
				intercept(db, (text) => (text.includes('pg_try_advisory_xact_lock') ? [{ held: false }] : undefined)),
			);
			expect(await once(contended, asked('k9'), () => Promise.reject(new Error('worked')))).toEqual({
				kind: 'in-flight',
			});
		}
	});

	it('does the work once for twenty requests that arrive together', () =>
		inEach(async (world) => {
			const answers = await Promise.all(Array.from({ length: 20 }, () => world.respond(http(), charging(30))));
			expect(await world.charges()).toEqual([30]);
			for (const answer of answers) expect([201, 409]).toContain(answer.status);
			expect(answers).toContainEqual(created);
		}));

	it('leaves neither work nor record when it crashes between them, and the retry does the work once', async () => {
		for (const { db } of databases) {
			const crashes: Database[] = [
				// The record can't be written: the connection is gone.
				intercept(db, (text) => {
					if (text.includes('insert into idempotency_keys')) throw new Error('connection lost');
					return undefined;
				}),
				// Both are written and the commit never comes.
				{
					...db,
					transaction: (work) =>
						db.transaction(async (tx) => {
							await work(tx);
							throw new Error('connection lost');
						}),
				},
			];
			for (const crashing of crashes) {
				await expect(once(postgresKeys(crashing), asked('k1'), chargingIn(30))).rejects.toThrow('connection lost');
				expect(await charges(db)).toEqual([]);
				expect(await recorded(db)).toBe(0);
				const locks = await db.query(`select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`);
				expect(locks.rows).toEqual([]);
			}
			expect(await once(postgresKeys(db), asked('k1'), chargingIn(30))).toMatchObject({ kind: 'done' });
			expect(await once(postgresKeys(db), asked('k1'), chargingIn(30))).toMatchObject({ kind: 'replayed' });
			expect(await charges(db)).toEqual([30]);
		}
	});

	it('undoes and forgets work that throws, and remembers a response that it returns, a refusal too', () =>
		inEach(async (world) => {
			const failing = async (charge: (amount: number) => Promise<void>) => {
				await charge(30);
				throw new Error('out of stock');
			};
			await expect(world.once(asked('k1'), failing)).rejects.toThrow('out of stock');
			const thrower = () => {
				throw new Error('at once');
			};
			await expect(world.once(asked('k1'), thrower)).rejects.toThrow('at once');
			expect(await world.charges()).toEqual([]);
			const declined = { status: 402, headers: {}, body: 'declined' };
			expect(await world.once(asked('k1'), async () => declined)).toEqual({ kind: 'done', response: declined });
			expect(await world.once(asked('k1'), failing)).toEqual({ kind: 'replayed', response: declined });
		}));

	it("keeps an answer for its time by the database's clock, and then takes the key as new", async () => {
		await inEach(async (world) => {
			// A process whose clock is years wrong must not matter. PGlite has the process's clock.
			const skew = (now: string) =>
				world.name === 'PostgreSQL' && vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
			skew('2001-01-01');
			expect(await world.respond(http({ body: '1' }), charging(30))).toEqual(created);
			skew('2999-01-01');
			expect(await world.respond(http({ body: '2' }), charging(31))).toMatchObject({ status: 422 });
			await world.age();
			expect(await world.respond(http({ body: '2' }), charging(31))).toEqual(created);
			expect(await world.respond(http({ body: '2' }), charging(31))).toEqual(created);
			expect(await world.respond(http({ body: '1' }), charging(30))).toMatchObject({ status: 422 });
			expect(await world.charges()).toEqual([30, 31]);
			vi.useRealTimers();
		});
		for (const { db } of databases) {
			// Nothing that the process says is a time of day: neither a date nor a number of that size.
			const told: unknown[] = [];
			const listening = intercept(db, (_, params) => {
				told.push(...params);
				return undefined;
			});
			await once(postgresKeys(listening), asked('k9'), chargingIn(1));
			expect(
				told.filter((value) => value instanceof Date || Number(value) > 1e8 || /^\d{4}-/.test(String(value))),
			).toEqual([]);
		}
	});

	it('keeps an answer as long as it was told to, and purges expired keys alone, a bounded number at a time', async () => {
		for (const { db } of databases) {
			for (const key of ['a', 'b', 'c']) await once(postgresKeys(db, { ttlSeconds: 60 }), asked(key), chargingIn(1));
			await db.query(`update idempotency_keys set expires_at = expires_at - interval '61 seconds'`);
			await once(postgresKeys(db, { ttlSeconds: 60 }), asked('live'), chargingIn(1));
			const { rows } = await db.query<{ left: number }>(
				`select extract(epoch from expires_at - clock_timestamp())::float8 as left from idempotency_keys where key = 'live'`,
			);
			expect(rows[0]?.left).toBeGreaterThan(50);
			expect(rows[0]?.left).toBeLessThanOrEqual(60);
			for (const ttlSeconds of [0, -1, Number.NaN])
				expect(() => postgresKeys(db, { ttlSeconds })).toThrow('ttlSeconds is');
			expect([await purgeExpired(db, 2), await purgeExpired(db, 2), await purgeExpired(db, 2)]).toEqual([2, 1, 0]);
			expect(await once(postgresKeys(db), asked('live'), chargingIn(9))).toMatchObject({ kind: 'replayed' });
		}
	});

	it("takes another caller's same key for another key, whatever the characters in either", () =>
		inEach(async (world) => {
			const answer = (body: string) => async () => ({ status: 200, headers: {}, body });
			const ids = [
				{ caller: 'ann', key: 'k1' },
				{ caller: 'bob', key: 'k1' },
				{ caller: 'ann","k1', key: '' },
				{ caller: 'ann', key: 'k1:' },
				{ caller: 'ann:k1', key: '' },
				{ caller: '', key: 'ann:k1' },
			];
			for (const [i, id] of ids.entries())
				expect(await world.once({ ...id, fingerprint: 'f' }, answer(`for ${i}`))).toMatchObject({ kind: 'done' });
			for (const [i, id] of ids.entries())
				expect(await world.once({ ...id, fingerprint: 'f' }, answer('new'))).toMatchObject({
					kind: 'replayed',
					response: { body: `for ${i}` },
				});
		}));

	it('answers 400 without a usable key and does nothing; quoted and bare are one key', () =>
		inEach(async (world) => {
			for (const key of [null, '', '  ', '""', '"', 'a b', 'ключ', 'a\u0000', 'a"b', '"a', 'x'.repeat(256)]) {
				const answer = await world.respond(http({ key }), charging(1));
				expect(answer.status, String(key)).toBe(400);
			}
			expect(await world.charges()).toEqual([]);
			expect(await world.respond(http({ key: '"8e03-978e"' }), charging(1))).toEqual(created);
			expect(await world.respond(http({ key: ' 8e03-978e ' }), charging(1))).toEqual(created);
			expect(await world.charges()).toEqual([1]);
			expect(parseKey('x'.repeat(255))).toHaveLength(255);
		}));

	it('undoes the work when a record of its key appears in spite of the lock', async () => {
		for (const { db } of databases) {
			const work = async (tx: Sql) => {
				await tx.query('insert into charges (amount) values (30)');
				await tx.query(
					`insert into idempotency_keys values ('ann', 'k1', 'f', '{}', clock_timestamp() + interval '1 hour')`,
				);
				return created;
			};
			await expect(once(postgresKeys(db), asked('k1'), work)).rejects.toThrow('answered meanwhile');
			expect(await charges(db)).toEqual([]);
		}
	});

	it('tells requests apart however method, path and body are cut, and repeats itself', async () => {
		const requests = [
			{ method: 'POST', path: '/a', body: '' },
			{ method: 'POST', path: '/', body: 'a' },
			{ method: 'POST', path: '/a', body: '\n' },
			{ method: 'PUT', path: '/a', body: '' },
			{ method: 'POST/', path: 'a', body: '' },
		];
		const prints = await Promise.all(requests.map((request) => fingerprint(request)));
		expect(new Set(prints).size).toBe(requests.length);
		expect(prints[0]).toMatch(/^[0-9a-f]{64}$/);
		expect(await fingerprint({ method: 'post', path: '/a', body: new Uint8Array() })).toBe(prints[0]);
	});

	it('runs the scenario: every check holds with the pattern, and a retry charges twice without', async () => {
		await expectEveryRule(demo, rules, {
			crash: [true, false],
			work: [100, 800, 2000],
			patience: [100, 500, 800, 2000],
		});
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.crash, rules.inFlight, rules.caller]));
	});
});

describe.runIf(DATABASE_URL)('idempotency-key on PostgreSQL', () => {
	it('does the work once when the session that did it is killed before its commit', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const doomed = await postgres.connect();
		const work = async (tx: Sql) => {
			await tx.query('insert into charges (amount) values (30)');
			const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
			await db.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
			return created;
		};
		await expect(once(postgresKeys(doomed), asked('k1'), work)).rejects.toThrow();
		expect(await once(postgresKeys(db), asked('k1'), chargingIn(30))).toMatchObject({ kind: 'done' });
		expect(await charges(db)).toEqual([30]);
	});

	it('lets one of two workers commit when both got past the lock', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		const unlocked = postgresKeys(
			intercept(db, (text) => (text.includes('pg_try_advisory_xact_lock') ? [{ held: true }] : undefined)),
		);
		const gate = signal();
		let begun = 0;
		const work = async (tx: Sql) => {
			if (++begun === 2) gate.resolve();
			await gate.promise;
			return chargingIn(30)(tx);
		};
		const both = await Promise.allSettled([1, 2].map(() => once(unlocked, asked('k1'), work)));
		expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		expect(await charges(db)).toEqual([30]);
	});

	it("holds no key against another schema's table in the same database", async () => {
		if (!postgres) throw new Error('no database');
		const other = await postgresDatabase(String(DATABASE_URL));
		await other.script(IDEMPOTENCY_SCHEMA);
		const outcome = await once(postgresKeys(postgres.db), asked('k1'), async () => {
			expect(await once(postgresKeys(other.db), asked('k1'), async () => created)).toMatchObject({ kind: 'done' });
			return created;
		});
		expect(outcome.kind).toBe('done');
		await other.close();
	});

	it('purges no key that is being renewed, and waits for none', async () => {
		if (!postgres) throw new Error('no database');
		const { db } = postgres;
		await once(postgresKeys(db), asked('k1'), chargingIn(1));
		await db.query(`update idempotency_keys set expires_at = expires_at - interval '2 days'`);
		await db.transaction(async (tx) => {
			await tx.query(`update idempotency_keys set expires_at = clock_timestamp() + interval '1 day'`);
			expect(await purgeExpired(db)).toBe(0);
		});
		expect(await purgeExpired(db)).toBe(0);
		expect(await recorded(db)).toBe(1);
	});
});

function signal(): { promise: Promise<void>; resolve: () => void } {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

const created: StoredResponse = { status: 201, headers: {}, body: '{"charge":1}' };

const asked = (key: string): Request => ({ caller: 'ann', key, fingerprint: 'f' });

const http = (request: Partial<KeyedRequest> = {}): KeyedRequest => ({
	caller: 'ann',
	key: 'k1',
	method: 'POST',
	path: '/charges',
	body: '{"amount":30}',
	...request,
});

const charging =
	(amount: number): Work =>
	async (charge) => {
		await charge(amount);
		return created;
	};

const chargingIn = (amount: number) => async (tx: Sql) => {
	await tx.query('insert into charges (amount) values ($1)', [amount]);
	return created;
};

const bytes = (text: string) => new TextEncoder().encode(text);

const charges = async (sql: Sql) =>
	(await sql.query<{ amount: number }>('select amount from charges order by id')).rows.map(({ amount }) => amount);

const recorded = async (sql: Sql) => (await sql.query('select 1 from idempotency_keys')).rows.length;

/** The database, but that statements within a transaction may be answered (or failed) by the test. */
function intercept(
	db: Database,
	answer: (text: string, params: readonly unknown[]) => unknown[] | undefined,
): Database {
	return {
		...db,
		transaction: (work) =>
			db.transaction((tx) =>
				work({
					query: async <Row>(text: string, params?: readonly unknown[]) => {
						const rows = answer(text, params ?? []);
						return rows ? { rows: rows as Row[] } : tx.query<Row>(text, params);
					},
				}),
			),
	};
}

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

function memoryWorld(): World {
	let now = 0;
	let ledger: number[] = [];
	let keys = memoryKeys(() => now, DAY * 1000);
	const charger = (tx: { onCommit(effect: () => void): void }) => async (amount: number) =>
		tx.onCommit(() => ledger.push(amount));
	return {
		name: 'memory',
		concurrent: true,
		once: (request, work) => once(keys, request, (tx) => work(charger(tx))),
		respond: (request, work) => respond(keys, request, (tx) => work(charger(tx))),
		charges: async () => ledger,
		age: async () => {
			now += DAY * 1000;
		},
		reset: async () => {
			ledger = [];
			keys = memoryKeys(() => now, DAY * 1000);
		},
	};
}

function databaseWorld(name: string, db: Database): World {
	const keys = postgresKeys(db, { ttlSeconds: DAY });
	const charger = (tx: Sql) => async (amount: number) =>
		void (await tx.query('insert into charges (amount) values ($1)', [amount]));
	return {
		name,
		concurrent: name === 'PostgreSQL',
		once: (request, work) => once(keys, request, (tx) => work(charger(tx))),
		respond: (request, work) => respond(keys, request, (tx) => work(charger(tx))),
		charges: () => charges(db),
		age: async () => void (await db.query(`update idempotency_keys set expires_at = expires_at - interval '1 day'`)),
		reset: async () => {
			await db.query('delete from charges');
			await db.query('delete from idempotency_keys');
		},
	};
}
