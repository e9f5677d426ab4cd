import type { Clock } from '../fenced-lease/fenced-lease.ts';
import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { MemoryJobs } from './job-queue.memory.ts';
import type { Job, Jobs } from './job-queue.ts';
import { runWorker } from './job-worker.ts';

/** The card's rules that the scenario checks, to the letter. */
export const RULES = {
	one: 'Two workers never hold one job.',
	crash: 'A job runs under a lease, and that of a crashed worker is claimed again when the lease ends.',
	backoff: 'A job that failed is tried again no sooner than its backoff says, and not at all after its last attempt.',
	dead: 'A job that used up its attempts, crashes included, is dead: it is kept with its last error and can be redriven.',
	lost: 'Completing, failing and renewing are refused to a run whose job was claimed again, ended or redriven.',
	fair: 'A job is overtaken only by jobs that became due within their head start: priority gains a fixed time, so none starves.',
} as const;

const TTL_MS = 1000;
const POLL_MS = 100;
const WORK_MS = 150;
const HEAD_START_MS = 400;
const BACKOFF = { baseMs: 300, capMs: 2000 };
const URGENT = 2;
/** Attempts at one job that show on the timeline: without the pattern there is no end to them. */
const SHOWN = 4;

interface Run {
	worker: string;
	name: string;
	attempt: number;
	from: number;
	/** When it ended, or when its lease did. */
	until: number;
	result: string;
	/** The wait that the worker asked for. */
	delayMs?: number;
}

