import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresTestDatabase, pgliteDatabase, postgresDatabase, type TestDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { inEachOf } from '../worlds-testing.ts';
import { demo, RULES } from './fenced-lease.demo.ts';
import { MemoryFence, MemoryLeases } from './fenced-lease.memory.ts';
import {
	FENCED_LEASE_SCHEMA,
	LeaseHeldError,
	LeaseLostError,
	type Leases,
	postgresLeases,
	raiseFence,
	type Sql,
	StaleTokenError,
	whileRenewed,
	withLease,
} from './fenced-lease.ts';

/** Leases and a fence somewhere, with a way to let a lease expire. */
interface World {
	name: string;
	leases: Leases;
	raise(resource: string, token: bigint): Promise<void>;
	expire(): Promise<void>;
	reset(): Promise<void>;
}

const { DATABASE_URL } = process.env;
const worlds: World[] = [memoryWorld()];
const databases: TestDatabase[] = [];
let postgres: PostgresTestDatabase | undefined;

beforeAll(async () => {
	databases.push(await pgliteDatabase());
	if (DATABASE_URL) {
		postgres = await postgresDatabase(DATABASE_URL);
		databases.push(postgres);
	}
	for (const database of databases) {
		await database.script(
			`${FENCED_LEASE_SCHEMA} create table account (id text primary key, balance integer not null)`,
		);
		worlds.push(databaseWorld(database === postgres ? 'PostgreSQL' : 'PGlite', database));
	}
});
beforeEach(() => inEach((world) => world.reset()));
afterAll(() => Promise.all(databases.map((database) => database.close())));

function memoryWorld(): World {
	let now = 0;
	let fence = new MemoryFence();
	const world: World = {
		name: 'memory',
		leases: new MemoryLeases(() => now),
		raise: async (resource, token) => fence.raise(resource, token),
		expire: async () => {
			now += 60_000;
		},
		reset: async () => {
			world.leases = new MemoryLeases(() => now);
			fence = new MemoryFence();
		},
	};
	return world;
}

function databaseWorld(name: string, { db, script }: TestDatabase): World {
	return {
		name,
		leases: postgresLeases(db),
		raise: (resource, token) => db.transaction((tx) => raiseFence(tx, resource, token)),
		expire: () => script(`update lease set expires_at = expires_at - interval '60 seconds'`),
		reset: () => script('truncate lease, fence, account'),
	};
}

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

const TTL = 60_000;

