/**
 * Loads many keys at once. Gets distinct keys, at most `maxBatch` of them, and returns one entry for each, in the same order:
 * the value, or an Error for that key alone. `signal` is the request's.
 */
export type BatchFetch<K, V> = (keys: readonly K[], signal: AbortSignal) => PromiseLike<readonly (V | Error)[]>;

export interface BatchLoaderOptions<K> {
	/**
	 * The request that the loader serves. When it aborts, loads that are pending reject, what was loaded is forgotten, and
	 * further loads are refused: answers remembered for one user must not reach the next, and old ones not the same user
	 * later.
	 */
	request: AbortSignal;
	/** Most keys in one call of `fetch`; an integer of at least 1. Default 100. */
	maxBatch?: number;
	/** What makes two keys the same; needed when keys are objects. Default: the key itself, as in a Map. */
	identify?: (key: K) => unknown;
	/**
	 * Calls back when this tick is over: after every promise that can settle now, and whatever loads it asks for.
	 * Default: the next macrotask (setImmediate, or a timer of 0 ms).
	 */
	schedule?: (callback: () => void) => void;
}

interface Load<K, V> {
	key: K;
	id: unknown;
	resolve(value: V): void;
	reject(reason: unknown): void;
}

const nextTick = (callback: () => void): void => {
	if (typeof setImmediate === 'function') setImmediate(callback);
	else setTimeout(callback, 0);
};

/**
 * Turns single loads into batches: whatever is asked for in one tick becomes one call of `fetch`, or several when it
 * exceeds `maxBatch`, and each key is asked for once in a request. After the idea of DataLoader (Facebook, 2010 and 2015).
 *
 * Make one for each request, never one for the process.
 */
export class BatchLoader<K, V> {
	readonly #fetch: BatchFetch<K, V>;
	readonly #request: AbortSignal;
	readonly #maxBatch: number;
	readonly #identify: (key: K) => unknown;
	readonly #schedule: (callback: () => void) => void;
	readonly #memo = new Map<unknown, Promise<V>>();
	/** Loads that are asked for or under way, so that the end of the request can reject them. */
	readonly #pending = new Set<Load<K, V>>();
	#queue: Load<K, V>[] = [];

	/** @throws RangeError when `maxBatch` is not an integer of at least 1 */
	constructor(fetch: BatchFetch<K, V>, options: BatchLoaderOptions<K>) {
		const { request, maxBatch = 100, identify = (key) => key, schedule = nextTick } = options;
		if (!Number.isSafeInteger(maxBatch) || maxBatch < 1)
			throw new RangeError(`maxBatch must be an integer of at least 1, not ${maxBatch}`);
		this.#fetch = fetch;
		this.#request = request;
		this.#maxBatch = maxBatch;
		this.#identify = identify;
		this.#schedule = schedule;
		request.addEventListener('abort', () => this.#end(), { once: true });
	}

	/**
	 * @returns the key's value, which everyone who asks for this key in the request shares: treat it as read-only
	 * @throws the key's own Error, what `fetch` threw for its batch, or the request's reason when it has ended
	 */
	load(key: K): Promise<V> {
		if (this.#request.aborted) return Promise.reject(this.#request.reason);
		let id: unknown;
		try {
			id = this.#identify(key);
		} catch (error) {
			// A key that cannot be identified fails alone, in `loadMany` too.
			return Promise.reject(error);
		}
		const known = this.#memo.get(id);
		if (known) return known;

		const promise = new Promise<V>((resolve, reject) => {
			const load = { key, id, resolve, reject };
			this.#pending.add(load);
			if (this.#queue.push(load) === 1) this.#schedule(() => this.#flush());
		});
		this.#memo.set(id, promise);
		// Failures are not remembered. Handling them here also means that a load nobody awaits harms nobody.
		promise.catch(() => {
			if (this.#memo.get(id) === promise) this.#memo.delete(id);
		});
		return promise;
	}

	/** Loads several keys; the order and the number of the outcomes are those of `keys`, and one that fails is an entry. */
	loadMany(keys: readonly K[]): Promise<PromiseSettledResult<V>[]> {
		return Promise.allSettled(keys.map((key) => this.load(key)));
	}

	/** Forgets a key, after it was written: the next load asks again, and who asked before gets what they asked for. */
	clear(key: K): void {
		const id = this.#identify(key);
		// What has not been sent yet will be read after the write anyway, and a batch must not hold a key twice.
		if (!this.#queue.some((load) => load.id === id)) this.#memo.delete(id);
	}

	/** Remembers a value that came another way, with a list say. A key that is already known keeps what it has. */
	prime(key: K, value: V): void {
		const id = this.#identify(key);
		if (!this.#request.aborted && !this.#memo.has(id)) this.#memo.set(id, Promise.resolve(value));
	}

	#flush(): void {
		const loads = this.#queue;
		this.#queue = [];
		if (this.#request.aborted) return;
		for (let from = 0; from < loads.length; from += this.#maxBatch)
			void this.#run(loads.slice(from, from + this.#maxBatch));
	}

	async #run(loads: readonly Load<K, V>[]): Promise<void> {
		try {
			const keys = loads.map(({ key }) => key);
			const results = await this.#fetch(keys, this.#request);
			if (!Array.isArray(results) || results.length !== keys.length)
				throw new TypeError(
					`fetch must return one entry for each of ${keys.length} keys, in their order; it returned ${Array.isArray(results) ? results.length : typeof results}`,
				);
			for (const [index, load] of loads.entries()) {
				const result: V | Error = results[index];
				if (result instanceof Error) load.reject(result);
				else load.resolve(result);
			}
		} catch (error) {
			for (const load of loads) load.reject(error);
		} finally {
			for (const load of loads) this.#pending.delete(load);
		}
	}

	#end(): void {
		this.#memo.clear();
		this.#queue = [];
		for (const load of this.#pending) load.reject(this.#request.reason);
		this.#pending.clear();
	}
}
