import { type Clock, type Deadline, onAbort, withDeadline } from '../deadline-propagation/deadline-propagation.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What a failure means. Only `transient` is tried again; `retryAfterMs` is when the other side asked us to come back. */
export interface Verdict {
	transient: boolean;
	retryAfterMs?: number | undefined;
}

/** Throw this for a response that is no success, so that `classify` can see what it was. */
export class HttpError extends Error {
	override readonly name = 'HttpError';
	readonly status: number;
	readonly retryAfter: string | null;

	/** @param retryAfter the value of the Retry-After header, if there was one */
	constructor(status: number, retryAfter: string | null = null) {
		super(`HTTP ${status}`);
		this.status = status;
		this.retryAfter = retryAfter;
	}
}

/** Statuses that say "not now" rather than "not like this". */
const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Codes of sockets and resolvers as Node reports them, on the error or on its cause. */
const TRANSIENT_CODE = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'UND_ERR_SOCKET']);

/** Browsers report a lost network as a TypeError that only its message tells from a bug: Chromium, Firefox, Safari. */
const BROWSER_NETWORK_ERROR = /^(Failed to fetch|NetworkError when|Load failed|The network connection was lost)/;

/** The verdict for HTTP calls. What it does not know is permanent: a bug is not cured by running it five times. */
export function classifyHttp(error: unknown, wallClock: () => number = Date.now): Verdict {
	if (error instanceof HttpError)
		return {
			transient: TRANSIENT_STATUS.has(error.status),
			retryAfterMs: parseRetryAfter(error.retryAfter, wallClock()),
		};
	if (!(error instanceof Error)) return { transient: false };
	if (error.name === 'DeadlineExceeded' || error.name === 'TimeoutError') return { transient: true };
	if (error instanceof TypeError && BROWSER_NETWORK_ERROR.test(error.message)) return { transient: true };
	return { transient: [error, error.cause].some((e) => TRANSIENT_CODE.has(String(Object(e).code))) };
}

/**
 * Bounds what retries add to the load: each call pays in `ratio`, each retry takes out 1. In a healthy system nobody
 * notices; when everything fails, the load grows by `ratio` and not by the number of attempts. Share one among all calls
 * to the same dependency.
 */
export class RetryBudget {
	readonly #ratio: number;
	readonly #most: number;
	#balance: number;

	/**
	 * @param ratio retries per call in the long run, 0.1 being ten percent
	 * @param reserve retries that are there from the start, and the most that can be saved up
	 */
	constructor({ ratio = 0.1, reserve = 10 }: { ratio?: number; reserve?: number } = {}) {
		if (!(ratio >= 0 && reserve >= 0)) throw new RangeError(`ratio ${ratio} and reserve ${reserve} must be 0 or more`);
		this.#ratio = ratio;
		this.#most = reserve;
		this.#balance = reserve;
	}

	deposit(): void {
		this.#balance = Math.min(this.#most, this.#balance + this.#ratio);
	}

	/** @returns false, and takes nothing, when a whole retry is not there */
	withdraw(): boolean {
		if (this.#balance < 1) return false;
		this.#balance -= 1;
		return true;
	}
}

/** Why it went as it did, for logs and metrics. `retry` comes with the delay; the rest are reasons to give up. */
export type Decision = 'retry' | 'permanent' | 'unsafe' | 'attempts' | 'deadline' | 'budget';

export interface RetryOptions {
	/** Bounds everything, the sleeps included; its signal ends them. */
	deadline: Deadline;
	/** True when doing it twice is the same as doing it once (GET, PUT, DELETE). Not so unless you say so. */
	idempotent?: boolean;
	/** Makes any call repeatable, if the other side keeps such keys. Each attempt gets the same one. */
	idempotencyKey?: string;
	budget?: RetryBudget;
	/** Attempts in all, the first included. */
	maxAttempts?: number;
	/** The ceiling of the first delay, in milliseconds; it doubles with each retry. */
	baseMs?: number;
	/** The ceiling of every computed delay, in milliseconds. */
	capMs?: number;
	/** The most that one attempt may take, in milliseconds. */
	attemptMs?: number;
	classify?: (error: unknown) => Verdict;
	/** Numbers in [0, 1). */
	random?: () => number;
	/** Must not throw: that would end the retries. */
	onDecision?: (decision: Decision, error: unknown, attempt: number, delayMs: number) => void;
}

export interface Attempt {
	/** 1 for the first. */
	number: number;
	deadline: Deadline;
	idempotencyKey: string | undefined;
}

/**
 * Calls `work` until it succeeds or trying again makes no sense, with a sleep of random length in between.
 * @throws the last failure as it is, or the deadline's reason when that ended first
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ ("full jitter")
 */
export async function retry<T>(work: (attempt: Attempt) => T | PromiseLike<T>, options: RetryOptions): Promise<T> {
	const { deadline, idempotencyKey, budget, maxAttempts = 4, baseMs = 100, capMs = 10_000, attemptMs } = options;
	const { classify = classifyHttp, random = Math.random, onDecision } = options;
	if (!(maxAttempts >= 1)) throw new RangeError(`maxAttempts is ${maxAttempts}; expected 1 or more`);
	if (!(baseMs >= 0 && capMs >= 0)) throw new RangeError(`baseMs ${baseMs} and capMs ${capMs} must be 0 or more`);
	const repeatable = options.idempotent === true || Boolean(idempotencyKey);
	const limit = attemptMs === undefined ? {} : { budgetMs: attemptMs };
	budget?.deposit();

	for (let number = 1; ; number++) {
		try {
			return await withDeadline(deadline, limit, (child) => work({ number, deadline: child, idempotencyKey }));
		} catch (error) {
			// A caller who left, or whose time is over, is told so and causes no more calls.
			deadline.check();
			const { transient, retryAfterMs } = classify(error);
			const delayMs = retryAfterMs ?? fullJitter(number - 1, baseMs, capMs, random);
			const decide = (): Decision => {
				if (!transient) return 'permanent';
				if (!repeatable) return 'unsafe';
				if (number >= maxAttempts) return 'attempts';
				if (delayMs >= deadline.remaining()) return 'deadline';
				// Last, for whoever asks has paid.
				return budget && !budget.withdraw() ? 'budget' : 'retry';
			};
			const decision = decide();
			onDecision?.(decision, error, number, delayMs);
			if (decision !== 'retry') throw error;
			await sleep(deadline.clock, delayMs, deadline.signal);
		}
	}
}

/**
 * A delay spread evenly over [0, min(cap, base · 2^n)], in milliseconds. The whole range and not a few percent around
 * its end: clients that failed together must not come back together.
 * @param n retries so far, 0 for the first
 */
export function fullJitter(n: number, baseMs: number, capMs: number, random: () => number): number {
	return random() * Math.min(capMs, baseMs * 2 ** Math.min(n, 52));
}

/** Sleeps `ms`, or rejects with the signal's reason at once when it aborts; leaves neither timer nor listener. */
function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	const at = clock.now() + ms;
	return new Promise((resolve, reject) => {
		let cancel = () => {};
		const wakeOrWait = () => {
			const left = at - clock.now();
			// A timer may be a little early, and holds 25 days at most: nobody is asked before the time that it named.
			if (left > 0) {
				cancel = clock.after(left, wakeOrWait);
				return;
			}
			unlink();
			resolve();
		};
		cancel = clock.after(ms, wakeOrWait);
		const unlink = onAbort(signal, () => {
			cancel();
			reject(signal.reason);
		});
	});
}
