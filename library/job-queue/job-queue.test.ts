import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError, StaleTokenError } from '../fenced-lease/fenced-lease.ts';
import { type PostgresTestDatabase, pgliteDatabase, postgresDatabase, type TestDatabase } from '../postgres-testing.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { inEachOf } from '../worlds-testing.ts';
import { demo, RULES } from './job-queue.demo.ts';
import { MemoryJobs } from './job-queue.memory.ts';
import { JOB_QUEUE_SCHEMA, type Job, type Jobs, postgresJobs, type Sql } from './job-queue.ts';
import { type Outcome, PermanentError, runJob, runWorker, type WorkerOptions } from './job-worker.ts';

/** A queue somewhere, and a way to let time pass for it. */
interface World {
	name: string;
	jobs: Jobs;
	pass(ms: number): Promise<void>;
	dead(): Promise<{ payload: unknown; lastError: string | undefined }[]>;
	reset(): Promise<void>;
}

const { DATABASE_URL } = process.env;
const TTL = 60_000;
const MINUTE = 60_000;
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
		await database.script(`${JOB_QUEUE_SCHEMA} create table effect (job text)`);
		worlds.push(databaseWorld(database === postgres ? 'PostgreSQL' : 'PGlite', database));
	}
});
beforeEach(() => inEach((world) => world.reset()));
afterAll(() => Promise.all(databases.map((database) => database.close())));

function memoryWorld(): World {
	let now = 0;
	const fresh = () => new MemoryJobs(() => now);
	let memory = fresh();
	const world: World = {
		name: 'memory',
		jobs: memory,
		pass: async (ms) => {
			now += ms;
		},
		dead: async () =>
			memory.all.filter(({ state }) => state === 'dead').map(({ payload, lastError }) => ({ payload, lastError })),
		reset: async () => {
			memory = fresh();
			world.jobs = memory;
		},
	};
	return world;
}

function databaseWorld(name: string, { db, script }: TestDatabase): World {
	return {
		name,
		jobs: postgresJobs(db, 'mail'),
		pass: (ms) =>
			script(`update job set due_at = due_at - ${ms} * interval '1 ms', rank_at = rank_at - ${ms} * interval '1 ms'`),
		dead: async () =>
			(
				await db.query<{ payload: unknown; lastError: string }>(
					`select payload, last_error as "lastError" from job where state = 'dead' order by id`,
				)
			).rows,
		reset: () => script('truncate job, effect'),
	};
}

const inEach = (check: (world: World) => Promise<void>) => inEachOf(worlds, check);

async function claimOne(jobs: Jobs, ttlMs = TTL): Promise<Job> {
	const [job] = await jobs.claim(1, ttlMs);
	return job ?? expect.fail('no job was due');
}

