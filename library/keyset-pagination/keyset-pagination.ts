/**
 * Keyset pagination: a page starts at the sort values of the row where the last one ended, not at a count of rows.
 * The position travels as a signed cursor that only the query it came from accepts.
 */

/** The database, as far as this pattern needs it. `params` are bound as `$1`, `$2`, …, never spliced into the text. */
export interface Sql {
	query<Row>(text: string, params?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

/** One column of the order. All are `not null`, and together they contain a unique key: see `assertTotalOrder`. */
export interface SortKey {
	column: string;
	/** The column's SQL type: a position's text is cast back to it. */
	type: 'bigint' | 'date' | 'integer' | 'numeric' | 'text' | 'timestamptz' | 'uuid';
	direction: 'asc' | 'desc';
}

/** A list that can be paged through. Everything here is written by the developer; only `where.params` may be a user's. */
export interface KeysetQuery {
	/** Names the list; part of what a cursor is bound to. */
	name: string;
	table: string;
	columns: readonly string[];
	order: readonly SortKey[];
	/** The filter, the tenant included: `{ sql: 'tenant = $1', params: [tenant] }`. A cursor is bound to its values too. */
	where?: { sql: string; params: readonly (string | number | boolean | null)[] };
}

/** A place between rows: past (or, if `inclusive`, at or past) the row with these sort values, in this direction. */
export interface Position {
	backward: boolean;
	inclusive: boolean;
	/** The row's sort values as the database writes them: a JavaScript Date or number would round microseconds and bigints. */
	keys: readonly string[];
}

export interface PageSource<Row> {
	/** Equal for equal queries with equal filter values, different otherwise. */
	readonly identity: string;
	/** At most `count` rows from the position on, the nearest first: when it points backward, in reverse order. */
	read(from: Position | undefined, count: number): Promise<{ row: Row; keys: readonly string[] }[]>;
}

export interface Page<Row> {
	rows: Row[];
	/** Cursor of the page after this one; null when there is none. */
	next: string | null;
	/** Cursor of the page before; null on the first page. */
	previous: string | null;
}

export interface CursorCodec {
	seal(identity: string, position: Position): Promise<string>;
	/** @throws InvalidCursorError unless `seal` made this very text for this identity */
	open(identity: string, cursor: string): Promise<Position>;
}

/** The cursor was changed, cut, forged, or belongs to another query. Answer 400; the client starts at the first page. */
export class InvalidCursorError extends Error {
	override name = 'InvalidCursorError';
	constructor() {
		super('The cursor does not belong to this query. Start again without one.');
	}
}

/**
 * One page. Without a cursor, the first; with one, the page that it points to, forward or back.
 * @param request.limit rows on the page, a whole number from 1 to `maxLimit` (default 100); may differ from page to page
 * @throws RangeError for another limit, InvalidCursorError for a cursor that isn't this query's
 */
export async function paginate<Row>(
	source: PageSource<Row>,
	cursors: CursorCodec,
	request: { cursor?: string | null; limit: number; maxLimit?: number },
): Promise<Page<Row>> {
	const { cursor = null, limit, maxLimit = 100 } = request;
	if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxLimit))
		throw new RangeError(`limit is ${limit}; expected a whole number from 1 to ${maxLimit}`);
	const at = cursor === null ? undefined : await cursors.open(source.identity, cursor);
	// One row more than asked tells whether the list goes on, without counting it.
	const found = await source.read(at, limit + 1);
	const more = found.length > limit;
	const page = found.slice(0, limit);
	if (at?.backward) page.reverse();

	const edge = (backward: boolean): Position | undefined => {
		const row = backward ? page[0] : page.at(-1);
		if (row) return { backward, inclusive: false, keys: row.keys };
		// The page came out empty. Turned round, the cursor's own row is on the other side exactly when it wasn't on this one.
		return at && { backward, inclusive: !at.inclusive, keys: at.keys };
	};
	const seal = (position: Position | undefined) => (position ? cursors.seal(source.identity, position) : null);
	const [next, previous] = await Promise.all([
		seal(at?.backward || more ? edge(false) : undefined),
		seal(at && (!at.backward || more) ? edge(true) : undefined),
	]);
	return { rows: page.map(({ row }) => row), next, previous };
}

