/**
 * A queue of jobs in PostgreSQL. A job runs under a lease: `due_at` is when it may be claimed, and claiming moves that to
 * the lease's end, so that the job of a crashed worker becomes due again by itself. Each claim raises the job's token, and
 * only the last token may end the job.
 */
import { StaleTokenError } from '../fenced-lease/fenced-lease.ts';

export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface JobSpec {
	/** Any JSON. */
	payload: unknown;
	/** 0 to 9, higher is sooner: each step counts as having waited `headStartMs` longer. Default 0. */
	priority?: number;
	/** Not before so many ms from now. Default 0. */
	delayMs?: number;
	/** Runs before the job is dead, those that ended in a crash included. Default 5. */
	maxAttempts?: number;
}

export interface Job {
	id: string;
	token: bigint;
	/** Which run this is, 1 for the first. */
	attempt: number;
	payload: unknown;
}

/** A queue, wherever it is kept. `complete` and `fail` throw `StaleTokenError` when the job is no longer this run's. */
export interface Jobs {
	enqueue(spec: JobSpec): Promise<string>;
	/** Up to `limit` due jobs, each leased for `ttlMs`, by rank. */
	claim(limit: number, ttlMs: number): Promise<Job[]>;
	/** Prolongs the lease; false when it is over, even if nobody claimed the job since. */
	renew(job: Job, ttlMs: number): Promise<boolean>;
	complete(job: Job): Promise<void>;
	/** Gives the job back for another try after `delayMs`, or buries it: without a delay, or after its last attempt. */
	fail(job: Job, error: string, delayMs: number | undefined): Promise<'retried' | 'dead'>;
	/** Gives up to `limit` dead jobs, the oldest first, a fresh set of attempts; returns how many. */
	redrive(limit: number): Promise<number>;
}

export const JOB_QUEUE_SCHEMA = `
create table job (
	id bigint generated always as identity primary key,
	queue text not null,
	payload jsonb not null,
	priority smallint not null check (priority between 0 and 9),
	max_attempts integer not null check (max_attempts > 0),
	attempts integer not null default 0,
	state text not null default 'queued' check (state in ('queued', 'running', 'done', 'dead')),
	token bigint not null default 0,
	due_at timestamptz not null,
	rank_at timestamptz not null,
	last_error text
);
create index job_next on job (queue, rank_at, id) where state in ('queued', 'running');`;

const ms = (parameter: string) => `${parameter}::float8 * interval '1 millisecond'`;

// A rank is a point in time, fixed when the job becomes due: whatever its priority, a job is overtaken for a bounded time only.
const ENQUEUE = `
insert into job (queue, payload, priority, max_attempts, due_at, rank_at)
select $1, $2::jsonb, $3::smallint, $4::integer, at, at - $3::smallint * ${ms('$6')}
from (select clock_timestamp() + ${ms('$5')} as at) as due
returning id::text`;

const BURY = `
update job set state = 'dead', last_error = 'the lease of the last attempt ended without a result'
where id in (
	select id from job
	where queue = $1 and state = 'running' and due_at <= clock_timestamp() and attempts >= max_attempts
	for update skip locked
)`;

// Rows that another worker is claiming are skipped, not waited for; materialized, so that they are picked only once.
const CLAIM = `
with picked as materialized (
	select id from job
	where queue = $1 and state in ('queued', 'running') and due_at <= clock_timestamp() and attempts < max_attempts
	order by rank_at, id limit $2 for update skip locked
), claimed as (
	update job set state = 'running', token = token + 1, attempts = attempts + 1, due_at = clock_timestamp() + ${ms('$3')}
	from picked where job.id = picked.id
	returning job.id, token, attempts, payload, rank_at
)
select id::text, token::text, attempts as attempt, payload from claimed order by rank_at, claimed.id`;

const MINE = `where id = $1::bigint and token = $2::bigint and state = 'running'`;

const RENEW = `update job set due_at = clock_timestamp() + ${ms('$3')} ${MINE} and due_at > clock_timestamp() returning id`;

const COMPLETE = `update job set state = 'done', last_error = null ${MINE} returning id`;

const FAIL = `
update job set last_error = $3,
	state = case when $4::float8 is null or attempts >= max_attempts then 'dead' else 'queued' end,
	due_at = clock_timestamp() + coalesce(${ms('$4')}, interval '0'),
	rank_at = clock_timestamp() + coalesce(${ms('$4')}, interval '0') - priority * ${ms('$5')}
${MINE} returning state`;

// One moment for all of them, so that their ids keep them in order.
const REDRIVE = `
update job set state = 'queued', attempts = 0, due_at = statement_timestamp(),
	rank_at = statement_timestamp() - priority * ${ms('$3')}
where id in (select id from job where queue = $1 and state = 'dead' order by id limit $2 for update skip locked)
returning id`;

/**
 * The queue `queue`. Over a transaction's `sql`, `enqueue` and `complete` commit or roll back with the rest of it.
 * @param headStartMs what one step of priority is worth
 */
export function postgresJobs(sql: Sql, queue: string, headStartMs = 60_000): Jobs {
	const run = async <Row>(text: string, ...params: unknown[]) => (await sql.query<Row>(text, params)).rows;
	const mine = <Row>(rows: Row[], job: Job): Row => {
		const [row] = rows;
		if (!row) throw new StaleTokenError(`job ${job.id} is no longer run ${job.token}'s`);
		return row;
	};
	return {
		async enqueue({ payload, priority = 0, delayMs = 0, maxAttempts = 5 }) {
			const json = JSON.stringify(payload);
			const [row] = await run<{ id: string }>(ENQUEUE, queue, json, priority, maxAttempts, delayMs, headStartMs);
			return row?.id ?? '';
		},
		async claim(limit, ttlMs) {
			await run(BURY, queue);
			const rows = await run<Omit<Job, 'token'> & { token: string }>(CLAIM, queue, limit, ttlMs);
			return rows.map((row) => ({ ...row, token: BigInt(row.token) }));
		},
		renew: async (job, ttlMs) => (await run(RENEW, job.id, String(job.token), ttlMs)).length > 0,
		async complete(job) {
			mine(await run(COMPLETE, job.id, String(job.token)), job);
		},
		async fail(job, error, delayMs) {
			// PostgreSQL's text holds no NUL; a failure that can't be written down would run for ever.
			const text = error.replaceAll('\u0000', '').slice(0, 1000);
			const rows = await run<{ state: string }>(FAIL, job.id, String(job.token), text, delayMs ?? null, headStartMs);
			return mine(rows, job).state === 'dead' ? 'dead' : 'retried';
		},
		redrive: async (limit) => (await run(REDRIVE, queue, limit, headStartMs)).length,
	};
}
