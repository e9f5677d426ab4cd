import { Singleflight } from '../singleflight/singleflight.ts';

/** How long a value serves, in milliseconds. The two windows begin where freshness ends, as in RFC 5861, and may overlap. */
export interface Lifetimes {
	/** Served without asking the source; 0 for never. */
	freshMs: number;
	/** After that, served at once while one load renews it in the background. */
	staleMs: number;
	/** After `freshMs`, served when a load that was waited for has failed. */
	staleIfErrorMs: number;
}

export interface StaleWhileRevalidateOptions<V, K> {
	/** The same for all values, or decided by the value. */
	lifetimes: Lifetimes | ((value: V) => Lifetimes);
	/** Most values kept; beyond it the one that was not read for longest goes. Default 1000. */
	maxEntries?: number;
	/** Hears of each failed load, since background loads have no caller that could. Default: nothing. */
	onError?: (error: unknown, key: K) => void;
	/** Milliseconds from any origin, monotonic. Default `performance.now`. */
	now?: () => number;
}

export interface Served<V> {
	/** The very object that everyone gets: treat it as read-only. */
	value: V;
	/** `loaded`: waited for. `stale`: being renewed in the background. `stale-if-error`: could not be renewed. */
	state: 'fresh' | 'stale' | 'loaded' | 'stale-if-error';
	/** Milliseconds since the load of this value *began*: so old may the answer be at most. */
	ageMs: number;
}

interface Loaded<V> {
	value: V;
	loadedAt: number;
}

interface Entry<V> extends Loaded<V> {
	freshUntil: number;
	staleUntil: number;
	usableUntil: number;
}

/** A cache that answers at once with what it has and renews it behind the reader's back (RFC 5861). */
export class StaleWhileRevalidate<V, K = string> {
	readonly #lifetimes: (value: V) => Lifetimes;
	readonly #maxEntries: number;
	readonly #onError: (error: unknown, key: K) => void;
	readonly #now: () => number;
	/** In order of last use. */
	readonly #entries = new Map<K, Entry<V>>();
	readonly #flights = new Singleflight<Loaded<V>, K>();
	/** The load by key whose result may be stored. Invalidation takes it out, and with it the load's right to store. */
	readonly #loading = new Map<K, object>();

	/** @throws RangeError when `maxEntries` is not an integer of at least 1 */
	constructor(options: StaleWhileRevalidateOptions<V, K>) {
		const { lifetimes, maxEntries = 1000, onError = () => undefined, now = () => performance.now() } = options;
		if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
			throw new RangeError(`maxEntries must be an integer of at least 1, not ${maxEntries}`);
		this.#lifetimes = typeof lifetimes === 'function' ? lifetimes : () => lifetimes;
		this.#maxEntries = maxEntries;
		this.#onError = onError;
		this.#now = now;
	}

	/** Values kept now. */
	get size(): number {
		return this.#entries.size;
	}

	/**
	 * @param load asks the source. Its signal is that of the load, which all callers of the key share: it aborts when
	 *   everyone who waited has left, and never in the background
	 * @param signal the caller's; leaving harms nobody else
	 * @throws what `load` threw, when there is no value that may still be served; `signal.reason` when the caller aborted
	 */
	async get(key: K, load: (signal: AbortSignal) => V | PromiseLike<V>, signal?: AbortSignal): Promise<Served<V>> {
		signal?.throwIfAborted();
		const now = this.#now();
		const entry = this.#touch(key);
		if (entry && now < entry.freshUntil) return served(entry, 'fresh', now);
		if (entry && now < entry.staleUntil) {
			// Errors have gone to onError; here they must only not be unhandled.
			if (!this.#loading.has(key)) this.#load(key, load).catch(() => undefined);
			return served(entry, 'stale', now);
		}
		try {
			return served(await this.#load(key, load, signal), 'loaded', this.#now());
		} catch (error) {
			// Asked anew, since the entry may have been invalidated or replaced in the meantime.
			const kept = this.#entries.get(key);
			const later = this.#now();
			if (signal?.aborted || !kept || later >= kept.usableUntil) throw error;
			return served(kept, 'stale-if-error', later);
		}
	}

	/**
	 * Forgets the key, after its source has changed. A load under way began before that, so its result is not stored, and
	 * whoever asks from now on starts a new one; those who wait for the old one still get it.
	 */
	invalidate(key: K): void {
		this.#entries.delete(key);
		this.#loading.delete(key);
		this.#flights.forget(key);
	}

	#load(key: K, load: (signal: AbortSignal) => V | PromiseLike<V>, signal?: AbortSignal): Promise<Loaded<V>> {
		const work = async (flight: AbortSignal): Promise<Loaded<V>> => {
			const loadedAt = this.#now();
			const right = {};
			this.#loading.set(key, right);
			try {
				const value = await load(flight);
				if (this.#loading.get(key) === right) this.#store(key, value, loadedAt);
				return { value, loadedAt };
			} catch (error) {
				try {
					if (!flight.aborted) this.#onError(error, key);
				} catch {
					// A broken log must not take the place of the error.
				}
				throw error;
			} finally {
				if (this.#loading.get(key) === right) this.#loading.delete(key);
			}
		};
		return this.#flights.run(key, work, signal);
	}

	#store(key: K, value: V, loadedAt: number): void {
		const { freshMs, staleMs, staleIfErrorMs } = this.#lifetimes(value);
		const freshUntil = loadedAt + freshMs;
		const staleUntil = freshUntil + staleMs;
		const usableUntil = freshUntil + Math.max(staleIfErrorMs, staleMs);
		this.#entries.delete(key);
		if (!(this.#now() < usableUntil)) return;
		this.#entries.set(key, { value, loadedAt, freshUntil, staleUntil, usableUntil });
		for (const oldest of this.#entries.keys()) {
			if (this.#entries.size <= this.#maxEntries) break;
			this.#entries.delete(oldest);
		}
	}

	/** The entry, moved to the end of the order in which entries are dropped. */
	#touch(key: K): Entry<V> | undefined {
		const entry = this.#entries.get(key);
		if (entry) {
			this.#entries.delete(key);
			this.#entries.set(key, entry);
		}
		return entry;
	}
}

function served<V>({ value, loadedAt }: Loaded<V>, state: Served<V>['state'], now: number): Served<V> {
	return { value, state, ageMs: now - loadedAt };
}