describe('fenced-lease', () => {
	it('grants a lease to one of many who ask at once, and to none while it is held', () =>
		inEach(async ({ leases }) => {
			const asked = Array.from({ length: 8 }, (_, index) => leases.acquire('job', `holder ${index}`, TTL));
			const granted = (await Promise.all(asked)).filter((token) => token !== undefined);
			expect(granted).toEqual([1n]);
			expect(await leases.acquire('job', 'late', TTL)).toBeUndefined();
			expect(await leases.acquire('job', 'holder 0', TTL)).toBeUndefined();
			expect(await leases.acquire('other job', 'late', TTL)).toBe(1n);
		}));

	it('gives every grant a higher token, over releases and expiries', () =>
		inEach(async ({ leases, expire }) => {
			const tokens: (bigint | undefined)[] = [];
			for (let round = 0; round < 3; round++) {
				const token = await leases.acquire('job', 'a', TTL);
				tokens.push(token);
				await leases.release('job', token ?? 0n);
				tokens.push(await leases.acquire('job', 'b', TTL));
				await expire();
			}
			expect(tokens).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
		}));

	it('keeps tokens exact beyond what a double holds', async () => {
		for (const { db, script } of databases) {
			await script(`insert into lease values ('big', 9007199254740992, null, now())`);
			expect(await postgresLeases(db).acquire('big', 'a', TTL)).toBe(9_007_199_254_740_993n);
			await db.transaction((tx) => raiseFence(tx, 'big', 9_007_199_254_740_994n));
			const stale = db.transaction((tx) => raiseFence(tx, 'big', 9_007_199_254_740_993n));
			await expect(stale).rejects.toThrow(StaleTokenError);
		}
	});

	it('refuses a holder that slept past its lease once another was at the resource, and lets equal tokens pass', () =>
		inEach(async ({ leases, raise, expire }) => {
			const old = (await leases.acquire('job', 'a', TTL)) ?? 0n;
			await raise('account', old);
			await raise('account', old);
			await expire();
			const young = (await leases.acquire('job', 'b', TTL)) ?? 0n;
			await raise('account', young);
			await expect(raise('account', old)).rejects.toThrow(StaleTokenError);
			await expect(raise('account', old)).rejects.toThrow('higher than 1');
			await raise('account', young);
			await raise('another account', old);
		}));

	it('loses no update when the new holder raises the fence before it reads', async () => {
		for (const { db } of databases) {
			await db.query(`insert into account values ('x', 0)`);
			/** A read-modify-write in two transactions, as when the computation between them is long. */
			const read = (token: bigint) =>
				db.transaction(async (tx) => {
					await raiseFence(tx, 'x', token);
					return (
						(await tx.query<{ balance: number }>(`select balance from account where id = 'x'`)).rows[0]?.balance ?? 0
					);
				});
			const write = (token: bigint, balance: number) =>
				db.transaction(async (tx) => {
					await raiseFence(tx, 'x', token);
					await tx.query(`update account set balance = $1 where id = 'x'`, [balance]);
				});
			const seenByOld = await read(1n);
			const seenByYoung = await read(2n);
			await expect(write(1n, seenByOld + 1)).rejects.toThrow(StaleTokenError);
			await write(2n, seenByYoung + 1);
			expect((await db.query(`select balance from account`)).rows).toEqual([{ balance: 1 }]);
		}
	});

	it('renews a lease that lasts and refuses one that ended, even if nobody took it since', () =>
		inEach(async ({ leases, expire }) => {
			const token = (await leases.acquire('job', 'a', TTL)) ?? 0n;
			// Longer than one expiry, so that the renewal is seen to count.
			expect(await leases.renew('job', token, 3 * TTL)).toBe(true);
			await expire();
			expect(await leases.acquire('job', 'b', TTL)).toBeUndefined();
			expect(await leases.renew('job', token, 0)).toBe(true);
			expect(await leases.renew('job', token, TTL)).toBe(false);
			expect(await leases.renew('job', token + 1n, TTL)).toBe(false);
			expect(await leases.renew('no such job', token, TTL)).toBe(false);
			expect(await leases.acquire('job', 'b', TTL)).toBe(token + 1n);
			expect(await leases.renew('job', token, TTL)).toBe(false);
		}));

	it("renews nothing after a release, and releases nothing that is another holder's", () =>
		inEach(async ({ leases, expire }) => {
			const token = (await leases.acquire('job', 'a', TTL)) ?? 0n;
			await leases.release('job', token);
			expect(await leases.renew('job', token, TTL)).toBe(false);
			const second = (await leases.acquire('job', 'a', TTL)) ?? 0n;
			await expire();
			const third = (await leases.acquire('job', 'b', TTL)) ?? 0n;
			await leases.release('job', second);
			expect(await leases.acquire('job', 'c', TTL)).toBeUndefined();
			expect(await leases.renew('job', third, TTL)).toBe(true);
		}));

	it('tells the database durations only, and judges expiry by its clock at the moment, not of the transaction', async () => {
		for (const { db } of databases) {
			const sent: unknown[][] = [];
			const spy: Sql = {
				query: (text, params) => {
					sent.push([...(params ?? [])]);
					return db.query(text, params);
				},
			};
			const token = (await postgresLeases(spy).acquire('clock', 'a', 1234)) ?? 0n;
			await postgresLeases(spy).renew('clock', token, 1234);
			await postgresLeases(spy).release('clock', token);
			expect(sent).toEqual([
				['clock', 'a', 1234],
				['clock', '1', 1234],
				['clock', '1'],
			]);
			await db.transaction(async (tx) => {
				const leases = postgresLeases(tx);
				// The transaction is older than the lease lasts, so that its own time would judge every step wrong.
				await tx.query('select pg_sleep(0.5)');
				const first = (await leases.acquire('moment', 'a', 450)) ?? 0n;
				expect(await leases.acquire('moment', 'b', 450)).toBeUndefined();
				await tx.query('select pg_sleep(0.46)');
				expect(await leases.renew('moment', first, 450)).toBe(false);
				expect(await leases.acquire('moment', 'b', 450)).toBe(first + 1n);
			});
		}
	});

	describe.runIf(DATABASE_URL)('on several sessions', () => {
		it('lets the one who waited for a row find it taken, or find it over by the clock of that moment', async () => {
			const { connect, untilWaiting } = postgres ?? expect.fail('no database');
			const [one, two] = [await connect(), await connect()];
			const leases = postgresLeases(two);
			let waiting: Promise<bigint | undefined> | undefined;
			await one.transaction(async (tx) => {
				await postgresLeases(tx).acquire('row', 'a', TTL);
				waiting = leases.acquire('row', 'b', TTL);
				await untilWaiting();
			});
			expect(await waiting).toBeUndefined();
			await one.transaction(async (tx) => {
				await tx.query(
					`update lease set expires_at = clock_timestamp() + interval '50 milliseconds' where name = 'row'`,
				);
				waiting = leases.acquire('row', 'b', TTL);
				await untilWaiting();
				await tx.query('select pg_sleep(0.1)');
			});
			expect(await waiting).toBe(2n);
		});

		it('lets a stale write wait behind the new holder and then refuses it', async () => {
			const { connect, untilWaiting } = postgres ?? expect.fail('no database');
			const [one, two] = [await connect(), await connect()];
			let stale: Promise<void> | undefined;
			await one.transaction(async (tx) => {
				await raiseFence(tx, 'row', 2n);
				stale = two.transaction((other) => raiseFence(other, 'row', 1n));
				stale.catch(() => undefined);
				await untilWaiting();
			});
			await expect(stale).rejects.toThrow(StaleTokenError);
		});
	});

	describe('withLease', () => {
		function setUp(ttlMs = 900) {
			const clock = new VirtualClock();
			const store = new MemoryLeases(clock.now);
			const calls: string[] = [];
			const leases: Leases = {
				acquire: (name, holder, ms) => store.acquire(name, holder, ms),
				renew: (name, token, ms) => {
					calls.push(`renew at ${clock.now()}`);
					return store.renew(name, token, ms);
				},
				release: (name, token) => {
					calls.push(`release at ${clock.now()}`);
					return store.release(name, token);
				},
			};
			return { clock, store, leases, calls, options: { ttlMs, clock } };
		}

		it('renews while the work runs, releases when it ends, and leaves no timer', async () => {
			const { clock, leases, calls, options } = setUp();
			const work = withLease(leases, 'job', 'a', options, async ({ token, signal }) => {
				await clock.sleep(2000);
				expect(signal.aborted).toBe(false);
				return token;
			});
			expect(await clock.run(work)).toBe(1n);
			expect(calls).toEqual([300, 600, 900, 1200, 1500, 1800].map((at) => `renew at ${at}`).concat('release at 2000'));
			expect(clock.pending).toBe(0);
			expect(await leases.acquire('job', 'b', 1)).toBe(2n);
		});

		it('refuses at once while another holds it, and runs nothing', async () => {
			const { leases, options } = setUp();
			await leases.acquire('job', 'a', 900);
			await expect(withLease(leases, 'job', 'b', options, () => expect.fail('ran'))).rejects.toThrow(LeaseHeldError);
		});

		it('tells the work when a renewal is refused, and releases only after the work has ended', async () => {
			const { clock, store, leases, calls, options } = setUp();
			const work = withLease(leases, 'job', 'a', options, async ({ token, signal }) => {
				await clock.sleep(100);
				await store.release('job', token);
				const stopped = await clock.sleep(5000, signal).catch((error: unknown) => error);
				expect([stopped, clock.now()]).toEqual([expect.any(LeaseLostError), 300]);
				await clock.sleep(50);
				throw stopped;
			});
			await expect(clock.run(work)).rejects.toThrow(LeaseLostError);
			expect(calls).toEqual(['renew at 300', 'release at 350']);
			expect(clock.pending).toBe(0);
		});

		it('gives up when the store was silent for as long as the lease lasts, counted from when it was asked', async () => {
			const answers: Record<string, () => Promise<boolean>> = {
				hangs: () => new Promise(() => undefined),
				rejects: () => Promise.reject(new Error('network')),
				throws: () => {
					throw new Error('network');
				},
			};
			for (const [name, renew] of Object.entries(answers)) {
				const { clock, store, options } = setUp();
				const slow: Leases = {
					acquire: async (...given) => {
						await clock.sleep(100);
						const token = await store.acquire(...given);
						await clock.sleep(150);
						return token;
					},
					renew,
					release: async () => undefined,
				};
				const work = withLease(slow, 'job', 'a', options, ({ signal }) => clock.sleep(5000, signal));
				await expect(clock.run(work), name).rejects.toThrow(LeaseLostError);
				expect(clock.now(), name).toBe(900);
				expect(clock.pending).toBe(0);
			}
			// A renewal that was sent at 300 and answered at 500 lasts until 1200.
			const { clock, leases, options } = setUp();
			let asked = 0;
			const renew = async () => {
				if (++asked > 1) return new Promise<never>(() => undefined);
				await clock.sleep(200);
				return true;
			};
			const work = withLease({ ...leases, renew }, 'job', 'a', options, ({ signal }) => clock.sleep(5000, signal));
			await expect(clock.run(work)).rejects.toThrow(LeaseLostError);
			expect(clock.now()).toBe(1200);
		});

		it('goes on over a renewal that failed when a later one succeeds', async () => {
			const { clock, leases, options } = setUp();
			let failures = 1;
			const flaky: Leases = {
				...leases,
				renew: (...given) => (failures-- > 0 ? Promise.reject(new Error('network')) : leases.renew(...given)),
			};
			await clock.run(withLease(flaky, 'job', 'a', options, ({ signal }) => clock.sleep(3000, signal)));
			expect(clock.now()).toBe(3000);
		});

		it('runs nothing under a lease that was over before its grant arrived', async () => {
			const { clock, store, leases, options } = setUp();
			const slow: Leases = {
				...leases,
				acquire: async (...given) => {
					const token = await store.acquire(...given);
					await clock.sleep(900);
					return token;
				},
			};
			const work = withLease(slow, 'job', 'a', options, () => expect.fail('ran'));
			await expect(clock.run(work)).rejects.toThrow(LeaseLostError);
			expect(clock.pending).toBe(0);
		});

		it('passes on the abort of the caller, and takes nothing when it came before', async () => {
			const { clock, leases, calls, options } = setUp();
			const stop = new AbortController();
			clock.after(100, () => stop.abort(new Error('shutdown')));
			const work = withLease(leases, 'job', 'a', { ...options, signal: stop.signal }, ({ signal }) =>
				clock.sleep(5000, signal),
			);
			await expect(clock.run(work)).rejects.toThrow('shutdown');
			expect(calls).toEqual(['release at 100']);
			const late = withLease(leases, 'job', 'a', { ...options, signal: stop.signal }, () => expect.fail('ran'));
			await expect(late).rejects.toThrow('shutdown');
			expect(await leases.acquire('job', 'b', 1)).toBe(2n);
			expect(clock.pending).toBe(0);
		});

		it('passes on what the work throws, at once or later, though the release fails too', async () => {
			const { clock, leases, options } = setUp();
			const broken: Leases = { ...leases, release: () => Promise.reject(new Error('gone')) };
			const failing = withLease(broken, 'job', 'a', options, async () => {
				throw new Error('boom');
			});
			await expect(clock.run(failing)).rejects.toThrow('boom');
			const sync = whileRenewed({ ...options, renew: async () => true, askedAt: clock.now() }, () => {
				throw new Error('at once');
			});
			await expect(clock.run(sync)).rejects.toThrow('at once');
			expect(clock.pending).toBe(0);
		});

		it('refuses a time that no timer holds before it asks for the lease', async () => {
			for (const ttlMs of [0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY]) {
				const { leases, options } = setUp(ttlMs);
				const held = vi.spyOn(leases, 'acquire');
				await expect(withLease(leases, 'name', 'a', options, async () => 1)).rejects.toThrow('ttlMs must be above 0');
				expect(held).not.toHaveBeenCalled();
				const renew = async () => true;
				await expect(whileRenewed({ ...options, renew, askedAt: 0 }, async () => 1)).rejects.toThrow(RangeError);
			}
		});

		it('ignores the answer to a renewal that arrives after the work has ended', async () => {
			const { clock, options } = setUp();
			const renew = () => clock.sleep(400).then(() => true);
			await clock.run(whileRenewed({ ...options, renew, askedAt: 0 }, () => clock.sleep(350)));
			await clock.advance(500);
			expect(clock.pending).toBe(0);
		});
	});

	describe('scenario', () => {
		it('keeps every rule with the pattern on', async () => {
			await expectEveryRule(demo, RULES, {
				ttl: [400, 700, 1000, 4000],
				pause: [0, 100, 900, 2500, 6000],
				skew: [0, 5000],
			});
		});

		it('loses updates without the pattern', async () => {
			expect((await playScenario(demo, { pattern: false })).broken).toEqual(
				expect.arrayContaining([RULES.refused, RULES.read]),
			);
		});
	});
});
