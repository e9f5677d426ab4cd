import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { DeadlineExceeded, rootDeadline, withDeadline } from '../deadline-propagation/deadline-propagation.ts';
import { seededRandom } from '../random.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { parseRetryAfter } from './retry-after.ts';
import { demo, RULES } from './retry-backoff.demo.ts';
import { classifyHttp, fullJitter, HttpError, RetryBudget, type RetryOptions, retry } from './retry-backoff.ts';

const unavailable = () => new HttpError(503);

/** Retries `work` with `budgetMs` to go; tells when each attempt began and how it ended. */
async function attempt(
	work: (number: number) => unknown,
	options: Partial<RetryOptions> & { budgetMs?: number; signal?: AbortSignal; clock?: VirtualClock } = {},
) {
	const { budgetMs = Number.POSITIVE_INFINITY, signal, clock = new VirtualClock(), ...rest } = options;
	const starts: number[] = [];
	const decisions: string[] = [];
	const root = signal ? rootDeadline({ clock, signal }) : rootDeadline({ clock });
	const outcome = await clock.run(
		withDeadline(root, { budgetMs }, (deadline) =>
			retry(
				({ number }) => {
					starts.push(clock.now());
					return work(number);
				},
				{ deadline, idempotent: true, random: () => 0.5, onDecision: (decision) => decisions.push(decision), ...rest },
			),
		).then(
			(value) => ({ value, error: undefined }),
			(error: unknown) => ({ value: undefined, error }),
		),
	);
	return { ...outcome, starts, decisions, clock };
}

const failing = (error: unknown) => () => Promise.reject(error);

