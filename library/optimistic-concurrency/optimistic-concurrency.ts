/**
 * Optimistic concurrency: nobody locks; a write names the version that it was made from, and is refused when that is no
 * longer the current one.
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
