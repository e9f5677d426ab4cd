import { howMany } from '../how-many.ts';
import type { Demo } from '../scenario.ts';
import { MemoryFence, MemoryLeases } from './fenced-lease.memory.ts';
import { type Clock, type Leases, withLease } from './fenced-lease.ts';

/** The card's rules that the scenario checks, to the letter. */
export const RULES = {
	one: 'A lease has one holder at a time.',
	grows:
		'The fencing token only grows: each grant has a higher one than every grant before, releases and expiries included.',
	refused:
		'The resource refuses a holder whose token is lower than one that it has seen, however sure that holder is of its lease.',
	read: 'A new holder raises the fence with its first access, before it reads.',
	renewal: 'A renewal after the lease ended is refused, even if nobody took it since.',
	clock: 'Expiry is judged by the clock of the store alone; holders send durations and compare no wall clocks.',
} as const;

const NAME = 'account';
const STEP_MS = 300;
const NET_MS = 10;

export const demo: Demo = {
	title: 'A worker that sleeps through its lease',
	about:
		'Three workers take turns adding to a balance under a lease: read, compute, write. In its first turn, worker A stops (a garbage collection, a paused machine) ' +
		'and comes back believing that it still holds the lease. Watch its write arrive, and the balance at the end.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Fenced lease in the store', value: true },
		{ id: 'ttl', kind: 'number', label: 'Lease lasts', value: 1000, min: 400, max: 4000, step: 100, unit: 'ms' },
		{ id: 'pause', kind: 'number', label: 'Worker A stops for', value: 2500, min: 0, max: 6000, step: 100, unit: 'ms' },
		{
			id: 'skew',
			kind: 'number',
			label: "Worker C's clock is ahead by",
			value: 600,
			min: 0,
			max: 5000,
			step: 100,
			unit: 'ms',
		},
	],
	async run(controls, emit, clock) {
		const began = clock.now();
		const t = () => clock.now() - began;
		const ttlMs = Number(controls.ttl);
		const pauseMs = Number(controls.pause);
		let balance = 0;
		const fence = new MemoryFence();
		const store = new MemoryLeases(clock.now);
		/** How often a lease was handed out, whatever became of it. */
		const grants: { worker: string; token: bigint; at: number; until: number }[] = [];
		const writes: { worker: string; token: bigint }[] = [];
		const refusedRenewals: boolean[] = [];
		let stops = 0;
		/** The lease of the naive version: who and until when by the clock of whoever wrote it. */
		let note: { worker: string; until: number } | undefined;

		const worker = async (name: string, delay: number) => {
			let pausedUntil = 0;
			/** Nothing of a stopped process runs: neither its timers nor the rest of its code. */
			const awake = async () => {
				if (clock.now() < pausedUntil) await clock.sleep(pausedUntil - clock.now());
			};
			const own: Clock = {
				now: clock.now,
				after: (ms, callback) => {
					let cancel = clock.after(ms, () => {
						if (clock.now() < pausedUntil) cancel = clock.after(pausedUntil - clock.now(), callback);
						else callback();
					});
					return () => cancel();
				},
			};
			const wall = () => clock.now() + (name === 'C' ? Number(controls.skew) : 0);
			const call = async <T>(work: () => Promise<T> | T): Promise<T> => {
				await clock.sleep(NET_MS);
				try {
					return await work();
				} finally {
					await awake();
				}
			};
			const compute = async (round: number) => {
				await clock.sleep(STEP_MS);
				if (name !== 'A' || round !== 0 || pauseMs === 0 || stops > 0) return;
				stops++;
				pausedUntil = clock.now() + pauseMs;
				emit({ t: t(), until: t() + pauseMs, lane: 'worker A', kind: 'wait', label: 'stopped, and does not know it' });
				await awake();
			};

			const leases: Leases = {
				acquire: (lease, holder, ms) =>
					call(async () => {
						const token = await store.acquire(lease, holder, ms);
						if (token !== undefined) grants.push({ worker: name, token, at: clock.now(), until: clock.now() + ms });
						return token;
					}),
				renew: (lease, token, ms) =>
					call(async () => {
						const grant = grants.find((other) => other.token === token);
						const over = !grant || grant.until <= clock.now() || grants.at(-1) !== grant;
						const renewed = await store.renew(lease, token, ms);
						if (over) refusedRenewals.push(!renewed);
						if (grant && renewed) grant.until = clock.now() + ms;
						emit({
							t: t(),
							lane: `worker ${name}`,
							kind: renewed ? 'info' : 'reject',
							label: `renewal ${renewed ? 'granted' : 'refused'}`,
						});
						return renewed;
					}),
				release: (lease, token) =>
					call(async () => {
						const grant = grants.find((other) => other.token === token);
						if (grant) grant.until = Math.min(grant.until, clock.now());
						await store.release(lease, token);
					}),
			};
			/** The resource takes a token with every access, reads included. */
			const access = (token: bigint, what: string, change?: number) =>
				call(() => {
					const label = change === undefined ? what : `${what} ${change}`;
					try {
						if (controls.pattern) fence.raise(NAME, token);
					} catch (error) {
						emit({ t: t(), lane: 'resource', kind: 'reject', label: `${name}: ${label}, token ${token} is stale` });
						throw error;
					}
					const late = writes.some((write) => write.token > token);
					emit({ t: t(), lane: 'resource', kind: late ? 'fail' : 'ok', label: `${name}: ${label}, token ${token}` });
					if (change !== undefined) {
						balance = change;
						writes.push({ worker: name, token });
					}
					return balance;
				});
			const turn = async (token: bigint, round: number) => {
				const seen = await access(token, 'reads');
				await compute(round);
				await access(token, 'writes', seen + 1);
			};
			/** A note with a date in it, judged by whoever looks at it. */
			const naive = async (round: number): Promise<boolean> => {
				const free = await call(() => {
					if (note && note.until > wall()) return false;
					note = { worker: name, until: wall() + ttlMs };
					grants.push({ worker: name, token: BigInt(grants.length + 1), at: clock.now(), until: clock.now() + ttlMs });
					return true;
				});
				if (!free) return false;
				const mine = grants.at(-1);
				await turn(mine?.token ?? 0n, round);
				await call(() => {
					if (mine) mine.until = Math.min(mine.until, clock.now());
					note = undefined;
				});
				return true;
			};

			await clock.sleep(delay);
			for (let round = 0, tries = 0; round < 2 && tries < 60; tries++) {
				const start = t();
				try {
					if (controls.pattern) {
						await withLease(leases, NAME, name, { ttlMs, clock: own }, ({ token }) => turn(token, round));
					} else if (!(await naive(round))) {
						await clock.sleep(200);
						continue;
					}
					emit({ t: start, until: t(), lane: `worker ${name}`, kind: 'ok', label: `turn ${round + 1} done` });
					round++;
				} catch (error) {
					if (!(error instanceof Error)) throw error;
					if (error.name === 'LeaseHeldError') await clock.sleep(200);
					else if (error.name === 'StaleTokenError') {
						emit({
							t: start,
							until: t(),
							lane: `worker ${name}`,
							kind: 'abort',
							label: `turn ${round + 1} lost: begins anew`,
						});
					} else throw error;
				}
			}
		};
		await Promise.all([worker('A', 0), worker('B', 40), worker('C', 80)]);

		emit({
			t: t(),
			lane: 'resource',
			kind: 'state',
			label: `balance ${balance} after ${howMany(writes.length, 'addition')}`,
		});
		const overlaps = grants.filter((grant, index) => grants.slice(0, index).some((before) => before.until > grant.at));
		const behind = grants.filter((grant, index) =>
			grants.slice(0, index).some((before) => before.token >= grant.token),
		);
		const late = writes.filter((write, index) => writes.slice(0, index).some((before) => before.token > write.token));
		emit({
			rule: RULES.one,
			ok: overlaps.length === 0,
			detail: `${howMany(grants.length, 'grant')}, ${overlaps.length} of them while another held it`,
		});
		emit({
			rule: RULES.grows,
			ok: behind.length === 0,
			detail: `tokens ${grants.map(({ token }) => token).join(' ')}`,
		});
		emit({ rule: RULES.refused, ok: late.length === 0, detail: `${howMany(late.length, 'late write')} accepted` });
		emit({
			rule: RULES.read,
			ok: balance === writes.length,
			detail: `balance ${balance}, ${howMany(writes.length, 'addition')} accepted`,
		});
		emit({
			rule: RULES.renewal,
			ok: refusedRenewals.every((refused) => refused),
			detail: `${howMany(refusedRenewals.length, 'renewal')} came too late, ${howMany(stops, 'stop')}`,
		});
		const early = overlaps.filter(({ worker: by }) => by === 'C').length;
		emit({ rule: RULES.clock, ok: early === 0, detail: `C took the lease early ${howMany(early, 'time')}` });
	},
};
