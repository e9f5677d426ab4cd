import type { VersionedStore } from './optimistic-concurrency.ts';

/** Versioned documents in memory, for scenarios and as a model in tests. Values are copied in and out, as a database does. */
export function memoryDocuments<T>(): VersionedStore<T> {
	const documents = new Map<string, { version: string; value: T }>();
	let versions = 0;
	const read = (id: string) => structuredClone(documents.get(id));
	return {
		read: async (id) => read(id),
		write: async (id, expected, value) => {
			if ((documents.get(id)?.version ?? null) !== expected) return { ok: false, current: read(id) };
			if (value === null) documents.delete(id);
			else documents.set(id, { version: String(++versions), value: structuredClone(value) });
			return { ok: true, current: read(id) };
		},
	};
}
