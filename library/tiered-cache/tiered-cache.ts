import { type Served, StaleWhileRevalidate } from '../stale-while-revalidate/stale-while-revalidate.ts';

/** What the shared tier has for a key: its text, or on a miss a lease, the right to fill it. */
export type RemoteAnswer = { text: string } | { lease: string };

/**
 * The shared tier, L2: Redis, Memcached, a table. Any method may fail or hang; the cache gets along without it.
 * Leases are those of Nishtala et al., "Scaling Memcache at Facebook", 2013: they keep a slow reader from filling in what was
 * read before a write. The store may forget a lease at any time, and must within the longest time to live.
 */
export interface RemoteTier {
	get(key: string, signal: AbortSignal): PromiseLike<RemoteAnswer>;
	/** Stores the text for `ttlMs` if the lease is still valid, in one atomic step; otherwise does nothing. */
	set(key: string, text: string, ttlMs: number, lease: string, signal: AbortSignal): PromiseLike<unknown>;
	/** Drops the text and voids the lease of the key, in one atomic step. */
	delete(key: string, signal: AbortSignal): PromiseLike<unknown>;
}

export interface TieredCacheClock {
	/** Milliseconds, monotonic. */
	now(): number;
	/** Calls back after `ms`; returns what cancels that. */
	after(ms: number, callback: () => void): () => void;
}

/** All times in milliseconds. A read may be as old as `l1Ms + staleMs + l2Ms` where no write of this cache intervened. */
export interface TieredCacheOptions {
	remote: RemoteTier;
	/** In this process; short, since other processes' writes are seen only when it ends. */
	l1Ms: number;
	l2Ms: number;
	/** For "there is no such thing" (`undefined`), in both tiers; brief, since things get created. */
	missMs: number;
	/** Each lifetime is shortened by up to this share, at random, so that entries made together don't end together. Default 0.1. */
	jitter?: number;
	/** After `l1Ms`: see `StaleWhileRevalidate`. Default 0. */
	staleMs?: number;
	staleIfErrorMs?: number;
	/** How long one call of the shared tier may take before the cache goes on without it. Default 100. */
	remoteTimeoutMs?: number;
	/** Most keys kept in this process. Default 1000. */
	maxEntries?: number;
	/** Hears of failures of the shared tier and of loads. Default: nothing. */
	onError?: (error: unknown, key: string) => void;
	/** In [0, 1). Default `Math.random`. */
	random?: () => number;
	clock?: TieredCacheClock;
}

/** Where a value came from, and how old the copy in this process is. */
export interface TieredRead<V> extends Omit<Served<V | undefined>, 'value'> {
	value: V | undefined;
	tier: 'l1' | 'l2' | 'source';
}

/** Asks the source; `undefined` means that there is no such thing. */
export type SourceLoad<V> = (signal: AbortSignal) => V | undefined | PromiseLike<V | undefined>;

interface Filled<V> {
	value: V | undefined;
	tier: 'l2' | 'source';
}

const realClock: TieredCacheClock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};

/** A cache in this process in front of a shared one in front of the source. Values must survive JSON. */
export class TieredCache<V> {
	readonly #options: Required<TieredCacheOptions>;
	readonly #l1: StaleWhileRevalidate<Filled<V>>;
	/** Keys that the shared tier could not be told to drop, and until when it may hold what they were. */
	readonly #suspects = new Map<string, number>();
	#distrustAllUntil = Number.NEGATIVE_INFINITY;

	/** @throws RangeError when a time is negative, not a number or longer than a timer, or the jitter is not in [0, 1) */
	constructor(options: TieredCacheOptions) {
		const defaults = { jitter: 0.1, staleMs: 0, staleIfErrorMs: 0, remoteTimeoutMs: 100, maxEntries: 1000 };
		const ports = { onError: () => undefined, random: Math.random, clock: realClock };
		this.#options = { ...defaults, ...ports, ...options };
		const { l1Ms, l2Ms, missMs, jitter, staleMs, staleIfErrorMs, remoteTimeoutMs, maxEntries } = this.#options;
		const times = { l1Ms, l2Ms, missMs, staleMs, staleIfErrorMs, remoteTimeoutMs };
		for (const [name, ms] of Object.entries(times))
			if (!(ms >= 0)) throw new RangeError(`${name} must be at least 0, not ${ms}`);
		// Beyond this, setTimeout fires at once, and every answer would be too late.
		if (!(remoteTimeoutMs < 2 ** 31))
			throw new RangeError(`remoteTimeoutMs must be below 2^31, not ${remoteTimeoutMs}`);
		if (!(jitter >= 0 && jitter < 1)) throw new RangeError(`jitter must be at least 0 and less than 1, not ${jitter}`);
		this.#l1 = new StaleWhileRevalidate({
			lifetimes: ({ value }) =>
				value === undefined
					? { freshMs: this.#jittered(missMs), staleMs: 0, staleIfErrorMs: 0 }
					: { freshMs: this.#jittered(l1Ms), staleMs, staleIfErrorMs },
			maxEntries,
			onError: this.#options.onError,
			now: () => this.#options.clock.now(),
		});
	}