/** The list as PostgreSQL pages it. One index over the filter's equality columns and then the order serves every page. */
export function postgresPages<Row>(sql: Sql, query: KeysetQuery): PageSource<Row> {
	const keys = query.order.map(({ column }) => identifier(column));
	const columns = query.columns.map(identifier);
	const table = identifier(query.table);
	return {
		identity: queryIdentity(query),
		read: async (from, count) => {
			const params: unknown[] = [...(query.where?.params ?? [])];
			const bind = (value: unknown) => `$${params.push(value)}`;
			const conditions = [`(${query.where?.sql ?? 'true'})`];
			if (from) {
				const values = query.order.map(({ type }, i) => `${bind(from.keys[i])}::text::${type}`);
				conditions.push(beyond(query.order, keys, values, from));
			}
			const order = query.order.map((key, i) => `${keys[i]} ${ascending(key, from) ? 'asc' : 'desc'}`);
			const { rows } = await sql.query<Row & { _keys: string[] }>(
				`select ${columns.join(', ')}, array[${keys.map((key) => `${key}::text`).join(', ')}] as _keys
				from ${table} where ${conditions.join(' and ')} order by ${order.join(', ')} limit ${bind(count)}`,
				params,
			);
			return rows.map(({ _keys, ...row }) => ({ row: row as Row, keys: _keys }));
		},
	};
}

/** What a cursor is bound to: the list, its order, its filter and the filter's values, but not the page size. */
export function queryIdentity({ name, table, order, where }: KeysetQuery): string {
	const keys = order.map(({ column, type, direction }) => [column, type, direction]);
	return JSON.stringify([name, table, keys, where?.sql, where?.params]);
}

/**
 * Checks, at start-up, what paging relies on and no query can show: no sort column is nullable (a comparison with null
 * is never true, so such rows would vanish), and the order contains a unique key (rows that tie would be torn apart).
 * @throws Error naming the columns and the mend
 */
export async function assertTotalOrder(sql: Sql, query: KeysetQuery): Promise<void> {
	const { rows } = await sql.query<{ nullable: string[]; unique: boolean }>(
		`select
			array(select name from unnest($2::text[]) as wanted (name) where not exists (
				select 1 from pg_attribute where attrelid = $1::regclass and attname = name and attnotnull)) as nullable,
			exists (select 1 from pg_index as i where i.indrelid = $1::regclass and i.indisunique and i.indisvalid
				and i.indpred is null and not exists (
					select 1 from generate_series(0, i.indnkeyatts - 1) as n
					left join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[n]
					where a.attname is null or a.attname <> all ($2::text[]))) as unique`,
		[identifier(query.table), query.order.map(({ column }) => column)],
	);
	const [found] = rows;
	if (found?.nullable.length !== 0)
		throw new Error(`${query.name}: sort column ${found?.nullable.join(', ')} may be null. Make it "not null".`);
	if (!found.unique)
		throw new Error(`${query.name}: the order has no unique key, so ties have no order. End it with the primary key.`);
}

const ascending = (key: SortKey, from: Position | undefined) => (key.direction === 'asc') !== (from?.backward ?? false);

/** The condition "comes after the position". One row comparison where directions agree: an index answers it in one step. */
function beyond(order: readonly SortKey[], keys: string[], values: string[], from: Position): string {
	const past = order.map((key) => (ascending(key, from) ? '>' : '<'));
	const orAt = from.inclusive ? '=' : '';
	if (new Set(past).size === 1) return `(${keys.join(', ')}) ${past[0]}${orAt} (${values.join(', ')})`;
	const fromKey = (i: number): string =>
		i === keys.length - 1
			? `${keys[i]} ${past[i]}${orAt} ${values[i]}`
			: `(${keys[i]} ${past[i]} ${values[i]} or (${keys[i]} = ${values[i]} and ${fromKey(i + 1)}))`;
	// The first conjunct is implied by the second, but is the one that an index range can start from.
	return `${keys[0]} ${past[0]}= ${values[0]} and ${fromKey(0)}`;
}

/** Names come from the developer; this only makes sure that a sort parameter passed straight through can do no harm. */
function identifier(name: string): string {
	if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new RangeError(`"${name}" is not a plain column or table name`);
	return `"${name}"`;
}
