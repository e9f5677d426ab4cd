import { assertTtl, type Clock, StaleTokenError, systemClock, whileRenewed } from '../fenced-lease/fenced-lease.ts';
import { fullJitter } from '../retry-backoff/retry-backoff.ts';
import type { Job, Jobs } from './job-queue.ts';

/** Thrown by a handler whose job no retry can help: it is buried at once. */
export class PermanentError extends Error {
	override readonly name = 'PermanentError';
}

/**
 * Does the job, or throws. `signal` is aborted when the lease is lost. A handler that completed the job itself, in the
 * transaction of its effects, returns `'completed'`. Other effects may happen more than once and have to be idempotent.
 */
export type Handler = (job: Job, signal: AbortSignal) => Promise<unknown>;

/** `lost`: the job is another run's by now, or was ended; whatever this run made of it doesn't count. */
export type Outcome = 'done' | 'retried' | 'dead' | 'lost';

export interface WorkerOptions {
	/** Stops claiming. Jobs under way are brought to their end; to end them sooner, end the process. */
	signal: AbortSignal;
	/** How long a lease lasts without renewal. Default 30,000. */
	ttlMs?: number;
	/** Jobs at a time. Default 1. */
	concurrency?: number;
	/** Pause after finding nothing, and after an error of the queue. Default 1000. */
	pollMs?: number;
	/** The n-th retry waits a random part of min(capMs, baseMs · 2^n). Default 1 s and 1 h. */
	backoff?: { baseMs: number; capMs: number };
	random?: () => number;
	clock?: Clock;
	/** What it throws goes to `onError`. */
	onOutcome?: (job: Job, outcome: Outcome, error?: unknown) => void;
	/**
	 * The queue itself failed: the job, if there was one, comes back when its lease ends. Must not throw: that ends the
	 * worker.
	 */
	onError?: (error: unknown) => void;
}

/**
 * Claims and runs jobs until `signal` is aborted; resolves when the last one has ended.
 * @throws RangeError when an option makes no sense, before anything is claimed
 */
export async function runWorker(jobs: Jobs, options: WorkerOptions, handler: Handler): Promise<void> {
	const { signal, ttlMs = 30_000, concurrency = 1, pollMs = 1000, clock = systemClock } = options;
	assertTtl(ttlMs);
	if (!Number.isSafeInteger(concurrency) || concurrency < 1)
		throw new RangeError(`concurrency must be an integer of at least 1, not ${concurrency}`);
	if (!(pollMs >= 0 && pollMs < 2 ** 31)) throw new RangeError(`pollMs must be from 0 to below 2^31, not ${pollMs}`);
	const loop = async () => {
		while (!signal.aborted) {
			try {
				const askedAt = clock.now();
				const [job] = await jobs.claim(1, ttlMs);
				if (job) {
					await runJob(jobs, job, askedAt, options, handler);
					continue;
				}
			} catch (error) {
				options.onError?.(error);
			}
			await pause(clock, pollMs, signal);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, loop));
}

/**
 * Runs one claimed job and tells the queue what became of it.
 * @param askedAt when it was claimed, in the clock's milliseconds, taken before the claim was sent
 * @throws what the queue throws; the job comes back when its lease ends
 */
export async function runJob(
	jobs: Jobs,
	job: Job,
	askedAt: number,
	options: WorkerOptions,
	handler: Handler,
): Promise<Outcome> {
	const { ttlMs = 30_000, clock = systemClock, random = Math.random, onOutcome } = options;
	const { baseMs, capMs } = options.backoff ?? { baseMs: 1000, capMs: 3_600_000 };
	let failure: unknown;
	const settle = async (): Promise<Outcome> => {
		let result: unknown;
		try {
			const renew = () => jobs.renew(job, ttlMs);
			result = await whileRenewed({ ttlMs, clock, askedAt, renew }, (signal) => handler(job, signal));
		} catch (error) {
			failure = error;
			const delayMs = error instanceof PermanentError ? undefined : fullJitter(job.attempt - 1, baseMs, capMs, random);
			return jobs.fail(job, String(error), delayMs);
		}
		if (result !== 'completed') await jobs.complete(job);
		return 'done';
	};
	const outcome = await settle().catch((error: unknown): Outcome => {
		if (error instanceof StaleTokenError) return 'lost';
		throw error;
	});
	onOutcome?.(job, outcome, failure);
	return outcome;
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			cancel();
			signal.removeEventListener('abort', end);
			resolve();
		};
		const cancel = clock.after(ms, end);
		if (signal.aborted) end();
		else signal.addEventListener('abort', end, { once: true });
	});
}
