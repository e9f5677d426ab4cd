/**
 * Transactional outbox: an event is a row that commits together with the change it tells of. Relays deliver the rows at
 * least once, in order for each aggregate, and consumers recognise a repetition by its id.
 */

/** The database, as far as this pattern needs it. `params` are bound as `$1`, `$2`, …, never spliced into the text. */
export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface Database extends Sql {
	/** Commits when `work` resolves; rolls back and rejects with its error when it rejects. */
	transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

export interface NewEvent {
	/** What the event is about, such as `order/17`: order holds among the events of one aggregate. */
	aggregate: string;
	type: string;
	/** JSON. */
	payload: unknown;
}

export interface OutboxEvent extends NewEvent {
	/** The same in every delivery: what consumers tell repetitions by. */
	id: string;
	/** How often delivery has failed before. */
	attempts: number;
}

/** What became of an event. `interrupted`: the relay was told to stop; the event stays as it was. */
export type Verdict =
	| { id: string; outcome: 'delivered' | 'interrupted' }
	| { id: string; outcome: 'failed'; error: string; retryInMs: number; park: boolean };

export interface OutboxStore {
	/**
	 * Takes up to `limit` events that are due, of each aggregate only the oldest that is left, and keeps them from other
	 * relays while `deliver` runs. Then applies its verdicts. If anything fails, all of them are as they were.
	 * @returns how many were taken
	 */
	take(limit: number, deliver: (events: OutboxEvent[]) => Promise<Verdict[]>): Promise<number>;
}

export const OUTBOX_SCHEMA = `
create table outbox (
	id uuid primary key default gen_random_uuid(),
	position bigint not null generated always as identity,
	aggregate text not null,
	type text not null,
	payload json not null,
	attempts integer not null default 0,
	next_attempt_at timestamptz not null default clock_timestamp(),
	last_error text,
	parked_at timestamptz
);
create unique index outbox_order on outbox (aggregate, position);
create index outbox_due on outbox (position) where parked_at is null;
create table inbox (
	consumer text not null,
	event_id uuid not null,
	handled_at timestamptz not null default now(),
	primary key (consumer, event_id)
);`;

/**
 * Writes the event down in the transaction of the change. Call it where the change is made: other writers of events of this
 * aggregate wait from here to the commit.
 * @param tx the transaction of the change; a `Database`, where each statement commits alone, is refused
 * @returns the event's id
 */
export async function append(tx: Sql & { transaction?: never }, event: NewEvent): Promise<string> {
	if ('transaction' in tx) throw new TypeError('append needs the transaction of the change, not a database');
	// Positions are drawn before the commit. Without the lock, a transaction that drew the later one could commit first, and its
	// event would be out before the earlier one is visible.
	// Such locks are the whole database's: the table is the seed, so that another schema's outbox has locks of its own.
	await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 'outbox'::regclass::oid::bigint))`, [
		event.aggregate,
	]);
	const { rows } = await tx.query<{ id: string }>(
		'insert into outbox (aggregate, type, payload) values ($1, $2, $3::json) returning id',
		[event.aggregate, event.type, JSON.stringify(event.payload)],
	);
	if (!rows[0]) throw new Error('the outbox took no row');
	return rows[0].id;
}

/** The outbox in PostgreSQL. Row locks are what keeps relays apart: they end with the session of a relay that dies. */
export function postgresOutbox(db: Database): OutboxStore {
	return {
		take: (limit, deliver) =>
			db.transaction(async (tx) => {
				// An earlier event of the aggregate bars a later one whether it is locked by another relay, waits or is parked:
				// it is gone only when its delivery has committed.
				const { rows } = await tx.query<OutboxEvent>(
					`select id, aggregate, type, payload, attempts from outbox as event
					where parked_at is null and next_attempt_at <= clock_timestamp() and not exists (
						select 1 from outbox as earlier
						where earlier.aggregate = event.aggregate and earlier.position < event.position)
					order by position limit $1
					for update of event skip locked`,
					[limit],
				);
				if (rows.length === 0) return 0;
				const verdicts = await deliver(rows);
				const delivered = verdicts.filter(({ outcome }) => outcome === 'delivered').map(({ id }) => id);
				await tx.query('delete from outbox where id = any($1::uuid[])', [delivered]);
				await tx.query(
					`update outbox set attempts = attempts + 1, last_error = verdict.error,
						next_attempt_at = clock_timestamp() + make_interval(secs => verdict."retryInMs" / 1000),
						parked_at = case when verdict.park then clock_timestamp() end
					from jsonb_to_recordset($1::jsonb) as verdict (id uuid, error text, "retryInMs" float8, park boolean)
					where outbox.id = verdict.id`,
					[JSON.stringify(verdicts.filter(({ outcome }) => outcome === 'failed'))],
				);
				return rows.length;
			}),
	};
}

/** Lets a parked event be tried again, from its first attempt on. @returns whether there was one */
export async function redrive(sql: Sql, id: string): Promise<boolean> {
	const { rows } = await sql.query(
		`update outbox set parked_at = null, attempts = 0, next_attempt_at = clock_timestamp()
		where id = $1 and parked_at is not null returning 1`,
		[id],
	);
	return rows.length > 0;
}

/** Gives a parked event up, so that its aggregate goes on without it. @returns whether there was one */
export async function discard(sql: Sql, id: string): Promise<boolean> {
	const { rows } = await sql.query('delete from outbox where id = $1 and parked_at is not null returning 1', [id]);
	return rows.length > 0;
}

/**
 * For a consumer with a database of its own: runs `work` unless this consumer has handled the event before.
 * @param tx the transaction in which `work` writes, so that the effect and the mark commit together
 * @returns whether it ran
 */
export async function handleOnce(
	tx: Sql & { transaction?: never },
	consumer: string,
	eventId: string,
	work: () => Promise<void>,
): Promise<boolean> {
	if ('transaction' in tx) throw new TypeError('handleOnce needs the transaction of the work, not a database');
	const { rows } = await tx.query(
		'insert into inbox (consumer, event_id) values ($1, $2) on conflict do nothing returning 1',
		[consumer, eventId],
	);
	if (rows.length > 0) await work();
	return rows.length > 0;
}
