/**
 * How much of one dependency this process may use at a time.
 * A bulkhead keeps its slots and its queue to itself: give each dependency (database, payment API, PDF renderer) its own.
 */
export interface BulkheadLimits {
	/** Most calls that run at once; an integer of at least 1. */
	maxRunning: number;
	/** Most calls that wait for a slot; 0 means that nobody waits. */
	maxWaiting: number;
}

/** Refused because every slot and every place in the queue was taken. Answer 503 or 429, or shed the work; it never began. */
export class BulkheadFullError extends Error {
	override name = 'BulkheadFullError';
	readonly limits: BulkheadLimits;

	constructor(limits: BulkheadLimits) {
		super(`bulkhead full: ${limits.maxRunning} running and ${limits.maxWaiting} waiting; try again later`);
		this.limits = limits;
	}
}

/**
 * Bounds the concurrency of calls to one dependency, and the queue in front of it (Nygard, "Release It!", Bulkheads).
 *
 * A slot belongs to the work, not to its caller: it is given back when the work has settled, even if the caller has
 * long stopped listening. A freed slot passes straight to the head of the queue, so that no newcomer slips in between.
 */
export class Bulkhead {
	readonly limits: Readonly<BulkheadLimits>;
	#running = 0;
	/** Who waits, in order of arrival. A set, since an abort takes its caller out of the middle. */
	readonly #queue = new Set<() => void>();

	/** @throws RangeError when a limit is not an integer in its range */
	constructor({ maxRunning, maxWaiting }: BulkheadLimits) {
		if (!Number.isSafeInteger(maxRunning) || maxRunning < 1)
			throw new RangeError(`maxRunning must be an integer of at least 1, not ${maxRunning}`);
		if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 0)
			throw new RangeError(`maxWaiting must be an integer of at least 0, not ${maxWaiting}`);
		this.limits = { maxRunning, maxWaiting };
	}

	/** Calls that hold a slot now. */
	get running(): number {
		return this.#running;
	}

	/** Calls that wait for a slot now. */
	get waiting(): number {
		return this.#queue.size;
	}

	/**
	 * Runs `work` in a slot, after waiting for one if need be.
	 *
	 * @param work gets the caller's signal and should end soon after it aborts: until then it keeps its slot
	 * @param signal the caller's; while waiting it takes the call out of the queue at once. To bound the wait, pass a
	 *   signal with a time limit (`AbortSignal.timeout(ms)`).
	 * @returns what `work` returns
	 * @throws BulkheadFullError at once when there is neither a slot nor a place in the queue; `signal.reason` when it
	 *   aborted before `work` began; whatever `work` throws
	 */
	run<T>(work: (signal: AbortSignal | undefined) => T | PromiseLike<T>, signal?: AbortSignal): Promise<T> {
		if (signal?.aborted) return Promise.reject(signal.reason);
		if (this.#running < this.limits.maxRunning) {
			this.#running++;
			return this.#hold(work, signal);
		}
		if (this.#queue.size >= this.limits.maxWaiting) return Promise.reject(new BulkheadFullError(this.limits));
		return new Promise<T>((resolve, reject) => {
			const start = () => {
				signal?.removeEventListener('abort', leave);
				resolve(this.#hold(work, signal));
			};
			const leave = () => {
				this.#queue.delete(start);
				reject(signal?.reason);
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.#queue.add(start);
		});
	}

	/** Runs `work` in a slot that is already counted, and gives the slot back once. */
	async #hold<T>(
		work: (signal: AbortSignal | undefined) => T | PromiseLike<T>,
		signal: AbortSignal | undefined,
	): Promise<T> {
		try {
			// A synchronous throw must settle later too: a queue of calls that all throw would otherwise unwind as one stack.
			return await new Promise<T>((resolve) => resolve(work(signal)));
		} finally {
			this.#release();
		}
	}

	#release(): void {
		const [next] = this.#queue;
		if (!next) {
			this.#running--;
			return;
		}
		this.#queue.delete(next);
		next();
	}
}