describe('job-queue', () => {
	it('hands out what was put in, in the order of due times, not before it is due', () =>
		inEach(async ({ jobs, pass }) => {
			const payloads = [{ to: 'ä "b"', n: [1, null] }, 'text', 0, null];
			for (const payload of payloads) await jobs.enqueue({ payload });
			await jobs.enqueue({ payload: 'later', delayMs: MINUTE });
			const claimed = await jobs.claim(10, TTL);
			expect(claimed.map(({ payload, attempt }) => [payload, attempt])).toEqual(
				payloads.map((payload) => [payload, 1]),
			);
			expect(await jobs.claim(10, TTL)).toEqual([]);
			for (const job of claimed) await jobs.complete(job);
			await pass(MINUTE);
			expect((await jobs.claim(10, TTL)).map(({ payload }) => payload)).toEqual(['later']);
		}));

	it('never gives one job to two workers', async () => {
		await inEach(async ({ jobs }) => {
			for (let index = 0; index < 30; index++) await jobs.enqueue({ payload: index });
			const worker = async () => {
				const mine: string[] = [];
				for (;;) {
					const claimed = await jobs.claim(2, TTL);
					if (claimed.length === 0) return mine;
					expect(claimed.length).toBeLessThanOrEqual(2);
					mine.push(...claimed.map(({ id }) => id));
				}
			};
			const claimed = (await Promise.all([worker(), worker(), worker(), worker(), worker(), worker()])).flat();
			expect(claimed).toHaveLength(30);
			expect(new Set(claimed).size).toBe(30);
		});
		// One session meets no rival, but shows what it asks for: locked rows only, and none that a rival has locked.
		for (const { db } of databases) {
			const asked: string[] = [];
			const query: Sql['query'] = (text, params) => {
				asked.push(text);
				return db.query(text, params);
			};
			await postgresJobs({ query }, 'spied').claim(1, TTL);
			const [claim = ''] = asked.filter((text) => text.includes('token + 1'));
			expect(claim).toMatch(/ limit \$2 for update skip locked$/m);
		}
	});

	it('gives the job of a crashed worker out again when its lease ends, with a higher token', () =>
		inEach(async ({ jobs, pass }) => {
			await jobs.enqueue({ payload: 'x' });
			const first = await claimOne(jobs);
			await pass(TTL / 2);
			expect(await jobs.claim(1, TTL)).toEqual([]);
			await pass(TTL / 2);
			const second = await claimOne(jobs);
			expect(second).toEqual({ ...first, token: first.token + 1n, attempt: 2 });
		}));

	it('prolongs a lease that lasts, and none that ended', () =>
		inEach(async ({ jobs, pass }) => {
			await jobs.enqueue({ payload: 'x' });
			const job = await claimOne(jobs);
			expect(await jobs.renew(job, 3 * TTL)).toBe(true);
			await pass(2 * TTL);
			expect(await jobs.claim(1, TTL)).toEqual([]);
			expect(await jobs.renew(job, TTL)).toBe(true);
			await pass(TTL);
			expect(await jobs.renew(job, TTL)).toBe(false);
			await claimOne(jobs);
			expect(await jobs.renew(job, TTL)).toBe(false);
		}));

	it('refuses a run whose job was claimed again, ended, buried or redriven', () =>
		inEach(async ({ jobs, pass }) => {
			const refusedTo = async (job: Job) => {
				await expect(jobs.complete(job)).rejects.toThrow(StaleTokenError);
				await expect(jobs.fail(job, 'late', 0)).rejects.toThrow(StaleTokenError);
				expect(await jobs.renew(job, TTL)).toBe(false);
			};
			await jobs.enqueue({ payload: 'x', maxAttempts: 3 });
			const first = await claimOne(jobs);
			await pass(TTL);
			const second = await claimOne(jobs);
			await refusedTo(first);
			expect(await jobs.fail(second, 'no', MINUTE)).toBe('retried');
			await refusedTo(second);
			await pass(MINUTE);
			const third = await claimOne(jobs);
			await pass(TTL);
			expect(await jobs.claim(1, TTL)).toEqual([]);
			await refusedTo(third);
			expect(await jobs.redrive(1)).toBe(1);
			await refusedTo(third);
			const fourth = await claimOne(jobs);
			await refusedTo(third);
			await jobs.complete(fourth);
			await refusedTo(fourth);
		}));

	it('lets a run that outlasted its lease still end a job that nobody claimed since', () =>
		inEach(async ({ jobs, pass }) => {
			await jobs.enqueue({ payload: 'x' });
			const job = await claimOne(jobs);
			await pass(2 * TTL);
			await jobs.complete(job);
			expect(await jobs.claim(1, TTL)).toEqual([]);
		}));

	it('tries a failed job again no sooner than the delay, and buries it after its last attempt', () =>
		inEach(async ({ jobs, pass, dead }) => {
			await jobs.enqueue({ payload: 'x', maxAttempts: 3 });
			for (const attempt of [1, 2]) {
				const job = await claimOne(jobs);
				expect(job.attempt).toBe(attempt);
				expect(await jobs.fail(job, `no ${attempt}`, MINUTE)).toBe('retried');
				await pass(MINUTE / 2);
				expect(await jobs.claim(1, TTL)).toEqual([]);
				await pass(MINUTE / 2);
			}
			expect(await jobs.fail(await claimOne(jobs), 'no 3', MINUTE)).toBe('dead');
			await pass(100 * MINUTE);
			expect(await jobs.claim(1, TTL)).toEqual([]);
			expect(await dead()).toEqual([{ payload: 'x', lastError: 'no 3' }]);
		}));

	it('buries a job that crashes its worker every time, and can redrive it with fresh attempts', () =>
		inEach(async ({ jobs, pass, dead }) => {
			await jobs.enqueue({ payload: 'x', maxAttempts: 2 });
			const tokens = [];
			for (let run = 0; run < 2; run++) {
				tokens.push((await claimOne(jobs)).token);
				await pass(TTL);
			}
			expect(await jobs.claim(1, TTL)).toEqual([]);
			expect(await dead()).toEqual([{ payload: 'x', lastError: expect.stringContaining('without a result') }]);
			expect(await jobs.redrive(5)).toBe(1);
			expect(await jobs.redrive(5)).toBe(0);
			const job = await claimOne(jobs);
			expect([job.attempt, job.token]).toEqual([1, 3n]);
			expect(await jobs.fail(job, 'no', 0)).toBe('retried');
			expect(tokens).toEqual([1n, 2n]);
		}));

	it('redrives the oldest dead jobs first, up to the limit', () =>
		inEach(async ({ jobs, dead }) => {
			for (const payload of ['a', 'b', 'c']) await jobs.enqueue({ payload });
			for (const job of await jobs.claim(3, TTL)) expect(await jobs.fail(job, 'no', undefined)).toBe('dead');
			expect(await jobs.redrive(2)).toBe(2);
			expect((await dead()).map(({ payload }) => payload)).toEqual(['c']);
			expect((await jobs.claim(3, TTL)).map(({ payload }) => payload)).toEqual(['a', 'b']);
		}));

	it('lets priority overtake by its head start and by no more', () =>
		inEach(async ({ jobs, pass }) => {
			await jobs.enqueue({ payload: 'ordinary' });
			await jobs.enqueue({ payload: 'urgent', priority: 2 });
			await pass(MINUTE);
			await jobs.enqueue({ payload: 'urgent, a minute later', priority: 2 });
			await pass(MINUTE + 1000);
			await jobs.enqueue({ payload: 'urgent, too late to overtake', priority: 2 });
			const order = [];
			for (let index = 0; index < 4; index++) order.push((await claimOne(jobs)).payload);
			expect(order).toEqual(['urgent', 'urgent, a minute later', 'ordinary', 'urgent, too late to overtake']);
		}));

	it('writes down any error, however long and whatever it holds', () =>
		inEach(async ({ jobs, dead }) => {
			await jobs.enqueue({ payload: 'x' });
			expect(await jobs.fail(await claimOne(jobs), `\u0000${'é🎉'.repeat(5000)}`, undefined)).toBe('dead');
			expect((await dead())[0]?.lastError).toContain('é🎉');
		}));

	it('keeps queues apart', async () => {
		for (const { db } of databases) {
			const [mail, video] = [postgresJobs(db, 'mail'), postgresJobs(db, 'video')];
			await video.enqueue({ payload: 'v' });
			expect(await mail.claim(5, TTL)).toEqual([]);
			await video.fail(await claimOne(video), 'no', undefined);
			expect(await mail.redrive(5)).toBe(0);
			expect(await video.redrive(5)).toBe(1);
		}
	});

	it('commits or rolls back with the transaction that enqueues or completes', async () => {
		for (const { db } of databases) {
			const jobs = postgresJobs(db, 'mail');
			const failing = db.transaction(async (tx) => {
				await postgresJobs(tx, 'mail').enqueue({ payload: 'never' });
				throw new Error('rolled back');
			});
			await expect(failing).rejects.toThrow('rolled back');
			expect(await jobs.claim(1, TTL)).toEqual([]);
			await db.transaction((tx) => postgresJobs(tx, 'mail').enqueue({ payload: 'x' }));
			const job = await claimOne(jobs);
			const handler = (run: Job) =>
				db.transaction(async (tx) => {
					await tx.query('insert into effect values ($1)', [run.id]);
					await postgresJobs(tx, 'mail').complete(run);
					return 'completed';
				});
			const options = { signal: new AbortController().signal };
			expect(await runJob(jobs, job, performance.now(), options, handler)).toBe('done');
			expect(await runJob(jobs, job, performance.now(), options, handler)).toBe('lost');
			expect((await db.query(`select job from effect`)).rows).toEqual([{ job: job.id }]);
		}
	});

	it('judges due times by the clock of the moment, also late in a transaction', async () => {
		for (const { db } of databases) {
			await db.transaction(async (tx) => {
				const jobs = postgresJobs(tx, 'mail');
				// The transaction is older than any duration below, so that its own time would judge each of them wrong.
				await tx.query('select pg_sleep(0.5)');
				await jobs.enqueue({ payload: 'x' });
				await jobs.enqueue({ payload: 'y', delayMs: 450 });
				const job = await claimOne(jobs, 450);
				expect(await jobs.claim(2, 450)).toEqual([]);
				await tx.query('select pg_sleep(0.46)');
				expect(await jobs.renew(job, 450)).toBe(false);
				expect((await jobs.claim(2, TTL)).map(({ payload }) => payload)).toEqual(['x', 'y']);
			});
		}
	});

	describe.runIf(DATABASE_URL)('on several sessions', () => {
		it('skips a job that another session is claiming, and does not wait for it', async () => {
			const { connect, db } = postgres ?? expect.fail('no database');
			const one = await connect();
			const jobs = postgresJobs(db, 'mail');
			for (const payload of ['a', 'b']) await jobs.enqueue({ payload });
			await one.transaction(async (tx) => {
				expect((await claimOne(postgresJobs(tx, 'mail'))).payload).toBe('a');
				const second = await Promise.race([
					claimOne(jobs),
					new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it waits')), 3000)),
				]);
				expect(second.payload).toBe('b');
				expect(await jobs.claim(1, TTL)).toEqual([]);
			});
		});

		it('lets a late completion wait for a claim under way and then refuses it', async () => {
			const { connect, untilWaiting, db, script } = postgres ?? expect.fail('no database');
			const one = await connect();
			const jobs = postgresJobs(db, 'mail');
			await jobs.enqueue({ payload: 'a' });
			const first = await claimOne(jobs);
			await script(`update job set due_at = clock_timestamp()`);
			let late: Promise<void> | undefined;
			await one.transaction(async (tx) => {
				expect((await claimOne(postgresJobs(tx, 'mail'))).attempt).toBe(2);
				late = jobs.complete(first);
				late.catch(() => undefined);
				await untilWaiting();
			});
			await expect(late).rejects.toThrow(StaleTokenError);
		});
	});

	describe('worker', () => {
		function setUp(more: Partial<WorkerOptions> = {}) {
			const clock = new VirtualClock();
			const jobs = new MemoryJobs(clock.now);
			const stop = new AbortController();
			const outcomes: [unknown, number, Outcome, number][] = [];
			const errors: unknown[] = [];
			const options: WorkerOptions = {
				signal: stop.signal,
				ttlMs: 900,
				pollMs: 100,
				backoff: { baseMs: 1000, capMs: 5000 },
				random: () => 0.5,
				clock,
				onOutcome: (job, outcome) => outcomes.push([job.payload, job.attempt, outcome, clock.now()]),
				onError: (error) => errors.push(error),
				...more,
			};
			const stopAt = (ms: number) => clock.after(ms, () => stop.abort());
			return { clock, jobs, options, outcomes, errors, stop, stopAt };
		}

		it('backs off with full jitter between retries and ends in a dead job', async () => {
			const { clock, jobs, options, outcomes, stopAt } = setUp({ pollMs: 1 });
			await jobs.enqueue({ payload: 'x', maxAttempts: 5 });
			stopAt(20_000);
			await clock.run(runWorker(jobs, options, () => Promise.reject(new Error('no'))));
			expect(outcomes).toEqual([
				['x', 1, 'retried', 0],
				['x', 2, 'retried', 500],
				['x', 3, 'retried', 1500],
				['x', 4, 'retried', 3500],
				['x', 5, 'dead', 6000],
			]);
			expect(clock.pending).toBe(0);
		});

		it('buries a permanent failure at once', async () => {
			const { jobs, options, outcomes } = setUp();
			await jobs.enqueue({ payload: 'x' });
			const job = await claimOne(jobs);
			expect(await runJob(jobs, job, 0, options, () => Promise.reject(new PermanentError('never')))).toBe('dead');
			expect(outcomes).toEqual([['x', 1, 'dead', 0]]);
			expect(jobs.all[0]?.lastError).toBe('PermanentError: never');
		});

		it('renews while a handler works, and tells it when the lease is lost', async () => {
			const { clock, jobs, options, outcomes, stopAt } = setUp();
			await jobs.enqueue({ payload: 'long' });
			stopAt(100);
			await clock.run(runWorker(jobs, options, () => clock.sleep(5000)));
			expect(outcomes).toEqual([['long', 1, 'done', 5000]]);

			const second = setUp();
			await second.jobs.enqueue({ payload: 'cut off' });
			const cut: Jobs = {
				enqueue: (spec) => second.jobs.enqueue(spec),
				claim: (limit, ttlMs) => second.jobs.claim(limit, ttlMs),
				renew: () => Promise.reject(new Error('network')),
				complete: (job) => second.jobs.complete(job),
				fail: (job, error, delayMs) => second.jobs.fail(job, error, delayMs),
				redrive: (limit) => second.jobs.redrive(limit),
			};
			let reason: unknown;
			second.stopAt(100);
			const handler = (_job: Job, signal: AbortSignal) =>
				second.clock.sleep(5000, signal).catch(async (error: unknown) => {
					reason = error;
					await second.jobs.claim(1, 900);
					throw error;
				});
			await second.clock.run(runWorker(cut, second.options, handler));
			expect(reason).toBeInstanceOf(LeaseLostError);
			expect(second.outcomes).toEqual([['cut off', 1, 'lost', 900]]);
			expect(second.clock.pending).toBe(0);
		});

		it('brings jobs under way to their end when it is stopped, and claims no more', async () => {
			const { clock, jobs, options, outcomes, stopAt } = setUp({ concurrency: 2 });
			for (const payload of ['a', 'b', 'c', 'd']) await jobs.enqueue({ payload });
			stopAt(150);
			let most = 0;
			let now = 0;
			const handler = async () => {
				most = Math.max(most, ++now);
				await clock.sleep(100);
				now--;
			};
			await clock.run(runWorker(jobs, options, handler));
			expect(outcomes.map(([payload, , outcome, at]) => [payload, outcome, at])).toEqual([
				['a', 'done', 100],
				['b', 'done', 100],
				['c', 'done', 200],
				['d', 'done', 200],
			]);
			expect(most).toBe(2);
			await jobs.enqueue({ payload: 'e' });
			await clock.run(runWorker(jobs, options, handler));
			expect(outcomes).toHaveLength(4);
			expect(clock.pending).toBe(0);
		});

		it('outlives failures of the queue, and leaves a job whose end could not be written to its lease', async () => {
			const { clock, jobs, options, outcomes, errors, stopAt } = setUp();
			await jobs.enqueue({ payload: 'x' });
			let claims = 0;
			let completions = 0;
			const flaky: Jobs = {
				enqueue: (spec) => jobs.enqueue(spec),
				claim: async (limit, ttlMs) =>
					claims++ === 0 ? Promise.reject(new Error('no claim')) : jobs.claim(limit, ttlMs),
				renew: (job, ttlMs) => jobs.renew(job, ttlMs),
				complete: async (job) =>
					completions++ === 0 ? Promise.reject(new Error('no completion')) : jobs.complete(job),
				fail: (job, error, delayMs) => jobs.fail(job, error, delayMs),
				redrive: (limit) => jobs.redrive(limit),
			};
			stopAt(1500);
			await clock.run(runWorker(flaky, options, async () => 'result'));
			expect(errors).toEqual([new Error('no claim'), new Error('no completion')]);
			expect(outcomes).toEqual([['x', 2, 'done', 1000]]);
			expect(clock.pending).toBe(0);
		});

		it('refuses options that make no sense instead of doing nothing, or doing it all the time', async () => {
			for (const wrong of [
				{ concurrency: 0 },
				{ concurrency: Number.NaN },
				{ pollMs: Number.POSITIVE_INFINITY },
				{ ttlMs: 0 },
				{ ttlMs: 2 ** 31 },
			]) {
				const { jobs, options, errors } = setUp(wrong);
				await expect(runWorker(jobs, options, async () => undefined)).rejects.toThrow(
					`${Object.keys(wrong)[0]} must be`,
				);
				expect(errors).toEqual([]);
			}
		});

		it('stops polling at once when it is stopped', async () => {
			const { clock, jobs, options, stopAt } = setUp({ pollMs: 10_000 });
			stopAt(50);
			await clock.run(runWorker(jobs, options, async () => undefined));
			expect([clock.now(), clock.pending]).toEqual([50, 0]);
		});
	});

	describe('scenario', () => {
		it('keeps every rule with the pattern on', async () => {
			await expectEveryRule(
				demo,
				RULES,
				{ crash: [true, false], sleep: [0, 300, 1000, 1600, 3000], urgent: [0, 1, 12, 20] },
				8,
			);
		});

		it('loses, repeats and starves jobs without the pattern', async () => {
			expect((await playScenario(demo, { pattern: false })).broken.length).toBeGreaterThan(2);
		});
	});
});
