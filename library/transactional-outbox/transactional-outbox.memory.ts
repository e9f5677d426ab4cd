import type { NewEvent, OutboxEvent, OutboxStore } from './transactional-outbox.ts';

/** A transaction of the model: what it does waits for the commit, and a rejection forgets it. */
export interface MemoryTx {
	onCommit(effect: () => void): void;
}

export interface MemoryOutbox extends OutboxStore {
	transaction<T>(work: (tx: MemoryTx) => Promise<T>): Promise<T>;
	append(tx: MemoryTx, event: NewEvent): Promise<string>;
	/** What is left, in order. */
	pending(): (OutboxEvent & { parked: boolean })[];
}

/**
 * The outbox as a model in memory, for scenarios and tests.
 * @param now milliseconds, monotonic
 */
export function memoryOutbox(now: () => number): MemoryOutbox {
	let rows: (OutboxEvent & { dueAt: number; parked: boolean })[] = [];
	const taken = new Set<string>();
	let ids = 0;
	return {
		transaction: async (work) => {
			const effects: (() => void)[] = [];
			const result = await work({ onCommit: (effect) => effects.push(effect) });
			for (const effect of effects) effect();
			return result;
		},
		append: async (tx, event) => {
			const id = `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
			tx.onCommit(() => rows.push({ ...structuredClone(event), id, attempts: 0, dueAt: now(), parked: false }));
			return id;
		},
		pending: () => structuredClone(rows),
		take: async (limit, deliver) => {
			const heads = rows.filter((row) => rows.find(({ aggregate }) => aggregate === row.aggregate) === row);
			const free = heads.filter(({ id, dueAt, parked }) => !parked && dueAt <= now() && !taken.has(id)).slice(0, limit);
			for (const { id } of free) taken.add(id);
			try {
				const verdicts = await deliver(
					free.map(({ id, aggregate, type, payload, attempts }) => ({ id, aggregate, type, payload, attempts })),
				);
				for (const verdict of verdicts) {
					if (verdict.outcome === 'delivered') rows = rows.filter(({ id }) => id !== verdict.id);
					const row = rows.find(({ id }) => id === verdict.id);
					if (!row || verdict.outcome !== 'failed') continue;
					row.attempts++;
					row.dueAt = now() + verdict.retryInMs;
					row.parked = verdict.park;
				}
				return free.length;
			} finally {
				for (const { id } of free) taken.delete(id);
			}
		},
	};
}
