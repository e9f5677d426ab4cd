import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { ControlValues, Demo, Emit, ScenarioClock } from '../scenario.ts';
import { memoryPages } from './keyset-pagination.memory.ts';
import type { KeysetQuery, Page } from './keyset-pagination.ts';
import { InvalidCursorError, paginate } from './keyset-pagination.ts';
import { signedCursors } from './signed-cursors.ts';

/** The card's rules that the scenario checks, to the letter. */
export const rules = {
	stable:
		'A row that stays put is returned exactly once in a walk, however many rows are inserted or deleted meanwhile.',
	total:
		'The order is total: its columns are not nullable and contain a unique key, and a list whose order is not is refused at start-up.',
	tampered: 'A cursor that was changed in any character, cut or forged is refused.',
	foreign: 'A cursor opens only the list, order and filter values that it came from; the page size may change.',
	both: 'Both directions show the same rows in the same order.',
} as const;

interface Post {
	id: string;
	minute: number;
}

type ReadPage = (cursor: string | null, author?: string) => Promise<Page<Post>>;

const QUERY_MS = 40;
const READING_MS = 360;

export const demo: Demo = {
	title: 'A reader pages through a feed that others write to',
	about:
		'A reader walks through a feed, newest first, while posts are added and deleted, and then walks back. Posts of one minute tie. Watch the pages: counted offsets show posts twice and miss others, and take any cursor for their own.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Keyset pagination', value: true },
		{ id: 'posts', kind: 'number', label: 'Posts at the start', value: 24, min: 20, max: 40, step: 1 },
		{ id: 'pageSize', kind: 'number', label: 'Page size', value: 5, min: 3, max: 8, step: 1 },
		{
			id: 'writes',
			kind: 'select',
			label: 'Meanwhile',
			value: 'both',
			options: [
				{ value: 'both', label: 'posts are added and deleted' },
				{ value: 'inserts', label: 'posts are added' },
				{ value: 'deletes', label: 'posts are deleted' },
			],
		},
	],
	run,
};

