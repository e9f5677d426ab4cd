import { type Leases, StaleTokenError } from './fenced-lease.ts';

/** The same rules in the memory of one process, for scenarios and tests. `now` is the store's clock, in milliseconds. */
export class MemoryLeases implements Leases {
	readonly #leases = new Map<string, { token: bigint; holder: string | undefined; expiresAt: number }>();
	readonly #now: () => number;

	constructor(now: () => number) {
		this.#now = now;
	}

	async acquire(name: string, holder: string, ttlMs: number): Promise<bigint | undefined> {
		const held = this.#leases.get(name);
		if (held?.holder !== undefined && held.expiresAt > this.#now()) return undefined;
		const token = (held?.token ?? 0n) + 1n;
		this.#leases.set(name, { token, holder, expiresAt: this.#now() + ttlMs });
		return token;
	}

	async renew(name: string, token: bigint, ttlMs: number): Promise<boolean> {
		const held = this.#leases.get(name);
		if (held?.token !== token || held.holder === undefined || held.expiresAt <= this.#now()) return false;
		held.expiresAt = this.#now() + ttlMs;
		return true;
	}

	async release(name: string, token: bigint): Promise<void> {
		const held = this.#leases.get(name);
		if (held?.token === token) held.holder = undefined;
	}
}

/** The highest token that each resource has seen. */
export class MemoryFence {
	readonly #tokens = new Map<string, bigint>();

	/** @throws StaleTokenError when a higher token was seen */
	raise(resource: string, token: bigint): void {
		if ((this.#tokens.get(resource) ?? 0n) > token) {
			throw new StaleTokenError(`${resource}: a holder with a token higher than ${token} was here`);
		}
		this.#tokens.set(resource, token);
	}
}
