import type { KeyRecord, KeyStore } from './idempotency-key.ts';

/** A transaction of the model: what it does waits for the commit, and a rejection forgets it. */
export interface MemoryTx {
	onCommit(effect: () => void): void;
}

/**
 * The key store as a model in memory, for scenarios and tests.
 * @param now milliseconds, monotonic
 */
export function memoryKeys(now: () => number, ttlMs: number): KeyStore<MemoryTx> {
	const records = new Map<string, KeyRecord & { expiresAt: number }>();
	const held = new Set<string>();
	return {
		holding: async ({ caller, key }, body) => {
			const id = JSON.stringify([caller, key]);
			if (held.has(id)) return { busy: true };
			held.add(id);
			try {
				const effects: (() => void)[] = [];
				const record = records.get(id);
				const value = await body({
					tx: { onCommit: (effect) => effects.push(effect) },
					found: record && record.expiresAt > now() ? record : undefined,
					save: async (saved) => {
						effects.push(() => records.set(id, { ...saved, expiresAt: now() + ttlMs }));
					},
				});
				for (const effect of effects) effect();
				return { busy: false, value };
			} finally {
				held.delete(id);
			}
		},
	};
}