async function run(controls: ControlValues, emit: Emit, clock: ScenarioClock): Promise<void> {
	const random = seededRandom(12);
	const limit = Math.round(Number(controls.pageSize));
	const table: Post[] = Array.from({ length: Math.round(Number(controls.posts)) }, (_, i) => ({
		id: `p${String(i).padStart(2, '0')}`,
		minute: Math.floor(i / 3),
	}));
	emit({ t: 0, lane: 'writers', kind: 'state', label: `${table.length} posts, three a minute` });
	const readPage = controls.pattern ? keyset(table, limit) : offset(table, limit, random);
	const stayed = new Set(table.map(({ id }) => id));

	const add = (id: string) => {
		table.push({ id, minute: 100 });
		emit({ t: clock.now(), lane: 'writers', kind: 'ok', label: `add ${id} on top` });
	};
	const remove = () => {
		const [gone] = table.splice(Math.floor(random() * table.length), 1);
		if (gone) stayed.delete(gone.id);
		emit({ t: clock.now(), lane: 'writers', kind: 'info', label: `delete ${gone?.id}` });
	};
	const write = (page: number) => {
		for (const i of [1, 2]) {
			const adds = controls.writes === 'inserts' || (controls.writes === 'both' && i === 1);
			if (adds) add(`n${page}.${i}`);
			else if (table.length > 4) remove();
		}
	};

	const walk = async (from: string | null, step: 'next' | 'previous', onPage: (page: number) => void) => {
		const pages: Post[][] = [];
		let last: Page<Post> | undefined;
		for (let cursor = from, first = true; (first || cursor !== null) && pages.length < 40; first = false) {
			const t = clock.now();
			await clock.sleep(QUERY_MS);
			last = await clock.external(readPage(cursor));
			pages.push(last.rows);
			const label = `${step === 'next' ? 'forward' : 'back'}: ${last.rows.map(({ id }) => id).join(' ') || 'nothing'}`;
			emit({ t, until: clock.now(), lane: 'reader', kind: 'ok', label });
			onPage(pages.length);
			await clock.sleep(READING_MS);
			cursor = last[step];
		}
		return { pages, last };
	};

	const forth = await walk(null, 'next', (page) => {
		const t = clock.now();
		emit({ t, until: t + READING_MS, lane: 'reader', kind: 'wait', label: 'reads the page' });
		if (page < 7) write(page);
	});
	const seen = forth.pages.flat();
	const repeated = seen.length - new Set(seen.map(({ id }) => id)).size;
	const skipped = [...stayed].filter((id) => !seen.some((post) => post.id === id));
	const detail = `${repeated} repeated, ${skipped.length} skipped`;
	emit({ rule: rules.stable, ok: repeated === 0 && skipped.length === 0, detail });
	const falls = seen.filter((post, i) => i > 0 && newestFirst(seen[i - 1] ?? post, post) >= 0);
	emit({
		rule: rules.total,
		ok: falls.length === 0,
		detail: `${falls.length} of ${howMany(seen.length, 'post')} out of order`,
	});

	const end = forth.last?.previous ?? null;
	const tail = forth.pages.at(-1) ?? [];
	const back = end === null ? { pages: [] } : await walk(end, 'previous', () => undefined);
	const backwards = [...back.pages.reverse().flat(), ...tail].map(({ id }) => id);
	const expected = [...table].sort(newestFirst).map(({ id }) => id);
	// Posts that were deleted after the reader saw them are on the tail page still.
	const present = backwards.filter((id) => expected.includes(id));
	emit({
		rule: rules.both,
		ok: present.join() === expected.join(),
		detail: `${new Set(present).size} of ${howMany(expected.length, 'post')} on the way back`,
	});

	const attempt = async (label: string, cursor: string, author?: string) => {
		await clock.sleep(QUERY_MS);
		const refused = await clock.external(
			readPage(cursor, author).then(
				() => false,
				(error: unknown) => error instanceof InvalidCursorError,
			),
		);
		emit({ t: clock.now(), lane: 'reader', kind: refused ? 'reject' : 'fail', label });
		return refused;
	};
	const { next } = await clock.external(readPage(null));
	const cursor = next ?? '';
	const changed = `${cursor.slice(0, 4)}${cursor[4] === 'A' ? 'E' : 'A'}${cursor.slice(5)}`;
	const refused = await attempt('a cursor with one character changed', changed);
	emit({ rule: rules.tampered, ok: refused, detail: refused ? 'refused' : 'accepted' });
	const foreign = await attempt("the cursor on another author's list", cursor, 'bob');
	emit({ rule: rules.foreign, ok: foreign, detail: foreign ? 'refused' : 'accepted' });
}

const newestFirst = (a: Post, b: Post) => b.minute - a.minute || Number(a.id < b.id) - Number(a.id > b.id);

function keyset(table: Post[], limit: number): ReadPage {
	const cursors = signedCursors(['a secret for the scenario alone, 32 or more']);
	return (cursor, author = 'ann') => {
		const query: KeysetQuery = {
			name: 'feed',
			table: 'posts',
			columns: ['id', 'minute'],
			order: [
				{ column: 'minute', type: 'integer', direction: 'desc' },
				{ column: 'id', type: 'text', direction: 'desc' },
			],
			where: { sql: 'author = $1', params: [author] },
		};
		return paginate(
			memoryPages(() => table, query),
			cursors,
			{ cursor, limit },
		);
	};
}

/** What is usually written first: the cursor is a count of rows, and posts of one minute come in whatever order. */
function offset(table: Post[], limit: number, random: () => number): ReadPage {
	return async (cursor) => {
		const start = cursor === null ? 0 : Number.parseInt(atob(cursor), 10) || 0;
		const shuffled = table.map((post) => ({ post, at: random() })).sort((a, b) => a.at - b.at);
		const rows = shuffled.map(({ post }) => post).sort((a, b) => b.minute - a.minute);
		const go = (to: number) => btoa(`${Math.max(0, to)} rows`);
		return {
			rows: rows.slice(start, start + limit),
			next: start + limit < rows.length ? go(start + limit) : null,
			previous: start > 0 ? go(start - limit) : null,
		};
	};
}
