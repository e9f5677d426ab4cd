import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
	type Deadline,
	DeadlineExceeded,
	rootDeadline,
	withDeadline,
} from '../deadline-propagation/deadline-propagation.ts';
import { seededRandom } from '../random.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './hedged-request.demo.ts';
import { type HedgeOptions, Hedger } from './hedged-request.ts';

const IDEMPOTENT = { idempotent: true };

/** A hedger that has seen latencies of 1, 2, … 20 ms and has second attempts to spend. */
async function seasoned(options: HedgeOptions = {}, clock = new VirtualClock()) {
	const hedger = new Hedger({ percentile: 0.9, maxShare: 1, minimumSamples: 20, ...options });
	const root = rootDeadline({ clock });
	for (let ms = 20; ms >= 1; ms--) await clock.run(hedger.call(root, () => clock.sleep(ms), IDEMPOTENT));
	return { hedger, clock, root };
}

/** Attempts that take so long and end so, in order; remembers when each began and when it was aborted. */
function attempts(clock: VirtualClock, plan: { takes: number; fails?: string }[]) {
	const begun: number[] = [];
	const aborted: number[] = [];
	const work = vi.fn(async (scope: Deadline, attempt: number) => {
		const { takes, fails } = plan[attempt - 1] ?? { takes: 0 };
		begun.push(clock.now());
		await clock.sleep(takes, scope.signal).catch((error: unknown) => {
			aborted.push(clock.now());
			throw error;
		});
		if (fails) throw new Error(fails);
		return `attempt ${attempt}`;
	});
	return { work, begun, aborted };
}

