/**
 * Optimistic concurrency: nobody locks; a write names the version that it was made from, and is refused when that is no
 * longer the current one. At the edge of HTTP the version is a strong ETag, and the name is If-Match.
 */

/** The database, as far as this pattern needs it. `params` are bound as `$1`, `$2`, …, never spliced into the text. */
export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

/** A value and the version that names exactly this state of it. Versions are opaque; equal or not is all they tell. */
export interface Versioned<T> {
	version: string;
	value: T;
}

/** `current` is the state after the write, or the one that made it fail; undefined when there is nothing (any more). */
export interface WriteResult<T> {
	ok: boolean;
	current: Versioned<T> | undefined;
}

export interface VersionedStore<T> {
	read(id: string): Promise<Versioned<T> | undefined>;
	/**
	 * Writes `value` if the current version is `expected`, in one atomic step, and otherwise changes nothing.
	 * @param expected the version that was read; null if there was nothing
	 * @param value null deletes
	 */
	write(id: string, expected: string | null, value: T | null): Promise<WriteResult<T>>;
}

/** Others kept changing the value: after `attempts` tries nothing was written. Answer 409, or let a person decide. */
export class ConflictError<T> extends Error {
	override name = 'ConflictError';
	readonly current: Versioned<T> | undefined;
	constructor(id: string, attempts: number, current: Versioned<T> | undefined) {
		super(`"${id}" changed under each of ${attempts} attempts; nothing was written`);
		this.current = current;
	}
}

export interface ModifyOptions {
	/** Tries in all, the first included. */
	attempts?: number;
	/** Waiting before try n + 1 is drawn from [0, min(capMs, baseMs · 2ⁿ⁻¹)), in milliseconds. */
	baseMs?: number;
	capMs?: number;
	signal?: AbortSignal;
	random?: () => number;
	/** Rejects with the signal's reason as soon as it is aborted. */
	sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export type Change<T> = T | null | undefined;

/**
 * Reads, changes and writes; when another write came between, reads again and changes what it finds then.
 * @param change makes the new value from the current one (undefined if there is none) without touching it; runs once a
 *   try. Returning undefined leaves all as it is, null deletes.
 * @returns the state after the write
 * @throws ConflictError when the tries are used up; the signal's reason when aborted; whatever `change` throws
 */
export async function modify<T>(
	store: VersionedStore<T>,
	id: string,
	change: (current: T | undefined) => Change<T> | Promise<Change<T>>,
	options: ModifyOptions = {},
): Promise<Versioned<T> | undefined> {
	const { attempts = 5, baseMs = 10, capMs = 250, signal, random = Math.random, sleep = pause } = options;
	for (let attempt = 1; ; attempt++) {
		signal?.throwIfAborted();
		const current = await store.read(id);
		const value = await change(current?.value);
		if (value === undefined) return current;
		signal?.throwIfAborted();
		const result = await store.write(id, current?.version ?? null, value);
		if (result.ok) return result.current;
		if (!(attempt < attempts)) throw new ConflictError(id, attempt, result.current);
		await sleep(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)), signal);
	}
}

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

/** One sequence gives every version of every document, so that none comes back when a row is deleted and created again. */
export const DOCUMENTS_SCHEMA = `
create sequence document_versions;
create table documents (
	id text primary key,
	version bigint not null default nextval('document_versions'),
	value jsonb not null
);`;

/** Versioned documents in PostgreSQL. Works on a connection as well as within a transaction (read committed). */
export function postgresDocuments<T>(sql: Sql): VersionedStore<T> {
	const columns = 'version::text as version, value';
	const read = async (id: string) =>
		(await sql.query<Versioned<T>>(`select ${columns} from documents where id = $1`, [id])).rows[0];
	return {
		read,
		write: async (id, expected, value) => {
			if (expected === null && value === null) {
				const current = await read(id);
				return { ok: !current, current };
			}
			const json = JSON.stringify(value);
			// Versions are compared as text: a client's tag that is no number is just another one, not an error.
			const { rows } =
				expected === null
					? await sql.query<Versioned<T>>(
							`insert into documents (id, value) values ($1, $2::jsonb) on conflict (id) do nothing returning ${columns}`,
							[id, json],
						)
					: value === null
						? await sql.query<Versioned<T>>(
								`delete from documents where id = $1 and version::text = $2 returning ${columns}`,
								[id, expected],
							)
						: await sql.query<Versioned<T>>(
								`update documents set value = $3::jsonb, version = nextval('document_versions')
								where id = $1 and version::text = $2 returning ${columns}`,
								[id, expected, json],
							);
			if (rows[0]) return { ok: true, current: value === null ? undefined : rows[0] };
			// A statement of its own: the one that failed would still see the state before the write that beat it.
			return { ok: false, current: await read(id) };
		},
	};
}

function represent<T>(state: Versioned<T> | undefined): { etag?: string; value?: T } {
	return state ? { etag: etag(state.version), value: state.value } : {};
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) {
			reject(signal.reason);
			return;
		}
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', stop);
			resolve();
		}, ms);
		signal?.addEventListener('abort', stop, { once: true });
	});
}
