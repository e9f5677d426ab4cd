/**
 * Idempotency keys: a client that repeats a request under one key gets the first answer again, and the work is done once.
 * The work and the record of its answer commit in one transaction, which alone holds the key while it runs.
 */

/** The database, as far as this pattern needs it. `params` are bound as `$1`, `$2`, …, never spliced into the text. */
export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface Database extends Sql {
	/** Commits when `work` resolves; rolls back and rejects with its error when it rejects. */
	transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

export interface StoredResponse {
	status: number;
	headers: Record<string, string>;
	body: string;
}

export interface KeyRecord {
	/** SHA-256 of the request that the response answers: see `fingerprint`. */
	fingerprint: string;
	response: StoredResponse;
}

/** A key is a key only together with its caller: the authenticated tenant or user, never a value from the request. */
export interface KeyId {
	caller: string;
	key: string;
}

export interface HeldKey<Tx> {
	tx: Tx;
	/** What the key answered before; undefined for a key that is new or has expired. */
	found: KeyRecord | undefined;
	save(record: KeyRecord): Promise<void>;
}

export interface KeyStore<Tx> {
	/**
	 * Runs `body` in a transaction that alone holds the key. All that it wrote through `tx` and `save` commits together, or
	 * nothing does if it rejects. Where another holds the key, answers so at once, without waiting and without running it.
	 */
	holding<T>(id: KeyId, body: (held: HeldKey<Tx>) => Promise<T>): Promise<{ busy: true } | { busy: false; value: T }>;
}

/** `done`: the work ran now. `replayed`: it had run before. `mismatch`: the key stands for another request. */
export type Outcome =
	| { kind: 'done' | 'replayed'; response: StoredResponse }
	| { kind: 'mismatch' }
	| { kind: 'in-flight' };

/**
 * Does the work once for a key. A response that `work` returns is remembered whatever its status (a declined card stays
 * declined); what it throws undoes its writes and is not remembered, so that a retry runs it again.
 * @param work writes through `tx` only; effects elsewhere (a payment provider) need a key of their own, derived from this one
 * @throws what `work` throws, or the database's error; the work is undone then, unless the connection broke in the commit
 *   itself, and in either case a retry under the same key finds out
 */
export async function once<Tx>(
	store: KeyStore<Tx>,
	request: KeyId & { fingerprint: string },
	work: (tx: Tx) => Promise<StoredResponse>,
): Promise<Outcome> {
	const { caller, key, fingerprint } = request;
	const held = await store.holding({ caller, key }, async ({ tx, found, save }): Promise<Outcome> => {
		if (found)
			return found.fingerprint === fingerprint ? { kind: 'replayed', response: found.response } : { kind: 'mismatch' };
		const response = await work(tx);
		await save({ fingerprint, response });
		return { kind: 'done', response };
	});
	return held.busy ? { kind: 'in-flight' } : held.value;
}

export interface KeyedRequest {
	/** Who is asking, from authentication. */
	caller: string;
	/** The value of the header `Idempotency-Key`; null when it is missing. */
	key: string | null;
	method: string;
	/** With its query. */
	path: string;
	/** As it was received: a client that repeats a request repeats its bytes. */
	body: string | Uint8Array;
}

/** The same at the edge of HTTP: 400 without a usable key, 422 for another request's key, 409 while one is in flight. */
export async function respond<Tx>(
	store: KeyStore<Tx>,
	request: KeyedRequest,
	work: (tx: Tx) => Promise<StoredResponse>,
	hash: Hash = sha256,
): Promise<StoredResponse> {
	const key = parseKey(request.key);
	if (key === undefined)
		return problem(
			400,
			'Idempotency-Key missing or malformed',
			'Send a new UUID for each intent, and repeat it on retry.',
		);
	const id = { caller: request.caller, key, fingerprint: await fingerprint(request, hash) };
	const outcome = await once(store, id, work);
	if (outcome.kind === 'in-flight')
		return problem(409, 'Request in flight', 'A request with this key is being processed.', { 'retry-after': '1' });
	if (outcome.kind === 'mismatch')
		return problem(422, 'Idempotency-Key reused', 'This key was used for another request. Take a new one.');
	return outcome.response;
}

/**
 * A key from the header: a quoted structured-field string, as the IETF draft has it, or bare, as most clients send it.
 * @returns undefined unless it has 1 to 255 characters of visible ASCII
 */
export function parseKey(header: string | null): string | undefined {
	const text = header?.trim() ?? '';
	const key = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
	return /^[!#-[\]-~]{1,255}$/.test(key) ? key : undefined;
}

/** SHA-256 in hex over method, path and body; method and path are framed, so that no two requests run together. */
export async function fingerprint(
	{ method, path, body }: Pick<KeyedRequest, 'method' | 'path' | 'body'>,
	hash: Hash = sha256,
): Promise<string> {
	const head = new TextEncoder().encode(`${JSON.stringify([method.toUpperCase(), path])}\n`);
	const tail = typeof body === 'string' ? new TextEncoder().encode(body) : body;
	const bytes = new Uint8Array(head.length + tail.length);
	bytes.set(head);
	bytes.set(tail, head.length);
	const digest = new Uint8Array(await hash(bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type Hash = (bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>;

export const sha256: Hash = (bytes) => crypto.subtle.digest('SHA-256', bytes);

/** `json` and not `jsonb`, which would refuse a NUL character in a body. */
export const IDEMPOTENCY_SCHEMA = `
create table idempotency_keys (
	caller text not null,
	key text not null,
	fingerprint text not null,
	response json not null,
	expires_at timestamptz not null,
	primary key (caller, key)
);
create index on idempotency_keys (expires_at);`;

/** @param options.ttlSeconds how long an answer is kept, by the database's clock; default a day. Longer than any client retries. */
export function postgresKeys(db: Database, { ttlSeconds = 86_400 }: { ttlSeconds?: number } = {}): KeyStore<Sql> {
	// Zero or less would remember nothing, and say nothing of it.
	if (!(ttlSeconds > 0)) throw new RangeError(`ttlSeconds is ${ttlSeconds}; expected more than 0`);
	return {
		holding: ({ caller, key }, body) =>
			db.transaction(async (tx) => {
				// The lock ends with the transaction, however that ends: a crash frees the key at once. Such locks are the whole
				// database's, hence the table as seed; two keys with one hash merely answer "in flight" for each other.
				// It is a statement of its own, since a statement sees only what had committed when it began: asked together
				// with the lock, the answer of the holder before could be missed.
				const lock = await tx.query<{ held: boolean }>(
					`select pg_try_advisory_xact_lock(hashtextextended($1, 'idempotency_keys'::regclass::oid::bigint)) as held`,
					[JSON.stringify([caller, key])],
				);
				if (!lock.rows[0]?.held) return { busy: true };
				const { rows } = await tx.query<KeyRecord>(
					`select fingerprint, response from idempotency_keys
					where caller = $1 and key = $2 and expires_at > clock_timestamp()`,
					[caller, key],
				);
				const save = async ({ fingerprint, response }: KeyRecord) => {
					const saved = await tx.query(
						`insert into idempotency_keys values ($1, $2, $3, $4::json, clock_timestamp() + make_interval(secs => $5))
						on conflict (caller, key) do update
							set fingerprint = excluded.fingerprint, response = excluded.response, expires_at = excluded.expires_at
							where idempotency_keys.expires_at <= clock_timestamp()
						returning 1`,
						[caller, key, fingerprint, JSON.stringify(response), ttlSeconds],
					);
					if (saved.rows.length === 0) throw new Error('the key was answered meanwhile; this work is undone');
				};
				return { busy: false, value: await body({ tx, found: rows[0], save }) };
			}),
	};
}

/** Deletes up to `limit` expired keys and returns how many; run it on a timer until it returns less. */
export async function purgeExpired(sql: Sql, limit = 1000): Promise<number> {
	const { rows } = await sql.query(
		`delete from idempotency_keys where (caller, key) in (
			select caller, key from idempotency_keys where expires_at <= clock_timestamp()
			order by expires_at limit $1 for update skip locked)
		returning 1`,
		[limit],
	);
	return rows.length;
}

function problem(status: number, title: string, detail: string, headers: Record<string, string> = {}): StoredResponse {
	return {
		status,
		headers: { 'content-type': 'application/problem+json', ...headers },
		body: JSON.stringify({ title, status, detail }),
	};
}
