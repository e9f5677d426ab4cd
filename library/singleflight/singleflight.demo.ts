import { howMany } from '../how-many.ts';
import type { Demo, Emit, EventKind, ScenarioClock } from '../scenario.ts';
import { Singleflight } from './singleflight.ts';

/** The rules that this scenario checks, as they stand on the card. */
export const RULES = {
	once: 'Concurrent calls for a key run the function once and share its outcome.',
	rejection:
		'A rejection is shared by everyone who waits and is not remembered: the next call runs the function again.',
	freed: 'The key is free again on every path, a synchronous throw included, before anyone hears of the outcome.',
	others: "One caller's abort ends that caller's wait at once, and neither cancels nor fails the others.",
	last: 'When the last caller leaves, the work is aborted, and the next call starts anew instead of joining it.',
} as const;

type Run = (key: string, work: (signal?: AbortSignal) => Promise<string>, signal: AbortSignal) => Promise<string>;

export const demo: Demo = {
	title: 'Everyone asks for the same page',
	about:
		'The cache has just expired. Many callers want the front page and the first of them leaves; a query fails and is asked again; one throws before it begins; one is given up by everybody. Watch how many queries the database sees, and who gets an answer.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Singleflight (off: a map of promises)', value: true },
		{ id: 'callers', kind: 'number', label: 'Callers', value: 5, min: 2, max: 8, step: 1 },
		{ id: 'query', kind: 'number', label: 'Query takes', value: 150, min: 50, max: 300, step: 10, unit: 'ms' },
		{
			id: 'leaves',
			kind: 'number',
			label: 'First caller leaves after',
			value: 60,
			min: 10,
			max: 400,
			step: 10,
			unit: 'ms',
		},
	],
	async run(controls, emit, clock) {
		const callers = Number(controls.callers);
		const queryMs = Number(controls.query);
		const leavesMs = Number(controls.leaves);
		const flights = new Singleflight<string>();
		const run: Run = controls.pattern ? (key, work, signal) => flights.run(key, work, signal) : promiseMap();
		const database = databaseThat(emit, clock, queryMs);
		const people = callersOf(emit, clock, run);
		const spacing = Math.min(8, queryMs / (2 * callers));
		const phase = leavesMs + queryMs + 200;

		const stampede = Array.from({ length: callers }, (_, i) =>
			people.ask('front page', i + 1, i * spacing, database.query('front page'), i === 0 ? leavesMs : undefined),
		);

		const failing = [0, 10].map((at, i) => people.ask('prices', i + 1, phase + at, database.query('prices', 1)));
		const again = people.ask('prices', 3, phase + queryMs + 60, database.query('prices', 1));

		const thrown = people.ask('news', 1, 2 * phase, () => {
			emit({ t: clock.now(), lane: 'database', kind: 'fail', label: 'news: bad query' });
			throw new Error('bad query');
		});
		const repaired = people.ask('news', 2, 2 * phase + 30, database.query('news'));

		const abandoned = [0, 10].map((at, i) =>
			people.ask('report', i + 1, 3 * phase + at, database.query('report'), 40 - at),
		);
		const successor = people.ask('report', 3, 3 * phase + 41, database.query('report'));

		const [front, first, second, fresh] = await Promise.all([
			Promise.all(stampede),
			Promise.all(failing),
			Promise.all([thrown, repaired]),
			Promise.all([...abandoned, successor]),
		]);
		const third = await again;
		await database.idle();

		const stayed = front.filter((answer) => answer !== 'left');
		const lastAnswer = fresh.at(-1) ?? '';
		const check = (rule: string, ok: boolean, detail: string) => emit({ rule, ok, detail });
		check(
			RULES.once,
			database.most('front page') === 1 && new Set(stayed.filter((answer) => answer.startsWith('result'))).size <= 1,
			`${howMany(callers, 'caller')}, ${howMany(database.count('front page'), 'query', 'queries')}, ${database.most('front page')} at a time`,
		);
		check(
			RULES.rejection,
			first.every((answer) => answer === 'database error') && third.startsWith('result'),
			`failed for ${first.length}, then: ${third}`,
		);
		check(
			RULES.freed,
			second[0] === 'bad query' && second[1].startsWith('result') && flights.size === 0,
			`after the throw: ${second[1]}`,
		);
		check(
			RULES.others,
			stayed.every((answer) => answer.startsWith('result')) && people.late() === 0,
			`${stayed.filter((answer) => !answer.startsWith('result')).length} of ${stayed.length} who stayed got no answer`,
		);
		check(
			RULES.last,
			database.aborted('report') === 1 && lastAnswer.startsWith('result'),
			`${howMany(database.aborted('report'), 'query aborted', 'queries aborted')}; the next caller: ${lastAnswer}`,
		);
	},
};