describe('retry-backoff', () => {
	it('tries again what is transient and nothing else', async () => {
		const transient = [408, 425, 429, 500, 502, 503, 504].map((status) => new HttpError(status) as unknown);
		transient.push(
			Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
			new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'EAI_AGAIN' }) }),
			new TypeError('Failed to fetch'),
			new DOMException('too slow', 'TimeoutError'),
		);
		const permanent = [400, 401, 403, 404, 409, 412, 422, 501].map((status) => new HttpError(status) as unknown);
		permanent.push(
			new TypeError("Cannot read properties of undefined (reading 'id')"),
			new DOMException('stop', 'AbortError'),
			new Error('anything else'),
			'a string',
			undefined,
			null,
		);
		for (const error of transient) expect((await attempt(failing(error))).starts, String(error)).toHaveLength(4);
		for (const error of permanent) {
			const { starts, decisions, ...seen } = await attempt(failing(error));
			expect(starts, String(error)).toHaveLength(1);
			expect(decisions).toEqual(['permanent']);
			expect(seen.error).toBe(error);
		}
	});

	it('returns the first success and makes no call after it', async () => {
		const work = vi.fn(async (number: number) => {
			if (number < 3) throw unavailable();
			return `attempt ${number}`;
		});
		const { value, decisions, clock } = await attempt(work);
		expect(value).toBe('attempt 3');
		expect(decisions).toEqual(['retry', 'retry']);
		await clock.advance(60_000);
		expect(work).toHaveBeenCalledTimes(3);
		expect(clock.pending).toBe(0);
	});

	it('treats a throw like a rejection, and throws the last failure as it is', async () => {
		const errors = [unavailable(), unavailable()];
		const { error, starts } = await attempt(
			(number) => {
				throw errors[number - 1];
			},
			{ maxAttempts: 2 },
		);
		expect(error).toBe(errors[1]);
		expect(starts).toHaveLength(2);
	});

	it('draws delays evenly from zero to min(cap, base · 2^n)', async () => {
		fc.assert(
			fc.property(
				fc.nat(2000),
				fc.double({ min: 0, max: 1e6, noNaN: true }),
				fc.double({ min: 0, max: 1e6, noNaN: true }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(n, base, cap, x) => {
					const delay = fullJitter(n, base, cap, () => x);
					const ceiling = base === 0 ? 0 : Math.min(cap, base * 2 ** n);
					expect(delay).toBeGreaterThanOrEqual(0);
					expect(delay).toBeLessThanOrEqual(ceiling);
				},
			),
		);
		expect(fullJitter(5000, 0, 1000, () => 0.5)).toBe(0);
		for (const capMs of [10_000, 400]) {
			const random = seededRandom(7);
			const quarters = [0, 0, 0, 0];
			for (let i = 0; i < 4000; i++) {
				const quarter = Math.floor(fullJitter(3, 100, capMs, random) / (Math.min(capMs, 800) / 4));
				quarters[quarter] = (quarters[quarter] ?? 0) + 1;
			}
			for (const count of quarters) expect(count).toBeGreaterThan(900);
		}

		const almostOne = 1 - 2 ** -32;
		const { starts } = await attempt(failing(unavailable()), {
			maxAttempts: 7,
			baseMs: 100,
			capMs: 1000,
			random: () => almostOne,
		});
		const delays = starts.slice(1).map((at, i) => Math.round(at - (starts[i] ?? 0)));
		expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
	});

	it('never sleeps past the deadline: when the delay does not fit it gives up at once', async () => {
		const late = await attempt(failing(unavailable()), { budgetMs: 250, baseMs: 200, random: () => 0.9 });
		expect(late.starts).toEqual([0, 180]);
		expect(late.decisions).toEqual(['retry', 'deadline']);
		expect(late.error).toBeInstanceOf(HttpError);
		expect(late.clock.now()).toBe(180);

		const asked = await attempt(failing(new HttpError(429, '30')), { budgetMs: 30_000 });
		expect(asked.decisions).toEqual(['deadline']);
		expect(asked.clock.now()).toBe(0);
	});

	it('stops with the deadline when an attempt takes all the time', async () => {
		const clock = new VirtualClock();
		const { error, starts } = await attempt(() => clock.sleep(1000), { budgetMs: 300, clock });
		expect(error).toBeInstanceOf(DeadlineExceeded);
		expect(starts).toEqual([0]);
		expect(clock.now()).toBe(300);
	});

	it('limits one attempt, whose timeout is a transient failure while the caller has time', async () => {
		const clock = new VirtualClock();
		const { value, starts } = await attempt((number) => (number === 1 ? clock.sleep(5000) : 'second'), {
			attemptMs: 100,
			budgetMs: 1000,
			clock,
		});
		expect(value).toBe('second');
		expect(starts).toEqual([0, 150]);
	});

	it('waits as long as Retry-After says, in seconds or until a date, instead of the computed delay', async () => {
		const clock = new VirtualClock();
		const wall = () => Date.UTC(2026, 10, 30, 12, 0, 0) + clock.now();
		const replies = ['3', 'Mon, 30 Nov 2026 12:00:05 GMT', '0'];
		const { starts } = await attempt((number) => Promise.reject(new HttpError(503, replies[number - 1])), {
			clock,
			classify: (error) => classifyHttp(error, wall),
			baseMs: 60_000,
			maxAttempts: 4,
		});
		expect(starts).toEqual([0, 3000, 5000, 5000]);
	});

	it('reads the three forms of an HTTP-date and whole seconds, and nothing else', () => {
		const now = Date.UTC(1994, 10, 6, 8, 49, 0);
		for (const text of [
			'Sun, 06 Nov 1994 08:49:37 GMT',
			'Sunday, 06-Nov-94 08:49:37 GMT',
			'Sun Nov  6 08:49:37 1994',
			' 37 ',
		])
			expect(parseRetryAfter(text, now), text).toBe(37_000);
		expect(parseRetryAfter('Sun, 06 Nov 1994 08:48:00 GMT', now)).toBe(0);
		expect(parseRetryAfter('Friday, 31-Dec-49 23:59:59 GMT', Date.UTC(2026, 0, 1))).toBeGreaterThan(
			20 * 365 * 86_400_000,
		);
		expect(parseRetryAfter('Friday, 31-Dec-99 23:59:59 GMT', Date.UTC(2026, 0, 1))).toBe(0);
		const refused = [
			'',
			'-1',
			'1.5',
			'1e3',
			'soon',
			'2026-11-30T12:00:00Z',
			'Sun, 06 Nov 1994 08:49:37',
			'Sun, 06 Foo 1994 08:49:37 GMT',
		];
		refused.push('Sun, 06 Nov 1994 24:49:37 GMT', 'Sun, 00 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 +0100');
		for (const text of [...refused, null, undefined]) expect(parseRetryAfter(text, now), String(text)).toBeUndefined();
	});

	it('comes back no sooner than Retry-After says, though a timer is early or holds 25 days only', async () => {
		const clock = new VirtualClock();
		const early = {
			now: clock.now,
			after: (ms: number, call: () => void) => clock.after(Math.min(ms * 0.9, 2e9), call),
		};
		const starts: number[] = [];
		const work = () => {
			starts.push(clock.now());
			if (starts.length === 1) throw new HttpError(503, String(60 * 86_400));
			return 'done';
		};
		await clock.run(retry(work, { deadline: rootDeadline({ clock: early }), idempotent: true }) as Promise<string>);
		expect(starts[1]).toBeGreaterThanOrEqual(60 * 86_400_000);
		expect(clock.pending).toBe(0);
	});

	it('ends a sleep at once when aborted, and makes no further attempt', async () => {
		const clock = new VirtualClock();
		const user = new AbortController();
		clock.after(40, () => user.abort(new Error('the user left')));
		const { error, starts } = await attempt(failing(unavailable()), { clock, signal: user.signal, baseMs: 1000 });
		expect(error).toEqual(new Error('the user left'));
		expect(starts).toEqual([0]);
		expect(clock.now()).toBe(40);
		expect(clock.pending).toBe(0);
	});

	it('does not begin to sleep when the abort comes while it decides', async () => {
		const clock = new VirtualClock();
		const user = new AbortController();
		const deadline = rootDeadline({ clock, signal: user.signal });
		const onDecision = () => user.abort(new Error('enough'));
		const call = retry(failing(unavailable()), { deadline, idempotent: true, onDecision });
		await expect(clock.run(call)).rejects.toThrow('enough');
		expect(clock.pending).toBe(0);
	});

	it('leaves no listener on the caller signal, however many attempts there were', async () => {
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		const clock = new VirtualClock();
		const deadline = rootDeadline({ clock, signal });
		await clock.run(retry(failing(unavailable()), { deadline, idempotent: true }).catch(() => undefined));
		expect(added.mock.calls.length).toBeGreaterThanOrEqual(1);
		expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
			expect.arrayContaining(added.mock.calls.map(([, listener]) => listener)),
		);
		expect(clock.pending).toBe(0);
	});

	it('adds at most the budget to the load when everything fails', async () => {
		const load = fc.record({
			calls: fc.integer({ min: 1, max: 60 }),
			ratio: fc.double({ min: 0, max: 1, noNaN: true }),
			reserve: fc.integer({ min: 0, max: 10 }),
		});
		await fc.assert(
			fc.asyncProperty(load, async ({ calls, ratio, reserve }) => {
				const clock = new VirtualClock();
				const budget = new RetryBudget({ ratio, reserve });
				let attempts = 0;
				const work = () => {
					attempts++;
					throw unavailable();
				};
				const deadline = rootDeadline({ clock });
				const call = (i: number) =>
					clock.sleep(i).then(() => retry(work, { deadline, idempotent: true, budget, maxAttempts: 10 }));
				await clock.run(Promise.allSettled(Array.from({ length: calls }, (_, i) => call(i))));
				expect(attempts).toBeLessThanOrEqual(calls * (1 + ratio) + reserve + 1e-9);
				expect(attempts).toBeGreaterThanOrEqual(calls + Math.min(reserve, calls));
			}),
			{ numRuns: 30 },
		);
	});

	it('takes nothing from the budget for a retry that is not made', async () => {
		const budget = new RetryBudget({ ratio: 0, reserve: 1 });
		await attempt(failing(new HttpError(400)), { budget });
		await attempt(failing(unavailable()), { budget, idempotent: false });
		await attempt(failing(unavailable()), { budget, maxAttempts: 1 });
		await attempt(failing(new HttpError(503, '60')), { budget, budgetMs: 10 });
		expect(budget.withdraw()).toBe(true);
		expect((await attempt(failing(unavailable()), { budget })).decisions).toEqual(['budget']);
	});

	it('repeats a call that is not idempotent only under an idempotency key, the same each time', async () => {
		for (const unsafe of [{ idempotent: false }, { idempotent: false, idempotencyKey: '' }])
			expect((await attempt(failing(unavailable()), unsafe)).decisions).toEqual(['unsafe']);
		const clock = new VirtualClock();
		const work = vi.fn((_: { idempotencyKey: string | undefined }) => Promise.reject(unavailable()));
		const deadline = rootDeadline({ clock });
		await clock.run(retry(work, { deadline }).catch(() => undefined));
		expect(work).toHaveBeenCalledTimes(1);
		work.mockClear();
		await clock.run(retry(work, { deadline, idempotencyKey: 'order-7', maxAttempts: 3 }).catch(() => undefined));
		expect(work.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey)).toEqual(['order-7', 'order-7', 'order-7']);
	});

	it('says which number makes no sense', async () => {
		const deadline = rootDeadline();
		for (const maxAttempts of [0, Number.NaN])
			await expect(retry(() => 1, { deadline, maxAttempts })).rejects.toThrow(
				`maxAttempts is ${maxAttempts}; expected 1 or more`,
			);
		await expect(retry(() => 1, { deadline, baseMs: Number.NaN })).rejects.toThrow(
			'baseMs NaN and capMs 10000 must be 0 or more',
		);
		expect(() => new RetryBudget({ ratio: -1 })).toThrow('ratio -1 and reserve 10 must be 0 or more');
	});
});

describe('retry-backoff scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(
			demo,
			RULES,
			{ clients: [4, 8], outage: [0, 700, 1500, 3000], retryAfter: ['none', 'seconds', 'date'], seed: [1, 50] },
			10,
		);
	});

	it('shows the failure without it', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([RULES.transient, RULES.jitter, RULES.budget, RULES.safe]));
	});
});