describe('hedged-request', () => {
	it('starts the second attempt only after the percentile of latencies', async () => {
		const { hedger, clock, root } = await seasoned();
		expect(hedger.delayMs).toBe(18);
		const t0 = clock.now();
		const slow = attempts(clock, [{ takes: 100 }, { takes: 10 }]);
		expect(await clock.run(hedger.call(root, slow.work, IDEMPOTENT))).toBe('attempt 2');
		expect(slow.begun.map((at) => at - t0)).toEqual([0, 18]);
		const quick = attempts(clock, [{ takes: 17.9 }, { takes: 0 }]);
		expect(await clock.run(hedger.call(root, quick.work, IDEMPOTENT))).toBe('attempt 1');
		await clock.advance(1000);
		expect(quick.begun).toHaveLength(1);
		expect(clock.pending).toBe(0);
	});

	it('hedges nothing before it knows enough latencies', async () => {
		const clock = new VirtualClock();
		const hedger = new Hedger({ percentile: 0.5, maxShare: 1, minimumSamples: 5 });
		const root = rootDeadline({ clock });
		for (let call = 1; call <= 5; call++) {
			expect(hedger.delayMs).toBeUndefined();
			const slow = attempts(clock, [{ takes: 500 }, { takes: 0 }]);
			await clock.run(hedger.call(root, slow.work, IDEMPOTENT));
			expect(slow.begun).toHaveLength(1);
		}
		expect(hedger.delayMs).toBe(500);
	});

	it('does not start early because a timer did', async () => {
		const { hedger, clock } = await seasoned();
		const hasty = {
			now: clock.now,
			after: (ms: number, fire: () => void) => clock.after(ms > 2 ? ms * 0.7 : ms, fire),
		};
		const t0 = clock.now();
		const slow = attempts(clock, [{ takes: 100 }, { takes: 10 }]);
		await clock.run(hedger.call(rootDeadline({ clock: hasty }), slow.work, IDEMPOTENT));
		expect(slow.begun.map((at) => Math.round(at - t0))).toEqual([0, 18]);
	});

	it('takes the nearest rank of the latest latencies', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 40 }),
				fc.double({ min: 0.01, max: 0.99, noNaN: true }),
				async (latencies, percentile) => {
					const clock = new VirtualClock();
					const hedger = new Hedger({ percentile, samples: 15, minimumSamples: 1, maxShare: 0 });
					for (const ms of latencies)
						await clock.run(hedger.call(rootDeadline({ clock }), () => clock.sleep(ms), IDEMPOTENT));
					const latest = latencies.slice(-15);
					const delay = hedger.delayMs ?? Number.NaN;
					const share = (test: (ms: number) => boolean) => latest.filter(test).length / latest.length;
					expect(share((ms) => ms <= delay + 1e-6)).toBeGreaterThanOrEqual(percentile);
					expect(share((ms) => ms < delay - 1e-6)).toBeLessThan(percentile);
				},
			),
			{ numRuns: 30 },
		);
	});

	it('aborts the loser as soon as there is an answer, whichever it is', async () => {
		const { hedger, clock, root } = await seasoned();
		let t0 = clock.now();
		const second = attempts(clock, [{ takes: 100 }, { takes: 10 }]);
		await clock.run(hedger.call(root, second.work, IDEMPOTENT));
		expect(second.aborted.map((at) => at - t0)).toEqual([28]);
		t0 = clock.now();
		const first = attempts(clock, [{ takes: 30 }, { takes: 500 }]);
		expect(await clock.run(hedger.call(root, first.work, IDEMPOTENT))).toBe('attempt 1');
		expect(first.aborted.map((at) => at - t0)).toEqual([30]);
		expect(clock.pending).toBe(0);
	});

	it('gives one outcome: the first success, else the first failure', async () => {
		const outcome = async (...plan: { takes: number; fails?: string }[]) => {
			const { hedger, clock, root } = await seasoned();
			const { work, begun } = attempts(clock, plan);
			const t0 = clock.now();
			const result = await clock.run(
				hedger.call(root, work, IDEMPOTENT).catch((error: Error) => `error: ${error.message}`),
			);
			return { result, attempts: begun.length, at: clock.now() - t0 };
		};
		// A failure before the second attempt began is the outcome: hedging is no retry.
		expect(await outcome({ takes: 5, fails: 'one' }, { takes: 0 })).toEqual({
			result: 'error: one',
			attempts: 1,
			at: 5,
		});
		// One failure while the other attempt runs decides nothing.
		expect(await outcome({ takes: 25, fails: 'one' }, { takes: 20 })).toEqual({
			result: 'attempt 2',
			attempts: 2,
			at: 38,
		});
		expect(await outcome({ takes: 90 }, { takes: 20, fails: 'two' })).toEqual({
			result: 'attempt 1',
			attempts: 2,
			at: 90,
		});
		expect(await outcome({ takes: 90, fails: 'one' }, { takes: 20, fails: 'two' })).toEqual({
			result: 'error: two',
			attempts: 2,
			at: 90,
		});
		expect(await outcome({ takes: 25, fails: 'one' }, { takes: 20, fails: 'two' })).toEqual({
			result: 'error: one',
			attempts: 2,
			at: 38,
		});
	});

	it('treats a synchronous throw as the failure that it is', async () => {
		const { hedger, clock, root } = await seasoned();
		const thrown = hedger.call(
			root,
			() => {
				throw new Error('sync');
			},
			IDEMPOTENT,
		);
		await expect(clock.run(thrown)).rejects.toThrow('sync');
		expect(clock.pending).toBe(0);
	});

	it('keeps second attempts within their share of calls, in any order of slow and fast', async () => {
		const load = fc.record({
			maxShare: fc.constantFrom(0, 0.01, 0.05, 0.1, 0.25, 1),
			burst: fc.integer({ min: 1, max: 5 }),
			calls: fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }),
		});
		await fc.assert(
			fc.asyncProperty(load, async ({ maxShare, burst, calls }) => {
				const clock = new VirtualClock();
				const hedger = new Hedger({ percentile: 0.5, maxShare, burst, minimumSamples: 1 });
				const root = rootDeadline({ clock });
				const seen: number[] = [];
				let second = 0;
				for (const slow of calls) {
					const { work, begun } = attempts(clock, [{ takes: slow ? 100 : 1 }, { takes: 1 }]);
					await clock.run(hedger.call(root, work, IDEMPOTENT));
					second += begun.length - 1;
					seen.push(second);
				}
				for (const [i, count] of seen.entries()) expect(count).toBeLessThanOrEqual(maxShare * (i + 1) + 1e-9);
				// What quiet times save up is bounded: so is what any stretch of calls can spend.
				const spent = (from: number, to: number) => (seen[to] ?? 0) - (seen[from] ?? 0);
				const overspent = seen.flatMap((_, from) =>
					seen.flatMap((_, to) =>
						to >= from && spent(from, to) > burst + maxShare * (to - from) + 1e-9 ? [[from, to]] : [],
					),
				);
				expect(overspent).toEqual([]);
			}),
			{ numRuns: 20 },
		);
		// Forty quick calls pay for ten and save up two; slow ones then spend these, and after that one in four.
		const clock = new VirtualClock();
		const hedger = new Hedger({ percentile: 0.5, maxShare: 0.25, burst: 2, minimumSamples: 1 });
		const hedged = [];
		for (let call = 1; call <= 50; call++) {
			const { work, begun } = attempts(clock, [{ takes: call > 40 ? 100 : 1 }, { takes: 1 }]);
			await clock.run(hedger.call(rootDeadline({ clock }), work, IDEMPOTENT));
			if (begun.length === 2) hedged.push(call);
		}
		expect(hedged).toEqual([41, 42, 45, 49]);
	});

	it('makes one attempt of a call that is not idempotent, however slow it is', async () => {
		const { hedger, clock, root } = await seasoned();
		const { work, begun } = attempts(clock, [{ takes: 5000 }, { takes: 1 }]);
		expect(await clock.run(hedger.call(root, work, { idempotent: false }))).toBe('attempt 1');
		expect(begun).toHaveLength(1);
	});

	it('counts a first attempt that it cancelled, so that hedging does not lower its own threshold', async () => {
		const { hedger, clock, root } = await seasoned({ samples: 20 });
		const random = seededRandom(5);
		for (let call = 0; call < 100; call++) {
			const slow = random() < 0.3;
			const { work } = attempts(clock, [{ takes: slow ? 300 : 20 }, { takes: 1 }]);
			await clock.run(hedger.call(root, work, IDEMPOTENT));
			expect(hedger.delayMs).toBeGreaterThanOrEqual(18);
		}
		// Three in ten take longer than 20 ms, so the slowest tenth does, though none of them was ever let finish.
		expect(hedger.delayMs).toBeGreaterThan(20);
	});

	it('learns nothing from failures, which are often fast', async () => {
		const { hedger, clock, root } = await seasoned({ samples: 20 });
		for (let call = 0; call < 40; call++)
			await clock.run(hedger.call(root, () => Promise.reject(new Error('refused')), IDEMPOTENT).catch(() => undefined));
		for (let call = 0; call < 10; call++) {
			const { work } = attempts(clock, [{ takes: 25, fails: 'slow failure' }, { takes: 1000 }]);
			expect(await clock.run(hedger.call(root, work, IDEMPOTENT))).toBe('attempt 2');
		}
		expect(hedger.delayMs).toBe(18);
	});

	it('ends both attempts and starts none when the deadline is over or the caller leaves', async () => {
		const { hedger, clock } = await seasoned();
		const t0 = clock.now();
		const late = attempts(clock, [{ takes: 500 }, { takes: 500 }]);
		const limited = withDeadline(rootDeadline({ clock }), { budgetMs: 50 }, (deadline) =>
			hedger.call(deadline, late.work, IDEMPOTENT),
		);
		await expect(clock.run(limited)).rejects.toBeInstanceOf(DeadlineExceeded);
		expect(late.aborted.map((at) => at - t0)).toEqual([50, 50]);

		const user = new AbortController();
		const left = attempts(clock, [{ takes: 500 }, { takes: 500 }]);
		clock.after(10, () => user.abort(new Error('left')));
		await expect(
			clock.run(hedger.call(rootDeadline({ clock, signal: user.signal }), left.work, IDEMPOTENT)),
		).rejects.toThrow('left');
		expect(clock.pending).toBe(0);
		await clock.advance(1000);
		expect(left.begun).toHaveLength(1);
	});

	it('starts no second attempt for a caller who left while the work does not listen', async () => {
		const { hedger, clock } = await seasoned();
		const user = new AbortController();
		const work = vi.fn(() => new Promise<never>(() => undefined));
		clock.after(10, () => user.abort(new Error('left')));
		await expect(
			clock.run(hedger.call(rootDeadline({ clock, signal: user.signal }), work, IDEMPOTENT)),
		).rejects.toThrow('left');
		await clock.advance(1000);
		expect(work).toHaveBeenCalledTimes(1);
	});

	it('saves nothing up from calls that were never made', async () => {
		const { hedger, clock, root } = await seasoned({ maxShare: 0.04 });
		const gone = rootDeadline({ clock, signal: AbortSignal.abort(new Error('left')) });
		for (let i = 0; i < 100; i++) await expect(hedger.call(gone, async () => 1, IDEMPOTENT)).rejects.toThrow('left');
		const slow = attempts(clock, [{ takes: 100 }, { takes: 10 }]);
		expect(await clock.run(hedger.call(root, slow.work, IDEMPOTENT))).toBe('attempt 1');
	});

	it('says which option makes no sense', () => {
		expect(() => new Hedger({ percentile: 95 })).toThrow('percentile is 95; expected (0, 1)');
		expect(() => new Hedger({ maxShare: 5 })).toThrow('maxShare is 5; expected [0, 1]');
		expect(() => new Hedger({ burst: 0 })).toThrow('burst is 0; expected 1 or more');
		for (const samples of [10, 20.5, Number.POSITIVE_INFINITY])
			expect(() => new Hedger({ samples })).toThrow(
				`samples is ${samples}; expected a whole number of at least minimumSamples, 20`,
			);
	});
});

describe('hedged-request scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, { slow: [0, 12, 30], percentile: [50, 85, 99], share: [0, 15], seed: [1, 42] });
	});

	it('shows the failure without it', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual([RULES.delay, RULES.loser, RULES.share, RULES.idempotent]);
	});
});