/** What people write first: a map of promises, bound to the first caller, forgotten when the promise is fulfilled. */
function promiseMap(): Run {
	const promises = new Map<string, Promise<string>>();
	return (key, work, signal) => {
		const running = promises.get(key);
		if (running) return running;
		const promise = work(signal).then((value) => {
			promises.delete(key);
			return value;
		});
		promises.set(key, promise);
		return promise;
	};
}

function databaseThat(emit: Emit, clock: ScenarioClock, queryMs: number) {
	const running = new Map<string, number>();
	const most = new Map<string, number>();
	const count = new Map<string, number>();
	const aborts = new Map<string, number>();
	const all: Promise<unknown>[] = [];
	const add = (map: Map<string, number>, key: string, by: number) => {
		const value = (map.get(key) ?? 0) + by;
		map.set(key, value);
		return value;
	};

	const execute = async (key: string, failures: number, signal: AbortSignal | undefined) => {
		const began = clock.now();
		const number = add(count, key, 1);
		most.set(key, Math.max(most.get(key) ?? 0, add(running, key, 1)));
		const span = (kind: EventKind, label: string) =>
			emit({ t: began, until: clock.now(), lane: 'database', kind, label: `${key}: ${label}` });
		try {
			await clock.sleep(queryMs, signal);
		} catch (error) {
			add(aborts, key, 1);
			span('abort', 'cancelled');
			throw error;
		} finally {
			add(running, key, -1);
		}
		if (number <= failures) {
			span('fail', 'error');
			throw new Error('database error');
		}
		span('ok', `result ${number}`);
		return `result ${number}`;
	};

	return {
		/** The first `failures` queries for the key fail. */
		query:
			(key: string, failures = 0) =>
			(signal?: AbortSignal) => {
				const work = execute(key, failures, signal);
				all.push(work);
				return work;
			},
		count: (key: string) => count.get(key) ?? 0,
		most: (key: string) => most.get(key) ?? 0,
		aborted: (key: string) => aborts.get(key) ?? 0,
		idle: () => Promise.allSettled(all),
	};
}

function callersOf(emit: Emit, clock: ScenarioClock, run: Run) {
	let lateLeavers = 0;
	return {
		/** Someone who left and heard of it later than at once. */
		late: () => lateLeavers,
		/** @returns the answer, the message of the error, or `left` */
		async ask(
			key: string,
			number: number,
			at: number,
			work: (signal?: AbortSignal) => Promise<string>,
			leavesAfter?: number,
		): Promise<string> {
			await clock.sleep(at);
			const began = clock.now();
			const lane = `caller ${number}`;
			const user = new AbortController();
			const cancel =
				leavesAfter === undefined ? () => {} : clock.after(leavesAfter, () => user.abort(new Error(`${lane} left`)));
			emit({ t: began, lane, kind: 'start', label: key });
			try {
				const answer = await run(key, work, user.signal);
				emit({ t: began, until: clock.now(), lane, kind: 'ok', label: `${key}: ${answer}` });
				return answer;
			} catch (error) {
				const text = error instanceof Error ? error.message : String(error);
				const left = user.signal.aborted;
				if (left && clock.now() > began + (leavesAfter ?? 0)) lateLeavers++;
				emit({ t: began, until: clock.now(), lane, kind: left ? 'abort' : 'fail', label: `${key}: ${text}` });
				return left ? 'left' : text;
			} finally {
				cancel();
			}
		},
	};
}
