import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { ControlValues, Demo, Emit, ScenarioClock } from '../scenario.ts';
import { type ConditionalAnswer, type ConditionalRequest, serve } from './conditional-request.ts';
import { memoryDocuments } from './optimistic-concurrency.memory.ts';
import { ConflictError, modify, type VersionedStore } from './optimistic-concurrency.ts';

/** The card's rules that the scenario checks, to the letter. */
export const rules = {
	names:
		'A write names the version that it was made from, and the comparison is part of the write itself, so no acknowledged change is lost.',
	conflict: 'A conflict changes nothing and returns the current state, as the write that won has left it.',
	unique: 'A version never comes back, even when the thing is deleted and created again.',
	retries:
		'Retries are bounded, each one reads anew and applies the change to what it finds, and giving up is an error with the current state.',
	strong: 'If-Match compares strongly: a weak tag never matches.',
	mismatch: 'A mismatch is answered 412 with the current state and its ETag.',
	required: 'A write without a precondition is answered 428 and does nothing.',
	creation: 'A creation names absence: of two with If-None-Match: * one is created and the other is answered 412.',
} as const;

type Page = { lines: string[] };
type Serve = (request: ConditionalRequest<Page>) => Promise<ConditionalAnswer<Page>>;

const TRIP_MS = 30;

export const demo: Demo = {
	title: 'Several editors of one page',
	about:
		'Editors load a page, think, and save it with a line added. Whoever saves second has not seen the first change. Watch the lines: without versions the later save wipes out the earlier one, and everybody is told that all went well.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Optimistic concurrency', value: true },
		{ id: 'editors', kind: 'number', label: 'Editors', value: 3, min: 2, max: 4, step: 1 },
		{ id: 'think', kind: 'number', label: 'Thinking takes up to', value: 300, min: 50, max: 600, step: 50, unit: 'ms' },
		{ id: 'attempts', kind: 'number', label: 'Attempts', value: 4, min: 1, max: 6, step: 1 },
	],
	run,
};

