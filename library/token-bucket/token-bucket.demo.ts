import { howMany } from '../how-many.ts';
import type { Demo } from '../scenario.ts';
import { TokenBuckets, type TokenDecision } from './token-bucket.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	bound: 'In any interval of t milliseconds no more than burst + rate · t tokens pass for a key.',
	computed:
		'Refill is computed from elapsed time when someone asks, exactly and without a timer: asking often loses nothing.',
	stepBack: 'A clock that steps back adds no tokens, and neither does its return.',
	comeBack:
		'A refusal says when to come back: a caller that returns then is served if nobody took the tokens in between, and one that returns earlier is not.',
	keys: 'The number of remembered keys is bounded, and forgetting a key never forgives what it spent.',
} as const;

/** Without the pattern: a counter for each window of fixed length, reset when the next window begins. */
class FixedWindow {
	readonly #counts = new Map<string, { window: number; count: number }>();
	readonly #limit: number;
	readonly #windowMs: number;
	readonly #now: () => number;

	constructor(limit: number, windowMs: number, now: () => number) {
		this.#limit = limit;
		this.#windowMs = windowMs;
		this.#now = now;
	}

	get size() {
		return this.#counts.size;
	}

	tryTake(key: string): TokenDecision {
		const window = Math.floor(this.#now() / this.#windowMs);
		const last = this.#counts.get(key);
		const entry = last?.window === window ? last : { window, count: 0 };
		this.#counts.set(key, entry);
		if (entry.count >= this.#limit)
			return { allowed: false, remaining: 0, retryAfterMs: Math.ceil((window + 1) * this.#windowMs - this.#now()) };
		entry.count++;
		return { allowed: true, remaining: this.#limit - entry.count };
	}
}

export const demo: Demo = {
	title: 'Bursts, a window border and a clock that steps back',
	about:
		'Clients knock at an API: one in bursts on both sides of a second, one that comes back when it is told to, one that polls all the time, ' +
		'one that invents a new key for every call; and in between the clock is set back. With the pattern off, a counter per fixed window decides instead.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use token buckets', value: true },
		{ id: 'burst', kind: 'number', label: 'Burst', value: 5, min: 2, max: 10, step: 1, unit: 'tokens' },
		{ id: 'rate', kind: 'number', label: 'Rate', value: 5, min: 1, max: 10, step: 1, unit: 'tokens/s' },
		{
			id: 'step',
			kind: 'number',
			label: 'Clock is set back by',
			value: 1500,
			min: 0,
			max: 3000,
			step: 100,
			unit: 'ms',
		},
		{ id: 'maxKeys', kind: 'number', label: 'Keys remembered', value: 20, min: 5, max: 50, step: 5 },
	],
	async run(controls, emit, clock) {
		const burst = Math.round(Number(controls.burst));
		const rate = Math.round(Number(controls.rate));
		const step = Math.round(Number(controls.step));
		const maxKeys = Math.round(Number(controls.maxKeys));
		let behind = 0;
		const now = () => clock.now() - behind;
		const limiter = controls.pattern
			? new TokenBuckets({ burst, tokens: rate, perMs: 1000, maxKeys, now })
			: new FixedWindow(burst, (burst / rate) * 1000, now);

		const passes = new Map<string, number[]>();
		let mostKeys = 0;
		const take = (key: string): TokenDecision => {
			const decision = limiter.tryTake(key);
			mostKeys = Math.max(mostKeys, limiter.size);
			if (decision.allowed) passes.set(key, [...(passes.get(key) ?? []), clock.now()]);
			return decision;
		};
		/** Asks `count` times at once and reports the outcome as one event of each kind. */
		const volley = (key: string, count: number): number => {
			const decisions = Array.from({ length: count }, () => take(key));
			const passed = decisions.filter((decision) => decision.allowed).length;
			const last = decisions.at(-1);
			if (passed > 0) emit({ t: clock.now(), lane: key, kind: 'ok', label: `${passed} passed` });
			if (last && !last.allowed)
				emit({
					t: clock.now(),
					lane: key,
					kind: 'reject',
					label: `${count - passed} refused, back in ${last.retryAfterMs} ms`,
				});
			return passed;
		};

		const bursty = async () => {
			// Just before and just after the end of a fixed window, wherever that lies.
			const border = Math.ceil(2 * (burst / rate) * 1000);
			await clock.sleep(border - 20);
			volley('bursty', burst + 2);
			await clock.sleep(40);
			volley('bursty', burst + 2);
		};

		const told = { served: 0, late: 0, early: 0 };
		const polite = async () => {
			for (let round = 0; round < 4; round++) {
				volley('polite', burst + 1);
				const refusal = take('polite');
				if (refusal.allowed) continue;
				const t = clock.now();
				await clock.sleep(refusal.retryAfterMs - 1);
				if (take('polite').allowed) told.early++;
				await clock.sleep(1);
				const served = take('polite').allowed;
				if (served) told.served++;
				else told.late++;
				emit({
					t,
					until: clock.now(),
					lane: 'polite',
					kind: 'wait',
					label: `waited as told, ${served ? 'served' : 'refused'}`,
				});
			}
		};

		let polled = 0;
		const pollMs = 2000;
		const poller = async () => {
			const t = clock.now();
			for (let asked = 0; asked <= pollMs; asked += 10) {
				if (take('poller').allowed) polled++;
				if (asked < pollMs) await clock.sleep(10);
			}
			emit({ t, until: clock.now(), lane: 'poller', kind: 'info', label: `asked every 10 ms, ${polled} passed` });
		};

		await Promise.all([bursty(), polite(), poller()]);

		volley('steps', burst + 2);
		behind = step;
		emit({ t: clock.now(), lane: 'clock', kind: 'state', label: `set back by ${step} ms` });
		const before = clock.now();
		let afterStep = 0;
		for (let knock = 0; knock < 4; knock++) {
			await clock.sleep(50);
			afterStep += volley('steps', 2);
		}
		const credit = Math.floor((Math.max(0, clock.now() - before - step) * rate) / 1000);

		for (let n = 1; n <= 60; n++) {
			take(`stranger ${n}`);
			if (n % 20 === 0)
				emit({
					t: clock.now(),
					lane: 'strangers',
					kind: 'info',
					label: `${howMany(n, 'key')} invented, ${limiter.size} kept`,
				});
			await clock.sleep(5);
		}

		let excess = Number.NEGATIVE_INFINITY;
		for (const times of passes.values())
			for (let from = 0; from < times.length; from++)
				for (let to = from; to < times.length; to++)
					excess = Math.max(excess, to - from + 1 - burst - (((times[to] ?? 0) - (times[from] ?? 0)) * rate) / 1000);
		const due = burst + Math.floor((pollMs * rate) / 1000);
		emit({
			rule: rules.bound,
			ok: excess <= 0,
			detail: excess > 0 ? `${excess.toFixed(1)} tokens too many in some interval` : 'no interval had more',
		});
		emit({
			rule: rules.computed,
			ok: polled === due,
			detail: `the poller got ${polled} of ${howMany(due, 'token')} in ${pollMs} ms`,
		});
		emit({
			rule: rules.stepBack,
			ok: afterStep <= credit,
			detail: `${afterStep} passed after the step, ${howMany(credit, 'was due', 'were due')}`,
		});
		emit({
			rule: rules.comeBack,
			ok: told.late + told.early === 0,
			detail: `${told.served} served on return, ${told.late} refused, ${told.early} served 1 ms early`,
		});
		emit({
			rule: rules.keys,
			ok: mostKeys <= maxKeys,
			detail: `${howMany(mostKeys, 'key')} remembered, ${maxKeys} allowed`,
		});
	},
};
