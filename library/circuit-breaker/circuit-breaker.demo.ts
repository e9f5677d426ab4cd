import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo, Emit, EventKind, ScenarioClock } from '../scenario.ts';
import { CircuitBreaker, CircuitOpen, type CircuitState } from './circuit-breaker.ts';

/** The rules that this scenario checks, as they stand on the card. */
export const RULES = {
	fast: 'While open, a call fails at once and does not reach the dependency.',
	probes:
		'Half-open admits at most the given number of probes; only that many successes close it, one failure opens it again.',
	caller: "A caller's own errors (4xx, an abort) count neither as failures nor as successes.",
	few: 'A window with too few calls never opens the circuit, whatever their outcome.',
	late: 'An outcome counts only in the state in which its call began.',
} as const;

const FAILURE_RATE = 0.5;
const WINDOW_MS = 1000;
const OUTAGE_FROM = 1200;

interface Options {
	minimumCalls: number;
	openMs: number;
	probes: number;
	onChange(to: CircuitState, from: CircuitState): void;
}

interface Breaker {
	readonly state: CircuitState;
	call<T>(work: () => Promise<T>): Promise<T>;
}

export const demo: Demo = {
	title: 'A blip, a buggy client, an outage',
	about:
		'At first three calls of a quiet night fail; then a client asks for things that do not exist; then the server goes down for a while, and one slow call from before comes back in the middle. Only the outage should open the circuit, and only probes should reach a server that may still be down.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Circuit breaker (off: three failures in a row)', value: true },
		{ id: 'outage', kind: 'number', label: 'Outage lasts', value: 500, min: 200, max: 1000, step: 50, unit: 'ms' },
		{ id: 'open', kind: 'number', label: 'Stays open for', value: 400, min: 200, max: 800, step: 50, unit: 'ms' },
		{ id: 'minimum', kind: 'number', label: 'Calls before a rate counts', value: 8, min: 5, max: 12, step: 1 },
		{ id: 'probes', kind: 'number', label: 'Probes', value: 2, min: 1, max: 3, step: 1 },
	],
	async run(controls, emit, clock) {
		const watch = watcher(emit, clock, Number(controls.minimum), Number(controls.probes));
		const options: Options = {
			minimumCalls: Number(controls.minimum),
			openMs: Number(controls.open),
			probes: Number(controls.probes),
			onChange: watch.changed,
		};
		const breaker = controls.pattern
			? new CircuitBreaker({
					...options,
					failureRate: FAILURE_RATE,
					windowMs: WINDOW_MS,
					clock: { now: () => clock.now() },
				})
			: naiveBreaker(options, clock);
		const outageEnds = OUTAGE_FROM + Number(controls.outage);
		const random = seededRandom(11);
		const jobs: Promise<void>[] = [];
		const send = (at: number, ms: number, answer: () => number) =>
			jobs.push(clock.sleep(at).then(() => watch.call(breaker, ms, answer)));

		for (let i = 0; i < 4; i++) send(i * 110, 20, () => (i === 0 ? 200 : 503));
		for (let i = 0; i < 12; i++) send(600 + i * 45, 20, () => (i % 4 === 0 ? 200 : 404));
		send(OUTAGE_FROM - 10, Number(controls.outage) + 260, () => 504);
		for (let at = OUTAGE_FROM; at < OUTAGE_FROM + 1600; at += 40)
			send(at, 60 + Math.floor(random() * 60), () =>
				clock.now() >= OUTAGE_FROM && clock.now() < outageEnds ? 503 : 200,
			);
		emit({ t: OUTAGE_FROM, until: outageEnds, lane: 'server', kind: 'fail', label: 'down' });
		await Promise.all(jobs);
		watch.verdict();
	},
};

/** What people write first: a counter of failures in a row, of any kind; after a while everyone is let through. */
function naiveBreaker({ openMs, onChange }: Options, clock: ScenarioClock): Breaker {
	let inARow = 0;
	let openedAt = 0;
	let state: CircuitState = 'closed';
	const change = (to: CircuitState) => {
		const from = state;
		state = to;
		if (from !== to) onChange(to, from);
	};
	return {
		get state() {
			return state;
		},
		async call(work) {
			if (state === 'open' && clock.now() - openedAt < openMs) throw new CircuitOpen(openedAt + openMs - clock.now());
			if (state === 'open') change('half-open');
			try {
				const value = await work();
				inARow = 0;
				change('closed');
				return value;
			} catch (error) {
				if (++inARow >= 3) {
					openedAt = clock.now();
					change('open');
				}
				throw error;
			}
		},
	};
}

