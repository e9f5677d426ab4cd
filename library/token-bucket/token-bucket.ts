/** `tokens` are added every `perMs` milliseconds, evenly, up to `burst`. All three are whole numbers of at least 1. */
export interface TokenBucketRate {
	/** Most tokens that may be spent at once, after a pause long enough to fill the bucket. */
	burst: number;
	tokens: number;
	perMs: number;
}

export interface TokenBucketOptions extends TokenBucketRate {
	/** Most keys that are remembered one by one; see `TokenBuckets`. Default 10,000. */
	maxKeys?: number;
	/** Milliseconds from any origin; should be monotonic. Default `performance.now`. */
	now?: () => number;
}

export type TokenDecision =
	| { allowed: true /** Whole tokens that are left. */; remaining: number }
	| {
			allowed: false;
			remaining: number;
			/** Whole milliseconds until this cost is there, if nobody takes it before; Infinity when it exceeds the burst. */
			retryAfterMs: number;
	  };

/** `level` counts units of which a token has `perMs`, so that a millisecond adds exactly `tokens` of them. */
interface Bucket {
	level: number;
	/** When `level` was computed, in whole milliseconds. */
	at: number;
}

/** Buckets that are looked at, for forgetting, each time a key comes that is not known. */
const SWEEP = 4;

/**
 * Token buckets by key: in any interval of t ms at most `burst + tokens · t / perMs` tokens pass for a key
 * (the conforming traffic of ITU-T I.371 and RFC 2697).
 *
 * Nothing ticks: a bucket is a number and a time, brought up to date when it is asked. The arithmetic is in whole units,
 * so nothing is lost to rounding however often one asks, and a caller that returns at the time it was told is served.
 *
 * At most `maxKeys` buckets are kept. A bucket that has filled up says no more than an absent one and is forgotten; one
 * that has not is never dropped, since that would forgive what was spent. While all places are taken, further keys share one
 * bucket, and a key that gets a place starts from that bucket's level.
 */
export class TokenBuckets {
	readonly #tokens: number;
	readonly #perMs: number;
	readonly #capacity: number;
	readonly #maxKeys: number;
	readonly #clock: () => number;
	readonly #buckets = new Map<string, Bucket>();
	readonly #shared: Bucket;
	/** The latest reading so far; buckets know no other time, so a step back of the clock adds nothing, nor does its return. */
	#time = Number.NEGATIVE_INFINITY;

	/** @throws RangeError when an option is not a whole number of at least 1, or burst · perMs is not a safe integer */
	constructor({ burst, tokens, perMs, maxKeys = 10_000, now = () => performance.now() }: TokenBucketOptions) {
		for (const [name, value] of Object.entries({ burst, tokens, perMs, maxKeys, 'burst * perMs': burst * perMs }))
			if (!Number.isSafeInteger(value) || value < 1)
				throw new RangeError(`${name} must be a whole number from 1 to 2^53 - 1, not ${value}`);
		this.#tokens = tokens;
		this.#perMs = perMs;
		this.#capacity = burst * perMs;
		this.#maxKeys = maxKeys;
		this.#clock = now;
		this.#shared = { level: this.#capacity, at: this.#time };
	}

	/** Keys that have a bucket of their own now; never more than `maxKeys`. */
	get size(): number {
		return this.#buckets.size;
	}

	/**
	 * Takes `cost` tokens from the key's bucket, or none at all.
	 * @throws RangeError when `cost` is not a whole number of at least 1: a negative one would add tokens
	 */
	tryTake(key: string, cost = 1): TokenDecision {
		if (!Number.isSafeInteger(cost) || cost < 1)
			throw new RangeError(`cost must be a whole number of at least 1, not ${cost}`);
		const reading = Math.floor(this.#clock());
		// Written so that a reading of NaN changes nothing either.
		if (reading > this.#time) this.#time = reading;

		const bucket = this.#bucket(key);
		const price = cost * this.#perMs;
		const allowed = price <= bucket.level;
		if (allowed) bucket.level -= price;
		const remaining = Math.floor(bucket.level / this.#perMs);
		if (allowed) return { allowed, remaining };
		if (price > this.#capacity) return { allowed, remaining, retryAfterMs: Number.POSITIVE_INFINITY };
		// A clock that has stepped back must first return to where it was.
		const behind = this.#time > reading ? this.#time - reading : 0;
		return { allowed, remaining, retryAfterMs: behind + Math.ceil((price - bucket.level) / this.#tokens) };
	}

	#bucket(key: string): Bucket {
		const known = this.#buckets.get(key);
		if (known) return this.#refilled(known);
		this.#sweep();
		const shared = this.#refilled(this.#shared);
		if (this.#buckets.size >= this.#maxKeys) return shared;
		const fresh = { ...shared };
		this.#buckets.set(key, fresh);
		return fresh;
	}

	#refilled(bucket: Bucket): Bucket {
		if (this.#time > bucket.at) {
			// Far beyond the capacity the product may be inexact or infinite, which the minimum makes harmless.
			bucket.level = Math.min(this.#capacity, bucket.level + (this.#time - bucket.at) * this.#tokens);
			bucket.at = this.#time;
		}
		return bucket;
	}

	/** Forgets the full ones among the buckets that were looked at longest ago. */
	#sweep(): void {
		let looked = 0;
		for (const [key, bucket] of this.#buckets) {
			if (looked++ === SWEEP) return;
			this.#buckets.delete(key);
			if (this.#refilled(bucket).level < this.#capacity) this.#buckets.set(key, bucket);
		}
	}
}
