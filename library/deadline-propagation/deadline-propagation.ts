/** Where time comes from. Durations and readings are milliseconds; only differences between readings mean anything. */
export interface Clock {
	/** A reading that never steps back. Not a date. */
	now(): number;
	/** Calls `callback` once, about `ms` later; returns the function that cancels it. */
	after(ms: number, callback: () => void): () => void;
}

/** The longest delay that setTimeout takes; a longer one overflows its 32 bits and fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process's monotonic clock. A wall clock would not do: NTP and people move it, and every budget with it. */
export const monotonicClock: Clock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
		return () => clearTimeout(timer);
	},
};

/** Time ran out. As the reason of an aborted signal it tells a timeout from a caller who left. */
export class DeadlineExceeded extends Error {
	override readonly name = 'DeadlineExceeded';
}

/** What a piece of work knows about the time it has. Hand it down as an argument, as one hands down a signal. */
export interface Deadline {
	readonly clock: Clock;
	/** Aborts when the time is over, when any ancestor aborts, and when the work that it was made for has ended. */
	readonly signal: AbortSignal;
	/** Milliseconds left: never negative, Infinity when nothing limits it. */
	remaining(): number;
	/** @throws the signal's reason, or DeadlineExceeded, when no further call may begin */
	check(): void;
}

/** The top of a tree: no limit of its own, the clock for everything below, and the signal of whoever asked. */
export function rootDeadline(options: { clock?: Clock; signal?: AbortSignal } = {}): Deadline {
	return deadline(
		options.clock ?? monotonicClock,
		Number.POSITIVE_INFINITY,
		options.signal ?? new AbortController().signal,
	);
}

export interface Limit {
	/** The most that the work may take, in milliseconds. Left out: all that the parent has. */
	budgetMs?: number;
	/** What the parent keeps for itself afterwards (to answer with a fallback, say), in milliseconds. */
	reserveMs?: number;
}

/**
 * Runs `work` under a child of `parent` and settles as it does, or at the latest when the time is over or an ancestor
 * aborts, whether or not the work listens to its signal. Work that outlives the call is aborted, its outcome dropped:
 * read a response's body inside of `work`.
 * @throws the abort's reason, DeadlineExceeded when no time is left (then `work` is never called), or what `work` throws
 */
export async function withDeadline<T>(
	parent: Deadline,
	{ budgetMs = Number.POSITIVE_INFINITY, reserveMs = 0 }: Limit,
	work: (child: Deadline) => T | PromiseLike<T>,
): Promise<T> {
	if (Number.isNaN(budgetMs)) throw new RangeError('budgetMs is not a number');
	if (!(reserveMs >= 0)) throw new RangeError(`reserveMs is ${reserveMs}; expected 0 or more`);
	parent.check();
	const { clock } = parent;
	// Read before the parent reads it: time that passes in between must not be granted a second time.
	const now = clock.now();
	const left = Math.min(budgetMs, parent.remaining() - reserveMs);
	if (!(left > 0)) throw new DeadlineExceeded('no time is left to begin');

	const scope = new AbortController();
	const at = now + left;
	let cancelTimer = () => {};
	const expireOrWait = () => {
		const wait = at - clock.now();
		// Timers fire early by a fraction, and a delay that is too long for one timer takes several.
		if (wait > 0) cancelTimer = clock.after(wait, expireOrWait);
		else scope.abort(new DeadlineExceeded(`time is over after ${Math.round(left)} ms`));
	};
	const unlink = onAbort(parent.signal, () => scope.abort(parent.signal.reason));
	if (left !== Number.POSITIVE_INFINITY) expireOrWait();
	try {
		return await new Promise<T>((resolve, reject) => {
			scope.signal.addEventListener('abort', () => reject(scope.signal.reason), { once: true });
			// Resolving with the work itself would lock the promise to it, and the abort could no longer reject.
			(async () => work(deadline(clock, at, scope.signal)))().then(resolve, reject);
		});
	} finally {
		cancelTimer();
		unlink();
		scope.abort(new DOMException('The work of this deadline has ended', 'AbortError'));
	}
}

function deadline(clock: Clock, at: number, signal: AbortSignal): Deadline {
	const remaining = () => Math.max(0, at - clock.now());
	const check = () => {
		signal.throwIfAborted();
		// A busy event loop delivers the abort late; the clock knows already.
		if (remaining() <= 0) throw new DeadlineExceeded('time is over');
	};
	return { clock, signal, remaining, check };
}

interface Fan {
	readonly callbacks: Set<() => void>;
	readonly fire: () => void;
}

const fans = new WeakMap<AbortSignal, Fan>();

/**
 * Calls `callback` when `signal` aborts, at once if it has; returns the function that takes it back. One listener per
 * signal, whatever the number of callbacks: Node reports a leak at the eleventh listener, and a server that runs a
 * thousand calls under one root has none.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
	if (signal.aborted) {
		callback();
		return () => {};
	}
	const fan = fans.get(signal) ?? spread(signal);
	const entry = () => callback();
	fan.callbacks.add(entry);
	return () => {
		fan.callbacks.delete(entry);
		if (fan.callbacks.size > 0 || fans.get(signal) !== fan) return;
		signal.removeEventListener('abort', fan.fire);
		fans.delete(signal);
	};
}

function spread(signal: AbortSignal): Fan {
	const callbacks = new Set<() => void>();
	const fire = () => {
		for (const callback of callbacks) {
			try {
				callback();
			} catch (error) {
				// As with listeners of its own: one that throws is reported and keeps the news from nobody.
				queueMicrotask(() => {
					throw error;
				});
			}
		}
	};
	const fan = { callbacks, fire };
	signal.addEventListener('abort', fire, { once: true });
	fans.set(signal, fan);
	return fan;
}

/** Units of a gRPC timeout, in milliseconds, finest first. */
const UNIT_MS: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, m: 1, S: 1e3, M: 6e4, H: 3.6e6 };

/**
 * The time that is left as the value of a `grpc-timeout` header: at most eight digits and a unit, rounded down. A
 * duration needs no agreement between two machines about what time it is.
 * @returns undefined when nothing limits the call: send no header
 * @throws like `check` when there is no time left to send anything
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md ("Timeout")
 */
export function encodeTimeout(deadline: Deadline): string | undefined {
	deadline.check();
	const left = deadline.remaining();
	if (left === Number.POSITIVE_INFINITY) return undefined;
	for (const unit of left < 1 ? ['n'] : ['m', 'S', 'M', 'H']) {
		const value = Math.floor(left / (UNIT_MS[unit] ?? 1));
		if (value < 1e8) return `${Math.max(1, value)}${unit}`;
	}
	return '99999999H';
}

/**
 * Milliseconds from the value of a `grpc-timeout` header; undefined when there is none. Bound it by what the server
 * itself allows before using it as a budget.
 * @throws RangeError when it is malformed: answer 400, for "no limit" is the wrong guess
 */
export function decodeTimeout(header: string | null | undefined): number | undefined {
	if (header === null || header === undefined) return undefined;
	const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? [];
	if (digits === undefined || unit === undefined)
		throw new RangeError(`malformed timeout "${header}"; expected up to 8 digits and one of H M S m u n, such as 250m`);
	return Number(digits) * (UNIT_MS[unit] ?? 1);
}
