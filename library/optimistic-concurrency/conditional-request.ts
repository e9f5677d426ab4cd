/**
 * Optimistic concurrency at the edge of HTTP: the version is a strong ETag, and a write names it in If-Match.
 */
import type { Versioned, VersionedStore } from './optimistic-concurrency.ts';

export interface ConditionalRequest<T> {
	method: 'GET' | 'PUT' | 'DELETE';
	id: string;
	/** The header `If-Match`, null when absent: `"7"`, `"7", "8"` or `*`. */
	ifMatch: string | null;
	/** The header `If-None-Match`: `*` on a PUT that is to create. */
	ifNoneMatch?: string | null;
	/** The new value of a PUT, validated: a request that is wrong in itself is answered so before any precondition. */
	value?: T;
}

export interface ConditionalAnswer<T> {
	status: 200 | 201 | 204 | 304 | 400 | 404 | 412 | 428;
	/** With 412 too: the state that the client must merge with, and its tag. */
	etag?: string;
	value?: T;
}

/** `*` that keeps losing against other writers gives up after so many rounds. */
const ROUNDS = 5;

/** Conditional requests as RFC 9110 §13 has them; a write without a condition is answered 428 (RFC 6585 §3). */
export async function serve<T>(
	store: VersionedStore<T>,
	request: ConditionalRequest<T>,
): Promise<ConditionalAnswer<T>> {
	const { method, id, ifMatch, ifNoneMatch = null, value } = request;
	const wanted = ifMatch === null ? undefined : parseTags(ifMatch);
	const unwanted = ifNoneMatch === null ? undefined : parseTags(ifNoneMatch);
	if ((ifMatch !== null && !wanted) || (ifNoneMatch !== null && !unwanted)) return { status: 400 };
	// If-Match compares strongly, If-None-Match weakly (§13.1.1, §13.1.2).
	const matched = (state: Versioned<T>) =>
		wanted === '*' || wanted?.some(({ weak, tag }) => !weak && tag === state.version);
	const excluded = (state: Versioned<T>) => unwanted === '*' || unwanted?.some(({ tag }) => tag === state.version);
	let current = await store.read(id);
	if (method === 'GET') {
		if (!current) return { status: 404 };
		if (wanted && !matched(current)) return { status: 412, ...represent(current) };
		return excluded(current) ? { status: 304, etag: etag(current.version) } : { status: 200, ...represent(current) };
	}
	// A body of `null` is no value either: passed on, it would delete.
	if (method === 'PUT' && (value ?? null) === null) return { status: 400 };
	if (!wanted && !(method === 'PUT' && unwanted === '*')) return { status: 428 };
	const holds = (state: Versioned<T> | undefined) =>
		state ? (!wanted || matched(state)) && !excluded(state) : !wanted;
	for (let round = 0; round < ROUNDS && holds(current); round++) {
		const expected = current?.version ?? null;
		const result = await store.write(id, expected, method === 'DELETE' ? null : (value ?? null));
		if (result.ok && !result.current) return { status: 204 };
		if (result.ok) return { status: expected === null ? 201 : 200, ...represent(result.current) };
		// Somebody wrote between reading and writing: the condition is judged anew, on what is there now.
		current = result.current;
	}
	return { status: 412, ...represent(current) };
}

/** A strong tag: it changes with every change of the value, down to the byte. */
export const etag = (version: string): string => `"${version}"`;

/**
 * The entity tags of If-Match or If-None-Match (RFC 9110 §8.8.3). Commas may stand inside a tag.
 * @returns undefined for anything else, such as a tag without quotes
 */
export function parseTags(header: string): '*' | { weak: boolean; tag: string }[] | undefined {
	const text = header.trim();
	if (text === '*') return '*';
	if (!/^(?:(?:W\/)?"[!#-~\u0080-\u00ff]*"[ \t]*(?:,[ \t]*|$))+$/.test(text)) return undefined;
	return [...text.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = '']) => ({ weak: weak !== undefined, tag }));
}

function represent<T>(state: Versioned<T> | undefined): { etag?: string; value?: T } {
	return state ? { etag: etag(state.version), value: state.value } : {};
}