export const demo: Demo = {
	title: 'Workers that crash, sleep and fail over one queue',
	about:
		'Three workers take jobs. One crashes in the middle of a job, one sleeps past its lease, one job fails every time, and urgent jobs keep ' +
		'coming while an ordinary one waits. Watch each job end once, and the ordinary one have its turn.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Leases, tokens, backoff and ranks', value: true },
		{ id: 'crash', kind: 'switch', label: 'A worker crashes', value: true },
		{ id: 'sleep', kind: 'number', label: 'Another stops for', value: 2500, min: 0, max: 3000, step: 100, unit: 'ms' },
		{ id: 'urgent', kind: 'number', label: 'Urgent jobs that come', value: 12, min: 0, max: 20, step: 1 },
	],
	async run(controls, emit, clock) {
		const began = clock.now();
		const t = () => clock.now() - began;
		const random = seededRandom(11);
		const store = new MemoryJobs(clock.now, HEAD_START_MS);
		const runs: Run[] = [];
		const refused: boolean[] = [];
		const accepted: string[] = [];
		const nameOf = (job: Job) => String(job.payload);
		const enqueued = new Map<string, { at: number; rank: number }>();
		const enqueue = async (name: string, priority = 0, maxAttempts = 3) => {
			enqueued.set(name, { at: clock.now(), rank: clock.now() - priority * HEAD_START_MS });
			await store.enqueue({ payload: name, priority, maxAttempts });
		};
		const stop = new AbortController();
		let crashed = false;
		let slept = false;

		/** Strict priority, no lease, no token, retries at once and for ever: a table with a `taken` column. */
		const naive: Pick<Jobs, 'claim' | 'complete' | 'fail' | 'renew'> = {
			claim: async () => {
				const open = store.all
					.filter(({ state }) => state === 'queued')
					.sort((a, b) => b.priority - a.priority || Number(a.id) - Number(b.id));
				const job = open[0];
				if (!job) return [];
				// Another worker looks before this one has written.
				await clock.sleep(1);
				job.state = 'running';
				job.token++;
				job.attempts++;
				return [{ id: job.id, token: job.token, attempt: job.attempts, payload: job.payload }];
			},
			renew: async () => true,
			complete: async ({ id }) => {
				for (const job of store.all) if (job.id === id) job.state = 'done';
			},
			fail: async ({ id }) => {
				for (const job of store.all) if (job.id === id) job.state = 'queued';
				return 'retried';
			},
		};
		const queue = controls.pattern ? store : { ...naive, enqueue: store.enqueue, redrive: store.redrive };

		const worker = async (worker: string) => {
			const lane = `worker ${worker}`;
			const own = new AbortController();
			stop.signal.addEventListener('abort', () => own.abort(), { once: true });
			let dead = false;
			let pausedUntil = 0;
			const awake = async () => {
				if (clock.now() < pausedUntil) await clock.sleep(pausedUntil - clock.now());
				if (dead) throw new Error('this process is gone');
			};
			/** Nothing of a stopped process runs, its timers included. */
			const ownClock: Clock = {
				now: clock.now,
				after: (ms, callback) => {
					let cancel = clock.after(ms, () => {
						if (clock.now() < pausedUntil) cancel = clock.after(pausedUntil - clock.now(), callback);
						else callback();
					});
					return () => cancel();
				},
			};
			const current = (job: Job) => runs.findLast((run) => run.worker === worker && run.name === nameOf(job));
			const ending = async <T>(job: Job, result: string, work: () => Promise<T>): Promise<T> => {
				await awake();
				const overdue = store.all.some(
					({ id, token, state }) => id === job.id && (token !== job.token || state !== 'running'),
				);
				try {
					const answer = await work();
					if (overdue) refused.push(false);
					const run = current(job);
					if (run) Object.assign(run, { until: clock.now(), result });
					return answer;
				} catch (error) {
					if (overdue) refused.push(true);
					throw error;
				}
			};
			const jobs: Jobs = {
				...queue,
				enqueue: (spec) => store.enqueue(spec),
				redrive: (limit) => store.redrive(limit),
				claim: async (limit, ttlMs) => {
					await awake();
					const claimed = await queue.claim(limit, ttlMs);
					for (const job of claimed) {
						const from = clock.now();
						runs.push({
							worker,
							name: nameOf(job),
							attempt: job.attempt,
							from,
							until: from + ttlMs,
							result: 'running',
						});
					}
					return claimed;
				},
				renew: async (job, ttlMs) => {
					await awake();
					const renewed = await queue.renew(job, ttlMs);
					const run = current(job);
					if (run && renewed) run.until = clock.now() + ttlMs;
					return renewed;
				},
				complete: (job) =>
					ending(job, 'done', async () => {
						await queue.complete(job);
						accepted.push(nameOf(job));
					}),
				fail: (job, error, delayMs) =>
					ending(job, 'failed', async () => {
						const run = current(job);
						if (run && delayMs !== undefined) run.delayMs = delayMs;
						return queue.fail(job, error, delayMs);
					}),
			};
			const handler = async (job: Job) => {
				const name = nameOf(job);
				const start = t();
				if (name === 'import' && controls.crash && !crashed) {
					crashed = true;
					await clock.sleep(WORK_MS / 2);
					dead = true;
					own.abort();
					emit({ t: start, until: t(), lane, kind: 'fail', label: `${name}: crashes` });
					throw new Error('crash');
				}
				if (name === 'report' && Number(controls.sleep) > 0 && !slept) {
					slept = true;
					pausedUntil = clock.now() + Number(controls.sleep);
					emit({
						t: start,
						until: t() + Number(controls.sleep),
						lane,
						kind: 'wait',
						label: `${name}: stopped, and does not know it`,
					});
					await awake();
				}
				await clock.sleep(WORK_MS);
				if (name === 'poison') {
					if (job.attempt <= SHOWN)
						emit({ t: start, until: t(), lane, kind: 'fail', label: `${name}: attempt ${job.attempt} fails` });
					throw new Error('bad input');
				}
			};
			const options = { signal: own.signal, ttlMs: TTL_MS, pollMs: POLL_MS, backoff: BACKOFF, random, clock: ownClock };
			await runWorker(
				jobs,
				{
					...options,
					onOutcome: (job, outcome) => {
						const kind =
							outcome === 'done' ? 'ok' : outcome === 'lost' ? 'reject' : outcome === 'dead' ? 'state' : 'wait';
						if (job.attempt <= SHOWN) emit({ t: t(), lane, kind, label: `${nameOf(job)}: ${outcome}` });
					},
					onError: (error) =>
						emit({ t: t(), lane, kind: 'abort', label: error instanceof Error ? error.message : String(error) }),
				},
				handler,
			);
		};

		for (const name of ['import', 'report', 'poison', 'ordinary']) await enqueue(name);
		const flood = async () => {
			for (let index = 1; index <= Math.round(Number(controls.urgent)); index++) {
				await enqueue(`urgent ${index}`, URGENT);
				await clock.sleep(WORK_MS / 2);
			}
		};
		const working = [worker('1'), worker('2'), worker('3')];
		await Promise.all([flood(), clock.sleep(8000)]);
		const dead = store.all
			.filter(({ state }) => state === 'dead')
			.map(({ payload, lastError, attempts }) => ({ payload, lastError, attempts }));
		const attempts = runs.filter(({ name }) => name === 'poison').length;
		const stuck = store.all
			.filter(({ state }) => state === 'running' || state === 'queued')
			.map(({ payload }) => String(payload));
		const redriven = await store.redrive(10);
		emit({ t: t(), lane: 'operator', kind: 'state', label: `redrives ${howMany(redriven, 'dead job')}` });
		const again = runs.length;
		await clock.sleep(1000);
		stop.abort();
		await Promise.all(working);

		const overlaps = runs.filter((run, index) =>
			runs.slice(0, index).some((before) => before.name === run.name && before.until > run.from),
		);
		emit({
			rule: RULES.one,
			ok: overlaps.length === 0,
			detail: overlaps[0] ? `${overlaps[0].name} was held twice` : howMany(runs.length, 'run'),
		});
		emit({
			rule: RULES.crash,
			ok: !stuck.includes('import') && accepted.filter((name) => name === 'import').length === 1,
			detail: stuck.length
				? `never ended: ${stuck.join(', ')}`
				: `import took ${howMany(runs.filter(({ name }) => name === 'import').length, 'run')}`,
		});
		const poison = runs.filter(({ name }) => name === 'poison').slice(0, again);
		const early = poison.filter((run, index) => {
			const before = poison[index - 1];
			return before !== undefined && run.attempt > 1 && run.from < before.until + Math.max(before.delayMs ?? 0, 1);
		});
		emit({
			rule: RULES.backoff,
			ok: early.length === 0 && attempts <= 3,
			detail: `${howMany(attempts, 'attempt')} at poison, ${early.length} too early`,
		});
		emit({
			rule: RULES.dead,
			ok:
				dead.length === 1 &&
				dead[0]?.lastError === 'Error: bad input' &&
				redriven === 1 &&
				runs.slice(again).some(({ name }) => name === 'poison'),
			detail: `dead: ${dead.map(({ payload }) => payload).join(', ') || 'none'}; redriven: ${redriven}`,
		});
		const twice = accepted.filter((name, index) => accepted.indexOf(name) !== index);
		emit({
			rule: RULES.lost,
			ok: refused.every((was) => was) && twice.length === 0,
			detail: `${howMany(refused.length, 'late ending')}, ${refused.filter((was) => !was).length} accepted`,
		});
		const firsts = runs.filter((run, index) => runs.findIndex(({ name }) => name === run.name) === index);
		const rankOf = (name: string) => enqueued.get(name) ?? { at: 0, rank: 0 };
		const overtaken = firsts.filter((run, index) =>
			firsts
				.slice(0, index)
				.some((before) => rankOf(run.name).at < before.from && rankOf(before.name).rank > rankOf(run.name).rank),
		);
		const ordinary = firsts.find(({ name }) => name === 'ordinary');
		emit({
			rule: RULES.fair,
			ok: overtaken.length === 0 && ordinary !== undefined,
			detail: ordinary ? `the ordinary job began after ${ordinary.from - began} ms` : 'the ordinary job never began',
		});
	},
};
