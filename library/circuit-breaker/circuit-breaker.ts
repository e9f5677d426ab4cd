/** Where time comes from: a reading in milliseconds. It need not be a date, and a step back does no harm. */
export interface Clock {
	now(): number;
}

/** The call was not made, since the dependency has been failing. */
export class CircuitOpen extends Error {
	override readonly name = 'CircuitOpen';
	/** When a probe may be admitted, in milliseconds from now; an estimate while probes are running. */
	readonly retryAfterMs: number;

	constructor(retryAfterMs: number) {
		super(`circuit is open; try again in ${Math.ceil(retryAfterMs)} ms`);
		this.retryAfterMs = retryAfterMs;
	}
}

/** `closed` calls go through · `open` calls fail at once · `half-open` a few probes decide. */
export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitOptions {
	/** The share of failures that opens the circuit, in (0, 1]. */
	failureRate?: number;
	/** How far back calls are counted, in milliseconds. */
	windowMs?: number;
	/** With fewer calls than this in the window, no rate means anything. */
	minimumCalls?: number;
	/** How long it stays open before probes are admitted, and how long probes may take to decide, in milliseconds. */
	openMs?: number;
	/** How many probes are admitted while half-open. All have to succeed; one failure opens the circuit again. */
	probes?: number;
	/** Whether an error says that the dependency is unwell. What says nothing about it is not counted at all. Must not throw. */
	isFailure?: (error: unknown, signal?: AbortSignal) => boolean;
	/** Hears of each change, after it. Must not throw. */
	onChange?: (to: CircuitState, from: CircuitState) => void;
	clock?: Clock;
}

/**
 * A timeout is the dependency's, a caller who left (however he says so) and a 4xx are the caller's own: otherwise one
 * client with a bug, or a wave of closed tabs, would cut off everybody else.
 */
export function blamesDependency(error: unknown, signal?: AbortSignal): boolean {
	const { name, status } = Object(error) as { name?: unknown; status?: unknown };
	if (name === 'TimeoutError' || name === 'DeadlineExceeded') return true;
	if (signal?.aborted || name === 'AbortError') return false;
	return !(typeof status === 'number' && status >= 400 && status < 500);
}

/** The window moves in steps of a tenth, so that it needs ten pairs of counters and not one entry per call. */
const SLICES = 10;

interface Slice {
	index: number;
	calls: number;
	failures: number;
}

/** Stops calling a dependency that keeps failing, and finds out with a few probes when it is back. One per dependency. */
export class CircuitBreaker {
	readonly #options: Required<CircuitOptions>;
	#state: CircuitState = 'closed';
	/** Grows with each change of state. A call belongs to the era in which it began. */
	#era = 0;
	#since = 0;
	#elapsed = 0;
	#reading: number;
	#slices: Slice[] = [];
	#probing = 0;
	#passed = 0;

	constructor(options: CircuitOptions = {}) {
		this.#options = {
			failureRate: 0.5,
			windowMs: 10_000,
			minimumCalls: 20,
			openMs: 5_000,
			probes: 3,
			isFailure: blamesDependency,
			onChange: () => {},
			clock: { now: () => performance.now() },
			...options,
		};
		const { failureRate, windowMs, minimumCalls, openMs, probes } = this.#options;
		if (!(failureRate > 0 && failureRate <= 1)) throw new RangeError(`failureRate is ${failureRate}; expected (0, 1]`);
		for (const [name, value] of Object.entries({ windowMs, minimumCalls, openMs, probes }))
			if (!(value >= 1)) throw new RangeError(`${name} is ${value}; expected 1 or more`);
		this.#reading = this.#options.clock.now();
	}

	/** The state as of the last call: it is calls that move an open circuit on, not a timer. */
	get state(): CircuitState {
		return this.#state;
	}

	/**
	 * Calls `work`, unless the circuit is open.
	 * @param signal the caller's, to tell a caller who left from a dependency that failed; `work` listens to it by itself
	 * @throws CircuitOpen without calling; otherwise what `work` throws, as it is
	 */
	async call<T>(work: () => T | PromiseLike<T>, signal?: AbortSignal): Promise<T> {
		this.#admit();
		const era = this.#era;
		try {
			const value = await work();
			this.#report(era, false);
			return value;
		} catch (error) {
			this.#report(era, this.#options.isFailure(error, signal) ? true : undefined);
			throw error;
		}
	}

	#admit(): void {
		const { openMs, probes } = this.#options;
		if (this.#state === 'open') {
			const left = this.#since + openMs - this.#now();
			if (left > 0) throw new CircuitOpen(left);
			this.#change('half-open');
		}
		if (this.#state !== 'half-open') return;
		if (this.#probing + this.#passed >= probes) {
			// Probes that hang must not keep everyone out for good; that they hang is an answer too.
			if (this.#now() - this.#since >= openMs) this.#change('open');
			throw new CircuitOpen(this.#since + openMs - this.#now());
		}
		this.#probing++;
	}

	/** @param failed undefined when the outcome says nothing about the dependency */
	#report(era: number, failed: boolean | undefined): void {
		// News from before the change: it was counted by the change, or belongs to probes that were given up.
		if (era !== this.#era) return;
		if (this.#state === 'half-open') {
			this.#probing--;
			if (failed) this.#change('open');
			else if (failed === false && ++this.#passed >= this.#options.probes) this.#change('closed');
		} else if (failed !== undefined) this.#count(failed);
	}

	#count(failed: boolean): void {
		const { windowMs, minimumCalls, failureRate } = this.#options;
		const index = Math.floor((this.#now() * SLICES) / windowMs);
		this.#slices = this.#slices.filter((slice) => slice.index > index - SLICES);
		let slice = this.#slices.at(-1);
		if (slice?.index !== index) {
			slice = { index, calls: 0, failures: 0 };
			this.#slices.push(slice);
		}
		slice.calls++;
		if (failed) slice.failures++;
		const calls = this.#slices.reduce((sum, each) => sum + each.calls, 0);
		const failures = this.#slices.reduce((sum, each) => sum + each.failures, 0);
		if (calls >= minimumCalls && failures >= failureRate * calls) this.#change('open');
	}

	#change(to: CircuitState): void {
		const from = this.#state;
		this.#state = to;
		this.#era++;
		this.#since = this.#now();
		this.#slices = [];
		this.#probing = 0;
		this.#passed = 0;
		this.#options.onChange(to, from);
	}

	/** Milliseconds since the start, summed from steps forward: a clock that steps back stands still for once, no more. */
	#now(): number {
		const reading = this.#options.clock.now();
		this.#elapsed += Math.max(0, reading - this.#reading);
		this.#reading = reading;
		return this.#elapsed;
	}
}
