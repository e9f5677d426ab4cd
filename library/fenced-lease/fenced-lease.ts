/**
 * A lease that outlives no crash, and a token that makes the one who lost it harmless: whoever holds the lease works with
 * a number that only grows, and the resource refuses a number lower than one that it has seen.
 */

/** The database: one statement at a time. */
export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface Database extends Sql {
	transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** Time in one process: `now` in monotonic milliseconds, `after` returns what cancels it. */
export interface Clock {
	now(): number;
	after(ms: number, callback: () => void): () => void;
}

/** Where leases are kept. Durations only: whoever keeps them judges expiry by its own clock. */
export interface Leases {
	/** The fencing token when `name` was free or its lease over; undefined while someone holds it, `holder` included. */
	acquire(name: string, holder: string, ttlMs: number): Promise<bigint | undefined>;
	/** Prolongs the lease to `ttlMs` from now; false when it is over, even if nobody took it since. */
	renew(name: string, token: bigint, ttlMs: number): Promise<boolean>;
	/** Ends the lease at once if it is still this one. */
	release(name: string, token: bigint): Promise<void>;
}

export class LeaseHeldError extends Error {
	override readonly name = 'LeaseHeldError';
}

/** The lease is over, or may be: nothing was heard from the store for as long as it lasts. */
export class LeaseLostError extends Error {
	override readonly name = 'LeaseLostError';
}

/** Someone with a higher token was here. The work is another's now: stop, and don't retry. */
export class StaleTokenError extends Error {
	override readonly name = 'StaleTokenError';
}

/**
 * `lease` keeps its rows for good: a row that is deleted and made again would start its tokens over.
 * `fence` lies beside the protected data, which may be in another database.
 */
export const FENCED_LEASE_SCHEMA = `
create table lease (
	name text primary key,
	token bigint not null,
	holder text,
	expires_at timestamptz not null
);
create table fence (
	resource text primary key,
	token bigint not null
);`;

// clock_timestamp() throughout: now() stands still in a transaction and would be old after waiting for a row's lock.
const UNTIL = `clock_timestamp() + $3::float8 * interval '1 millisecond'`;

const ACQUIRE = `
insert into lease as held (name, holder, token, expires_at) values ($1, $2, 1, ${UNTIL})
on conflict (name) do update set holder = $2, token = held.token + 1, expires_at = ${UNTIL}
where held.holder is null or held.expires_at <= clock_timestamp()
returning token::text`;

const RENEW = `
update lease set expires_at = ${UNTIL}
where name = $1 and token = $2::bigint and holder is not null and expires_at > clock_timestamp()
returning token::text`;

const RELEASE = `update lease set holder = null where name = $1 and token = $2::bigint`;

const RAISE = `
insert into fence as seen (resource, token) values ($1, $2::bigint)
on conflict (resource) do update set token = excluded.token where seen.token <= excluded.token
returning token::text`;

/** Leases in PostgreSQL. Each call is one statement; the row's lock puts rivals into a line. */
export function postgresLeases(sql: Sql): Leases {
	return {
		async acquire(name, holder, ttlMs) {
			const { rows } = await sql.query<{ token: string }>(ACQUIRE, [name, holder, ttlMs]);
			return rows[0] && BigInt(rows[0].token);
		},
		async renew(name, token, ttlMs) {
			return (await sql.query(RENEW, [name, String(token), ttlMs])).rows.length > 0;
		},
		async release(name, token) {
			await sql.query(RELEASE, [name, String(token)]);
		},
	};
}

/**
 * The resource's side: notes `token`, unless a higher one was here. Call it first in every transaction on the resource.
 * In one that only reads, too: a new holder that reads before it raises the fence may read what the one before is about
 * to change. The row stays locked until the transaction ends, so that nothing slips between check and write.
 * @throws StaleTokenError when a higher token was seen; the transaction must then be rolled back
 */
export async function raiseFence(tx: Sql, resource: string, token: bigint): Promise<void> {
	const { rows } = await tx.query(RAISE, [resource, String(token)]);
	if (rows.length === 0) throw new StaleTokenError(`${resource}: a holder with a token higher than ${token} was here`);
}

export interface Held {
	readonly token: bigint;
	/** Aborted with `LeaseLostError` when the lease is lost, or with the caller's reason. */
	readonly signal: AbortSignal;
}

export interface LeaseOptions {
	/** How long the lease lasts without renewal; longer than the usual pause of the process or the network. */
	ttlMs: number;
	signal?: AbortSignal;
	clock?: Clock;
}

/**
 * Runs `work` while holding `name`, and releases it when `work` has ended, not sooner.
 * @throws RangeError for a `ttlMs` that no timer holds; LeaseHeldError when another holds it; what `work` throws; what
 *   `leases.acquire` throws
 */
export async function withLease<T>(
	leases: Leases,
	name: string,
	holder: string,
	options: LeaseOptions,
	work: (held: Held) => Promise<T>,
): Promise<T> {
	const { ttlMs, clock = systemClock } = options;
	assertTtl(ttlMs);
	options.signal?.throwIfAborted();
	const askedAt = clock.now();
	const token = await leases.acquire(name, holder, ttlMs);
	if (token === undefined) throw new LeaseHeldError(`${name} is held by another`);
	try {
		const renew = () => leases.renew(name, token, ttlMs);
		return await whileRenewed({ ...options, renew, askedAt }, (signal) => work({ token, signal }));
	} finally {
		// If it fails, the lease ends by itself.
		await leases.release(name, token).catch(() => undefined);
	}
}

/**
 * Runs `work` and renews its lease every third of `ttlMs`. Its signal is aborted when a renewal is refused, or when the
 * lease may have ended unheard: `ttlMs` after the last successful request was *sent*, on this process's monotonic clock.
 * @param options.askedAt when the lease was asked for, in `clock.now()`
 */
export async function whileRenewed<T>(
	options: LeaseOptions & { renew: () => Promise<boolean>; askedAt: number },
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const { ttlMs, renew, askedAt, signal, clock = systemClock } = options;
	assertTtl(ttlMs);
	const stop = new AbortController();
	const lost = () => stop.abort(new LeaseLostError('the lease was lost'));
	const onAbort = () => stop.abort(signal?.reason);
	const until = (sentAt: number) => clock.after(sentAt + ttlMs - clock.now(), lost);
	let ended = false;
	let cancelEnd = until(askedAt);
	let cancelNext = () => {};
	const schedule = () => {
		cancelNext = clock.after(ttlMs / 3, renewNow);
	};
	const renewNow = async () => {
		const sentAt = clock.now();
		let renewed: boolean | undefined;
		try {
			renewed = await renew();
		} catch {
			// A renewal that fails on the way proves nothing: the next one, or the end of the time, will tell.
		}
		if (ended || stop.signal.aborted) return;
		if (renewed === false) return lost();
		if (renewed) {
			cancelEnd();
			cancelEnd = until(sentAt);
		}
		schedule();
	};
	if (signal?.aborted) onAbort();
	if (clock.now() - askedAt >= ttlMs) lost();
	signal?.addEventListener('abort', onAbort, { once: true });
	schedule();
	try {
		stop.signal.throwIfAborted();
		return await work(stop.signal);
	} finally {
		ended = true;
		cancelEnd();
		cancelNext();
		signal?.removeEventListener('abort', onAbort);
	}
}

/** Beyond 2^31 ms a timer fires at once, and the lease would seem lost as soon as it is held. */
export function assertTtl(ttlMs: number): void {
	if (!(ttlMs > 0 && ttlMs < 2 ** 31)) throw new RangeError(`ttlMs must be above 0 and below 2^31, not ${ttlMs}`);
}

/** `performance.now()` is monotonic; it may stand still while a machine sleeps, which the fence makes good. */
export const systemClock: Clock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};