	/**
	 * @param load is called once for concurrent reads of a key; that there is no such thing is remembered for `missMs`
	 * @throws what `load` threw, which is not remembered; `signal.reason` when the caller aborted
	 */
	async get(key: string, load: SourceLoad<V>, signal?: AbortSignal): Promise<TieredRead<V>> {
		const { value: filled, state, ageMs } = await this.#l1.get(key, (flight) => this.#fill(key, load, flight), signal);
		return { value: filled.value, tier: state === 'loaded' ? filled.tier : 'l1', state, ageMs };
	}

	/**
	 * Changes the source with `commit` and resolves when no tier answers with what was there before. A commit that throws
	 * may have happened all the same, so it invalidates too.
	 * @returns the result, and whether the shared tier could be told; if not, this process goes round it for this key, and
	 *   others may see the old value for up to `l2Ms + l1Ms`
	 * @throws what `commit` threw
	 */
	async write<T>(key: string, commit: () => T | PromiseLike<T>): Promise<{ result: T; invalidated: boolean }> {
		// The executor turns a synchronous throw into a rejection.
		const [outcome] = await Promise.allSettled([new Promise<T>((resolve) => resolve(commit()))]);
		const invalidated = await this.invalidate(key);
		if (outcome.status === 'rejected') throw outcome.reason;
		return { result: outcome.value, invalidated };
	}

	/** Drops the key from both tiers. Resolves to whether the shared one could be told; never rejects. */
	async invalidate(key: string): Promise<boolean> {
		const told = await this.#drop(key);
		// In this order: emptied first, L1 would fetch the old value from L2 again.
		this.#l1.invalidate(key);
		return told;
	}

	async #fill(key: string, load: SourceLoad<V>, signal: AbortSignal): Promise<Filled<V>> {
		const answer = await this.#ask(key);
		signal.throwIfAborted();
		if (answer && 'filled' in answer) return answer.filled;
		const value = await load(signal);
		if (answer) {
			const ttlMs = this.#jittered(value === undefined ? this.#options.missMs : this.#options.l2Ms);
			// Nobody waits for this: the reader has its value, and the lease keeps a late arrival harmless.
			void this.#remote(key, (limit) =>
				this.#options.remote.set(key, JSON.stringify({ value }), ttlMs, answer.lease, limit),
			);
		}
		return { value, tier: 'source' };
	}

	/** What the shared tier has, or a lease, or undefined when it must be done without. */
	async #ask(key: string): Promise<{ filled: Filled<V> } | { lease: string } | undefined> {
		if (!(await this.#trusted(key))) return undefined;
		return this.#remote(key, async (limit) => {
			const found = await this.#options.remote.get(key, limit);
			return 'text' in found ? { filled: { value: decode<V>(found.text), tier: 'l2' as const } } : found;
		});
	}

	/** Whether the shared tier may be asked for the key: not while it could hold what a write has replaced. */
	async #trusted(key: string): Promise<boolean> {
		const now = this.#options.clock.now();
		if (now < this.#distrustAllUntil) return false;
		const until = this.#suspects.get(key);
		if (until === undefined) return true;
		if (now < until) return this.#drop(key);
		this.#suspects.delete(key);
		return true;
	}

	async #drop(key: string): Promise<boolean> {
		const suspected = this.#suspects.get(key);
		const told = await this.#remote(key, async (limit) => {
			await this.#options.remote.delete(key, limit);
			return true;
		});
		if (told) {
			// A write that failed to tell it in the meantime came after this.
			if (this.#suspects.get(key) === suspected) this.#suspects.delete(key);
			return !this.#suspects.has(key);
		}
		// What is there now lives for l2Ms at most, and a lease given out before the write may fill it once more.
		const until = this.#options.clock.now() + 2 * this.#options.l2Ms;
		this.#suspects.set(key, until);
		if (this.#suspects.size > this.#options.maxEntries) {
			this.#suspects.clear();
			this.#distrustAllUntil = until;
		}
		return false;
	}

	/** Runs one operation of the shared tier within its time; undefined when it failed, which is reported. */
	async #remote<T>(key: string, operation: (signal: AbortSignal) => PromiseLike<T>): Promise<T | undefined> {
		const { clock, remoteTimeoutMs, onError } = this.#options;
		const limit = new AbortController();
		let cancel = () => {};
		const expired = new Promise<never>((_, reject) => {
			cancel = clock.after(remoteTimeoutMs, () => {
				const error = new Error(`the shared tier did not answer in ${remoteTimeoutMs} ms`);
				reject(error);
				limit.abort(error);
			});
		});
		try {
			return await Promise.race([operation(limit.signal), expired]);
		} catch (error) {
			try {
				onError(error, key);
			} catch {
				// A broken log must not fail the read, nor a fill that nobody waits for.
			}
			return undefined;
		} finally {
			cancel();
		}
	}

	#jittered(ms: number): number {
		return ms * (1 - this.#options.jitter * this.#options.random());
	}
}

/** @throws when the text is not what `set` was given, from another version of the program say */
function decode<V>(text: string): V | undefined {
	const box: unknown = JSON.parse(text);
	// A miss is stored as {}. Anything else without a value is no miss: it would hide what the source has.
	if (typeof box !== 'object' || box === null || !('value' in box || JSON.stringify(box) === '{}'))
		throw new TypeError('the shared tier holds something else than an entry');
	return (box as { value?: V }).value;
}
