import type { RemoteAnswer, RemoteTier } from './tiered-cache.ts';

/** The shared tier as a model in memory, for tests and scenarios: what a store must do, without the network. */
export class MemoryTier implements RemoteTier {
	readonly #texts = new Map<string, { text: string; until: number }>();
	readonly #leases = new Map<string, string>();
	readonly #now: () => number;
	#count = 0;

	/** @param now milliseconds; expiry is judged by the store's clock, as Redis does */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** What is stored under the key now, whoever may read it. */
	peek(key: string): { text: string; ttlMs: number } | undefined {
		const entry = this.#texts.get(key);
		return entry && this.#now() < entry.until ? { text: entry.text, ttlMs: entry.until - this.#now() } : undefined;
	}

	async get(key: string): Promise<RemoteAnswer> {
		const found = this.peek(key);
		if (found) return { text: found.text };
		const lease = this.#leases.get(key) ?? `lease ${++this.#count}`;
		this.#leases.set(key, lease);
		return { lease };
	}

	async set(key: string, text: string, ttlMs: number, lease: string): Promise<boolean> {
		if (this.#leases.get(key) !== lease) return false;
		this.#leases.delete(key);
		this.#texts.set(key, { text, until: this.#now() + ttlMs });
		return true;
	}

	async delete(key: string): Promise<void> {
		this.#texts.delete(key);
		this.#leases.delete(key);
	}
}
