import type { Claim, SeenIds } from './webhook-signature.ts';

/** Ids in the memory of one process. At `capacity` ids that have not expired it refuses rather than forgets one. */
export class MemorySeenIds implements SeenIds {
	readonly #ids = new Map<string, { until: number; done: boolean }>();
	readonly #capacity: number;
	readonly #now: () => number;

	constructor(capacity = 100_000, now: () => number = Date.now) {
		this.#capacity = capacity;
		this.#now = now;
	}

	async claim(id: string, until: number): Promise<Claim> {
		const now = this.#now();
		const known = this.#ids.get(id);
		if (known && known.until >= now) return known.done ? 'done' : 'in-flight';
		if (this.#ids.size >= this.#capacity) this.#sweep(now);
		if (this.#ids.size >= this.#capacity) throw new Error('the memory of webhook ids is full');
		this.#ids.set(id, { until, done: false });
		return 'new';
	}

	async done(id: string): Promise<void> {
		const known = this.#ids.get(id);
		if (known) known.done = true;
	}

	async release(id: string): Promise<void> {
		this.#ids.delete(id);
	}

	#sweep(now: number): void {
		for (const [id, { until }] of this.#ids) if (until < now) this.#ids.delete(id);
	}
}
