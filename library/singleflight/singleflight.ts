/** One caller that waits for a flight. */
interface Waiter<V> {
	resolve(value: V): void;
	reject(reason: unknown): void;
	/** Stops listening to the caller's signal. */
	detach(): void;
}

interface Flight<V> {
	readonly controller: AbortController;
	readonly waiters: Set<Waiter<V>>;
}

/**
 * Runs a function once for all callers that ask for the same key at the same time, and gives each of them its outcome.
 * It remembers nothing: when the function has settled, the next call runs it again. Not a cache.
 *
 * The key must name everything that the outcome depends on, the tenant and the permissions of the caller included:
 * callers who share a key share the answer, the very same object.
 */
export class Singleflight<V, K = string> {
	readonly #flights = new Map<K, Flight<V>>();

	/** How many keys are in flight. */
	get size(): number {
		return this.#flights.size;
	}

	/**
	 * Joins the flight for `key`, or starts it by calling `work` at once. `work` gets a signal of the flight's own, which
	 * aborts when every caller has left; it is bound to none of them.
	 * @param signal lets this caller leave: its promise rejects with the signal's reason, and nobody else notices
	 * @throws (as a rejection) what `work` threw or rejected with, to every caller that still waits
	 */
	run(key: K, work: (signal: AbortSignal) => V | PromiseLike<V>, signal?: AbortSignal): Promise<V> {
		if (signal?.aborted) return Promise.reject(signal.reason);
		const current = this.#flights.get(key);
		if (current) return this.#join(key, current, signal);

		const flight: Flight<V> = { controller: new AbortController(), waiters: new Set() };
		this.#flights.set(key, flight);
		const outcome = this.#join(key, flight, signal);
		// The executor turns a synchronous throw into a rejection, so that there is one way to land.
		new Promise<V>((resolve) => resolve(work(flight.controller.signal))).then(
			(value) => this.#land(key, flight, (waiter) => waiter.resolve(value)),
			(reason) => this.#land(key, flight, (waiter) => waiter.reject(reason)),
		);
		return outcome;
	}

	/** Lets later callers start a flight of their own, since the current one reads what has changed; it goes on for those who wait. */
	forget(key: K): void {
		this.#flights.delete(key);
	}

	#join(key: K, flight: Flight<V>, signal: AbortSignal | undefined): Promise<V> {
		return new Promise<V>((resolve, reject) => {
			const leave = () => {
				flight.waiters.delete(waiter);
				reject(signal?.reason);
				if (flight.waiters.size > 0) return;
				// Nobody may board work that is being cancelled, so the key goes first.
				this.#free(key, flight);
				flight.controller.abort(signal?.reason);
			};
			const waiter = { resolve, reject, detach: () => signal?.removeEventListener('abort', leave) };
			flight.waiters.add(waiter);
			signal?.addEventListener('abort', leave, { once: true });
		});
	}

	#land(key: K, flight: Flight<V>, deliver: (waiter: Waiter<V>) => void): void {
		// Before anyone hears of it: a caller that tries again must find the key free.
		this.#free(key, flight);
		for (const waiter of flight.waiters) {
			waiter.detach();
			deliver(waiter);
		}
		flight.waiters.clear();
	}

	/** An abandoned flight may settle when the key already belongs to its successor. */
	#free(key: K, flight: Flight<V>): void {
		if (this.#flights.get(key) === flight) this.#flights.delete(key);
	}
}
