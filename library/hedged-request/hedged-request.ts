import { type Clock, type Deadline, onAbort, withDeadline } from '../deadline-propagation/deadline-propagation.ts';

export interface HedgeOptions {
	/** A second attempt starts when the first takes longer than this share of calls does, in (0, 1). */
	percentile?: number;
	/** Second attempts as a share of calls: what the tail may cost. 0.05 is five percent more load at most. */
	maxShare?: number;
	/** How many second attempts quiet times can save up. */
	burst?: number;
	/** How many latencies are remembered, the latest. */
	samples?: number;
	/** With fewer latencies than this the percentile is a guess, and nothing is hedged. */
	minimumSamples?: number;
}

/** Does the call on one replica. `attempt` is 1 or 2: send the second elsewhere, or it waits in the same queue. */
export type HedgedWork<T> = (deadline: Deadline, attempt: number) => T | PromiseLike<T>;

/**
 * Cuts the slow tail of a call: when an attempt takes longer than nearly all do, a second one starts, and whichever
 * succeeds first is the answer. One for each operation, since it learns how long that operation takes.
 * @see Dean and Barroso, "The Tail at Scale", CACM 56(2), 2013
 */
export class Hedger {
	readonly #percentile: number;
	readonly #maxShare: number;
	readonly #burst: number;
	readonly #minimumSamples: number;
	readonly #latencies: Latencies;
	/** Second attempts that have been paid for. Nothing on credit: it starts at zero. */
	#allowance = 0;

	constructor(options: HedgeOptions = {}) {
		const { percentile = 0.95, maxShare = 0.05, burst = 10, samples = 200, minimumSamples = 20 } = options;
		if (!(percentile > 0 && percentile < 1)) throw new RangeError(`percentile is ${percentile}; expected (0, 1)`);
		if (!(maxShare >= 0 && maxShare <= 1)) throw new RangeError(`maxShare is ${maxShare}; expected [0, 1]`);
		if (!(burst >= 1)) throw new RangeError(`burst is ${burst}; expected 1 or more`);
		if (!(minimumSamples >= 1 && samples >= minimumSamples && Number.isSafeInteger(samples)))
			throw new RangeError(
				`samples is ${samples}; expected a whole number of at least minimumSamples, ${minimumSamples}, which is 1 or more`,
			);
		this.#percentile = percentile;
		this.#maxShare = maxShare;
		this.#burst = burst;
		this.#minimumSamples = minimumSamples;
		this.#latencies = new Latencies(samples);
	}

	/** Milliseconds that a first attempt is given before a second one starts; undefined while too little is known. */
	get delayMs(): number | undefined {
		return this.#latencies.count < this.#minimumSamples ? undefined : this.#latencies.percentile(this.#percentile);
	}

	/**
	 * Both attempts live under one deadline, a child of `deadline` that ends with the answer: the loser is aborted then.
	 * @param idempotent whether doing it twice is the same as doing it once; if not, there is one attempt, come what may
	 * @throws when no attempt is left that could succeed: the first failure; or the deadline's reason
	 */
	call<T>(deadline: Deadline, work: HedgedWork<T>, { idempotent }: { idempotent: boolean }): Promise<T> {
		return withDeadline(deadline, {}, (scope) => {
			// Here and not before: a call whose time was over is never made, and pays for nobody's second attempt.
			this.#allowance = Math.min(this.#burst, this.#allowance + this.#maxShare);
			return this.#race(scope, work, idempotent ? this.delayMs : undefined);
		});
	}

	#race<T>(scope: Deadline, work: HedgedWork<T>, delayMs: number | undefined): Promise<T> {
		const { clock, signal } = scope;
		const began = clock.now();
		return new Promise<T>((resolve, reject) => {
			let running = 0;
			let over = false;
			let failure: { error: unknown } | undefined;
			const start = (attempt: number) => {
				running++;
				(async () => work(scope, attempt))().then(
					(value) => {
						// A first attempt that is cancelled now took at least this long. To count only the second would teach
						// it that all calls are fast, and the threshold would sink with each success.
						if (!over && !failure && !signal.aborted) this.#latencies.add(clock.now() - began);
						over = true;
						resolve(value);
					},
					(error: unknown) => {
						failure ??= { error };
						if (--running === 0) reject(failure.error);
					},
				);
			};
			start(1);
			if (delayMs === undefined) return;
			const cancel = timerAt(clock, began + delayMs, () => {
				// A failure is not hedged, for that would be a retry; it has settled the race if it came before this.
				if (running === 1 && this.#spend()) start(2);
			});
			// The scope ends with the race, in whatever way it ends.
			onAbort(signal, cancel);
		});
	}

	#spend(): boolean {
		if (this.#allowance < 1) return false;
		this.#allowance -= 1;
		return true;
	}
}

/** Calls back when the clock has reached `at`, and not when a timer fires a little early; returns what cancels it. */
function timerAt(clock: Clock, at: number, callback: () => void): () => void {
	let cancel = () => {};
	const look = () => {
		const left = at - clock.now();
		if (left > 0) cancel = clock.after(left, look);
		else callback();
	};
	cancel = clock.after(at - clock.now(), look);
	return () => cancel();
}

/** The latest latencies, in milliseconds. */
class Latencies {
	readonly #ring: number[] = [];
	readonly #size: number;
	#next = 0;

	constructor(size: number) {
		this.#size = size;
	}

	get count(): number {
		return this.#ring.length;
	}

	add(ms: number): void {
		this.#ring[this.#next] = ms;
		this.#next = (this.#next + 1) % this.#size;
	}

	/** The nearest-rank percentile: the least latency that at least the share `p` of them does not exceed. */
	percentile(p: number): number | undefined {
		const sorted = this.#ring.toSorted((a, b) => a - b);
		return sorted[Math.ceil(p * sorted.length) - 1];
	}
}