async function run(controls: ControlValues, emit: Emit, clock: ScenarioClock): Promise<void> {
	const random = seededRandom(14);
	const attempts = Math.round(Number(controls.attempts));
	const store = controls.pattern ? memoryDocuments<Page>() : lastWriteWins();
	const answer: Serve = controls.pattern ? (request) => serve(store, request) : trusting(store);
	await store.write('page', null, { lines: [] });

	const versions: string[] = [];
	const conflicts: boolean[] = [];
	/** The store as an editor sees it: a network away. */
	const remote = (lane: string): VersionedStore<Page> => ({
		read: async (id) => {
			await clock.sleep(TRIP_MS);
			const state = await store.read(id);
			emit({ t: clock.now(), lane, kind: 'info', label: `reads version ${state?.version}` });
			return state;
		},
		write: async (id, expected, value) => {
			await clock.sleep(TRIP_MS);
			const before = await store.read(id);
			const result = await store.write(id, expected, value);
			const after = await store.read(id);
			if (result.ok) versions.push(String(after?.version));
			else conflicts.push(same(before, after) && same(result.current, after) && result.current?.version !== expected);
			emit({
				t: clock.now(),
				lane,
				kind: result.ok ? 'ok' : 'reject',
				label: result.ok ? `writes version ${after?.version}` : `has version ${expected}, current is ${after?.version}`,
			});
			return result;
		},
	});

	const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(Math.round(ms), signal);
	const acknowledged: string[] = [];
	const tries: number[] = [];
	const basedOnRead: boolean[] = [];
	const edit = async (editor: string) => {
		for (let i = 1; i <= 2; i++) {
			const line = `${editor}${i}`;
			let tried = 0;
			const change = async (page: Page | undefined) => {
				tried++;
				const t = clock.now();
				await clock.sleep(Math.round(25 + random() * Number(controls.think)));
				emit({ t, until: clock.now(), lane: `editor ${editor}`, kind: 'wait', label: `adds line ${line}` });
				return { lines: [...(page?.lines ?? []), line] };
			};
			try {
				await modify(remote(`editor ${editor}`), 'page', change, { attempts, sleep, random });
				acknowledged.push(line);
			} catch (error) {
				const current = error instanceof ConflictError ? error.current : undefined;
				basedOnRead.push(current !== undefined);
				emit({ t: clock.now(), lane: `editor ${editor}`, kind: 'fail', label: `gives line ${line} up` });
			}
			tries.push(tried);
		}
	};
	await Promise.all(['A', 'B', 'C', 'D'].slice(0, Math.round(Number(controls.editors))).map(edit));

	const lines = (await store.read('page'))?.value.lines ?? [];
	const lost = acknowledged.filter((line) => !lines.includes(line));
	const kept = lines.filter((line) => !acknowledged.includes(line));
	emit({
		rule: rules.names,
		ok: lost.length === 0 && kept.length === 0,
		detail: `${acknowledged.length} acknowledged, ${lost.length} lost`,
	});
	emit({
		rule: rules.conflict,
		ok: conflicts.every(Boolean),
		detail: `${howMany(conflicts.length, 'conflict')}, ${conflicts.filter((clean) => !clean).length} not clean`,
	});
	const most = Math.max(...tries);
	emit({
		rule: rules.retries,
		ok: most <= attempts && basedOnRead.every(Boolean),
		detail: `at most ${most} of ${howMany(attempts, 'try', 'tries')}, ${basedOnRead.length} given up`,
	});

	const request = async (label: string, given: Partial<ConditionalRequest<Page>>) => {
		const t = clock.now();
		await clock.sleep(TRIP_MS);
		const reply = await answer({ method: 'PUT', id: 'page', ifMatch: null, value: { lines: [label] }, ...given });
		const kind = reply.status < 300 ? 'ok' : 'reject';
		emit({ t, until: clock.now(), lane: 'server', kind, label: `${label}: ${reply.status}` });
		return reply;
	};
	const before = await store.read('page');
	const bare = await request('PUT without If-Match', {});
	const afterBare = await store.read('page');
	emit({ rule: rules.required, ok: bare.status === 428 && same(before, afterBare), detail: `answered ${bare.status}` });

	const current = await request('GET', { method: 'GET' });
	const stale = await request('PUT with an old ETag', { ifMatch: '"0"' });
	emit({
		rule: rules.mismatch,
		ok: stale.status === 412 && stale.etag === current.etag && same(stale.value, current.value),
		detail: `answered ${stale.status} with ${stale.etag ?? 'no tag'}`,
	});
	const weak = await request('PUT with a weak tag', { ifMatch: `W/${current.etag ?? '""'}` });
	emit({ rule: rules.strong, ok: weak.status === 412, detail: `answered ${weak.status}` });

	const creations = await Promise.all(
		[1, 2].map((i) => request(`create page ${i}`, { id: 'new page', ifNoneMatch: '*' })),
	);
	const statuses = creations.map(({ status }) => status).sort();
	emit({ rule: rules.creation, ok: statuses.join() === '201,412', detail: `answered ${statuses.join(' and ')}` });

	const first = creations.find(({ status }) => status < 300)?.etag ?? '""';
	await request('DELETE', { method: 'DELETE', id: 'new page', ifMatch: first });
	const second = await request('create it again', { id: 'new page', ifNoneMatch: '*' });
	const repeated = versions.length - new Set(versions).size;
	emit({
		rule: rules.unique,
		ok: repeated === 0 && second.etag !== first,
		detail: `${first} at first, ${second.etag} after deletion`,
	});
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What is usually written first: a save is an update by id, and a version is a counter in the row, for show. */
function lastWriteWins(): VersionedStore<Page> {
	const pages = new Map<string, { version: string; value: Page }>();
	return {
		read: async (id) => structuredClone(pages.get(id)),
		write: async (id, _, value) => {
			if (value === null) pages.delete(id);
			else pages.set(id, { version: String(Number(pages.get(id)?.version ?? 0) + 1), value });
			return { ok: true, current: pages.get(id) };
		},
	};
}

function trusting(store: VersionedStore<Page>): Serve {
	return async ({ method, id, value = { lines: [] } }) => {
		const before = await store.read(id);
		if (method === 'GET')
			return before ? { status: 200, etag: `"${before.version}"`, value: before.value } : { status: 404 };
		const { current } = await store.write(id, null, method === 'DELETE' ? null : value);
		return current
			? { status: before ? 200 : 201, etag: `"${current.version}"`, value: current.value }
			: { status: 204 };
	};
}