/** Makes the calls, draws them, and remembers what the checks need. It judges by its own log, not by the breaker's counters. */
function watcher(emit: Emit, clock: ScenarioClock, minimumCalls: number, probes: number) {
	const log: { at: number; status: number; era: number }[] = [];
	let era = 0;
	let eraBegan = 0;
	let settling: { era: number } | undefined;
	let running = 0;
	let reachedOpen = 0;
	let slowRejects = 0;
	let rejected = 0;
	let mostProbes = 0;
	let openings = 0;
	let withoutReason = 0;
	let tooFew = 0;
	let lateChanges = 0;
	let closedTooEarly = 0;
	let probesPassed = 0;

	const judgeOpening = () => {
		openings++;
		// Caller errors are left out here; what is left must be enough, and bad enough.
		const counted = log.filter((each) => each.at > clock.now() - WINDOW_MS && !isCallerError(each.status));
		const current = counted.filter((each) => each.era === era);
		const failures = current.filter((each) => each.status >= 500).length;
		if (current.length < minimumCalls) tooFew++;
		const byCaller = isCallerError(log.at(-1)?.status ?? 0);
		if (byCaller || failures < FAILURE_RATE * minimumCalls) withoutReason++;
	};
	const isCallerError = (status: number) => status >= 400 && status < 500;

	return {
		changed(to: CircuitState, from: CircuitState) {
			if (settling && settling.era !== era) lateChanges++;
			if (from === 'closed' && to === 'open') judgeOpening();
			if (from === 'half-open' && to === 'closed' && probesPassed < probes) closedTooEarly++;
			era++;
			eraBegan = clock.now();
			running = 0;
			probesPassed = 0;
			const kind: EventKind = to === 'open' ? 'reject' : to === 'closed' ? 'ok' : 'state';
			emit({ t: clock.now(), lane: 'circuit', kind, label: to });
		},
		async call(breaker: Breaker, ms: number, answer: () => number): Promise<void> {
			const asked = clock.now();
			settling = undefined;
			try {
				await breaker.call(async () => {
					const began = era;
					const state = breaker.state;
					if (state === 'open') reachedOpen++;
					if (state === 'half-open') mostProbes = Math.max(mostProbes, ++running + probesPassed);
					await clock.sleep(ms);
					const status = answer();
					const kind: EventKind = status < 400 ? 'ok' : status < 500 ? 'reject' : 'fail';
					emit({
						t: asked,
						until: clock.now(),
						lane: state === 'half-open' ? 'probes' : 'calls',
						kind,
						label: `${status}`,
					});
					log.push({ at: clock.now(), status, era: began });
					settling = { era: began };
					if (began === era && state === 'half-open') {
						running--;
						if (status < 400) probesPassed++;
					}
					if (status >= 400) throw Object.assign(new Error(`HTTP ${status}`), { status });
				});
			} catch (error) {
				if (!(error instanceof CircuitOpen)) return;
				rejected++;
				if (clock.now() > asked) slowRejects++;
				emit({ t: clock.now(), lane: 'calls', kind: 'reject', label: 'refused' });
			}
		},
		verdict() {
			const since = `${Math.round(clock.now() - eraBegan)} ms since the last change`;
			emit({
				rule: RULES.fast,
				ok: reachedOpen === 0 && slowRejects === 0,
				detail: `${howMany(rejected, 'call')} refused at once, ${reachedOpen} reached the server`,
			});
			emit({
				rule: RULES.probes,
				ok: mostProbes <= probes && closedTooEarly === 0,
				detail: `up to ${mostProbes} of ${howMany(probes, 'probe')}; ${since}`,
			});
			emit({
				rule: RULES.caller,
				ok: withoutReason === 0,
				detail: `${withoutReason} of ${howMany(openings, 'opening')} without real failures`,
			});
			emit({
				rule: RULES.few,
				ok: tooFew === 0,
				detail: `${tooFew} of ${howMany(openings, 'opening')} with fewer than ${howMany(minimumCalls, 'call')}`,
			});
			emit({
				rule: RULES.late,
				ok: lateChanges === 0,
				detail: `${howMany(lateChanges, 'change')} caused by calls of an earlier state`,
			});
		},
	};
}
