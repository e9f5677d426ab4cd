import { rootDeadline } from '../deadline-propagation/deadline-propagation.ts';
import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo, Emit, EventKind, ScenarioClock } from '../scenario.ts';
import { Hedger } from './hedged-request.ts';

/** The rules that this scenario checks, as they stand on the card. */
export const RULES = {
	delay:
		'A second attempt starts only when the first has taken longer than the given percentile of latencies, and never before enough of them are known.',
	loser: 'As soon as there is an answer, the other attempt is aborted.',
	one: 'The caller gets one outcome: the first success, or the first failure when no attempt is left that could succeed.',
	share: 'Second attempts are at most the given share of calls.',
	idempotent: 'A call that is not idempotent gets one attempt, come what may.',
} as const;

const CALLS = 30;
const EVERY_MS = 25;
const SLOW_MS = 400;
const MINIMUM_SAMPLES = 8;
const REPLICAS = ['replica A', 'replica B'] as const;

type Work = (attempt: number, signal?: AbortSignal) => Promise<string>;

export const demo: Demo = {
	title: 'Two replicas with a slow tail',
	about:
		'Thirty calls go to a pair of replicas; most take 20 to 40 ms, a few take 400. Every tenth call is a write that must not happen twice. Compare the slowest answers, the load on the replicas, and what the writes do.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Hedge the tail (off: always ask both)', value: true },
		{ id: 'slow', kind: 'number', label: 'Slow calls', value: 12, min: 0, max: 30, step: 2, unit: '%' },
		{ id: 'percentile', kind: 'number', label: 'Hedge after percentile', value: 85, min: 50, max: 99, step: 1 },
		{ id: 'share', kind: 'number', label: 'Most second attempts', value: 15, min: 0, max: 40, step: 5, unit: '%' },
		{ id: 'seed', kind: 'number', label: 'Seed', value: 3, min: 1, max: 99, step: 1 },
	],
	async run(controls, emit, clock) {
		const percentile = Number(controls.percentile) / 100;
		const maxShare = Number(controls.share) / 100;
		const hedger = new Hedger({ percentile, maxShare, minimumSamples: MINIMUM_SAMPLES });
		const root = rootDeadline({ clock: { now: () => clock.now(), after: (ms, fire) => clock.after(ms, fire) } });
		const watch = watcher(emit, clock, percentile, maxShare);
		const random = seededRandom(Number(controls.seed));
		const latencies = Array.from({ length: CALLS * 2 }, () =>
			random() * 100 < Number(controls.slow) ? SLOW_MS : 20 + Math.floor(random() * 20),
		);
		await Promise.all(
			Array.from({ length: CALLS }, async (_, i) => {
				await clock.sleep(i * EVERY_MS);
				const write = i % 10 === 9;
				await watch.call(
					i,
					write,
					(attempt) => latencies[i * 2 + attempt - 1] ?? SLOW_MS,
					(work) =>
						controls.pattern
							? hedger.call(root, (scope, attempt) => work(attempt, scope.signal), { idempotent: !write })
							: askBoth(work),
				);
			}),
		);
		await watch.idle();
		watch.verdict();
	},
};

/** Without the pattern: both at once, always, whatever the call does, and the loser is left to run. */
function askBoth(work: Work): Promise<string> {
	return Promise.any([work(1), work(2)]);
}

/** Does the calls, draws them, and remembers what the checks need. */
function watcher(emit: Emit, clock: ScenarioClock, percentile: number, maxShare: number) {
	/** How long first attempts took, as far as they were let. */
	const known: number[] = [];
	const took: number[] = [];
	const writes = new Map<number, number>();
	const all: Promise<unknown>[] = [];
	let second = 0;
	let tooEarly = 0;
	let outlived = 0;
	let answers = 0;
	let wrongAnswers = 0;

	return {
		async call(
			i: number,
			write: boolean,
			latency: (attempt: number) => number,
			run: (work: Work) => Promise<string>,
		): Promise<void> {
			const name = `${write ? 'write' : 'read'} ${i + 1}`;
			const began = clock.now();
			const before = [...known];
			let ended = Number.POSITIVE_INFINITY;
			let firstSuccess: string | undefined;
			const attempt: Work = async (number, signal) => {
				const started = clock.now();
				if (number === 2) {
					second++;
					const passed = before.filter((ms) => ms <= started - began).length;
					if (before.length < MINIMUM_SAMPLES || passed < percentile * before.length) tooEarly++;
				}
				const span = (kind: EventKind, label: string) =>
					emit({ t: started, until: clock.now(), lane: REPLICAS[(i + number) % 2] ?? 'replica', kind, label });
				try {
					await clock.sleep(latency(number), signal);
				} catch (error) {
					span('abort', `${name}, attempt ${number} cancelled`);
					throw error;
				} finally {
					if (clock.now() > ended) outlived++;
				}
				if (write) writes.set(i, (writes.get(i) ?? 0) + 1);
				span(
					clock.now() > ended ? 'fail' : 'ok',
					`${name}, attempt ${number}${clock.now() > ended ? ', for nobody' : ''}`,
				);
				firstSuccess ??= `${i}.${number}`;
				return `${i}.${number}`;
			};
			const answer = await run((number, signal) => {
				const work = attempt(number, signal);
				all.push(work);
				return work;
			});
			ended = clock.now();
			answers++;
			if (answer !== firstSuccess) wrongAnswers++;
			took.push(ended - began);
			known.push(ended - began);
		},
		idle: () => Promise.allSettled(all),
		verdict() {
			const slowest = [...took]
				.sort((a, b) => b - a)
				.slice(0, 3)
				.join(', ');
			emit({ t: clock.now(), lane: 'client', kind: 'info', label: `slowest answers: ${slowest} ms` });
			emit({ t: clock.now(), lane: 'client', kind: 'info', label: `${CALLS + second} requests for ${CALLS} calls` });
			const twice = [...writes.values()].filter((count) => count > 1).length;
			emit({
				rule: RULES.delay,
				ok: tooEarly === 0,
				detail: `${tooEarly} of ${howMany(second, 'second attempt')} came too early`,
			});
			emit({
				rule: RULES.loser,
				ok: outlived === 0,
				detail: `${howMany(outlived, 'attempt')} ran on after the answer`,
			});
			emit({
				rule: RULES.one,
				ok: answers === CALLS && wrongAnswers === 0,
				detail: `${howMany(answers, 'answer')}, ${wrongAnswers} of them not the first`,
			});
			emit({
				rule: RULES.share,
				ok: second <= maxShare * CALLS + 1e-9,
				detail: `${howMany(second, 'second attempt')}, ${Math.floor(maxShare * CALLS + 1e-9)} allowed`,
			});
			emit({
				rule: RULES.idempotent,
				ok: twice === 0,
				detail: `${twice} of ${howMany(writes.size, 'write')} happened twice`,
			});
		},
	};
}
