/**
 * Databases for the tests of patterns that need PostgreSQL: PGlite (the engine in-process, one connection), and a real
 * server with several sessions. The two interfaces are the ports that such patterns declare for themselves, word for
 * word, so that either database fits any of them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface Database extends Sql {
	transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

export interface TestDatabase {
	/** PGlite: the one connection, transactions queue for it. PostgreSQL: a pool, so transactions run side by side. */
	db: Database;
	/** Runs a script of several statements (a schema, say), which `query` with parameters cannot. */
	script(text: string): Promise<void>;
	/** Ends every session and, on a real server, drops the schema. */
	close(): Promise<void>;
}

export interface PostgresTestDatabase extends TestDatabase {
	/** Another session of its own: one connection, so `select pg_backend_pid()` names it and it can be terminated. */
	connect(): Promise<Database>;
	/** Resolves when `count` sessions of this test wait for a lock; rejects after 5 seconds. For exact interleavings. */
	untilWaiting(count?: number): Promise<void>;
}

/**
 * A fresh in-process engine, empty but for its defaults. Takes a second or more to start: one per test file.
 *
 * Code that asks the database while its own transaction has the one connection would wait for itself for ever. It gets an
 * error that says so, so that a statement which strays out of its transaction fails its test instead of hanging the run.
 */
export async function pgliteDatabase(): Promise<TestDatabase> {
	const engine = await PGlite.create();
	const within = new AsyncLocalStorage<{ open: boolean }>();
	const refuseWithin = () => {
		if (!within.getStore()?.open) return;
		throw new Error('asked the database from within its transaction, which would wait for itself: use the transaction');
	};
	const over = (target: Pick<PGlite, 'query'>): Sql => ({
		query: async <Row>(text: string, params?: readonly unknown[]) => ({
			rows: (await target.query<Row>(text, params ? [...params] : undefined)).rows,
		}),
	});
	return {
		db: {
			query: async (text, params) => {
				refuseWithin();
				return over(engine).query(text, params);
			},
			transaction: async (work) => {
				refuseWithin();
				const state = { open: true };
				try {
					return await engine.transaction((tx) => within.run(state, () => work(over(tx))));
				} finally {
					state.open = false;
				}
			},
		},
		script: async (text) => void (await engine.exec(text)),
		close: () => engine.close(),
	};
}

/**
 * A fresh schema on a real server. Every session has it as its search path and gives up after 10 seconds in a
 * statement, so that a deadlock in a test is a failure and not a hang.
 * @param url a connection string such as `DATABASE_URL`; its role must be allowed to create a schema
 */
export async function postgresDatabase(url: string): Promise<PostgresTestDatabase> {
	const schema = `test_${randomUUID().replaceAll('-', '')}`;
	const pools: pg.Pool[] = [];
	const open = (max: number): Database => {
		const pool = new pg.Pool({
			connectionString: url,
			max,
			// A transaction that waits for a further session of a used-up pool fails too.
			connectionTimeoutMillis: 10_000,
			application_name: schema,
			options: `-c search_path=${schema} -c statement_timeout=10000`,
		});
		// A session that a test terminates while it is idle reports here; whoever uses it next sees its own error.
		pool.on('error', () => undefined);
		pools.push(pool);
		return {
			query: (text, params) => run(pool, text, params),
			transaction: (work) => transaction(pool, work),
		};
	};
	const db = open(10);
	await db.query(`create schema ${schema}`);
	return {
		db,
		connect: async () => open(1),
		script: async (text) => void (await pools[0]?.query(text)),
		untilWaiting: async (count = 1) => {
			for (const end = Date.now() + 5000; Date.now() < end; await sleep(5)) {
				const { rows } = await db.query(
					`select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`,
					[schema],
				);
				if (rows.length >= count) return;
			}
			throw new Error(`no ${count} sessions waited for a lock within 5 s`);
		},
		close: async () => {
			await db.query(`drop schema ${schema} cascade`);
			await Promise.all(pools.map((pool) => pool.end()));
		},
	};
}

async function run<Row>(target: pg.Pool | pg.PoolClient, text: string, params?: readonly unknown[]) {
	const { rows } = await target.query(text, params ? [...params] : undefined);
	return { rows: rows as Row[] };
}

async function transaction<T>(pool: pg.Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
	const client = await pool.connect();
	// A session that is terminated during a transaction reports here too, besides failing its statement.
	client.on('error', ignore);
	let broken: Error | undefined;
	try {
		await client.query('begin');
		const result = await work({ query: (text, params) => run(client, text, params) });
		// A commit after a failed statement whose error was swallowed is answered with ROLLBACK, not with an error.
		if ((await client.query('commit')).command !== 'COMMIT') throw new Error('the transaction was rolled back');
		return result;
	} catch (error) {
		await client.query('rollback').catch((failure: Error) => {
			broken = failure;
		});
		throw error;
	} finally {
		client.off('error', ignore);
		client.release(broken);
	}
}

const ignore = () => undefined;
