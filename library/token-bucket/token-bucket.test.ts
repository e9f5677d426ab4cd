import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { demo, rules } from './token-bucket.demo.ts';
import { type TokenBucketOptions, TokenBuckets } from './token-bucket.ts';

/** A limiter on a clock that the test sets. */
function setup(options: Partial<TokenBucketOptions> = {}) {
	const clock = { now: 0 };
	const limits = { burst: 5, tokens: 1, perMs: 100, ...options };
	return { clock, ...limits, limiter: new TokenBuckets({ now: () => clock.now, ...limits }) };
}

/** How many of `count` calls of cost 1 pass now. */
function passes(limiter: TokenBuckets, count: number, key = 'key') {
	return Array.from({ length: count }, () => limiter.tryTake(key)).filter(({ allowed }) => allowed).length;
}

/** The most by which any interval of `taken` exceeds burst + tokens · t / perMs; at most 0 when the bound holds. */
function excess(taken: { at: number; cost: number }[], rate: { burst: number; tokens: number; perMs: number }) {
	let worst = Number.NEGATIVE_INFINITY;
	for (let from = 0; from < taken.length; from++) {
		let sum = 0;
		for (let to = from; to < taken.length; to++) {
			sum += taken[to]?.cost ?? 0;
			const t = (taken[to]?.at ?? 0) - (taken[from]?.at ?? 0);
			worst = Math.max(worst, (sum - rate.burst) * rate.perMs - rate.tokens * t);
		}
	}
	return worst;
}

const rates = fc.record({
	burst: fc.integer({ min: 1, max: 20 }),
	tokens: fc.integer({ min: 1, max: 7 }),
	perMs: fc.integer({ min: 1, max: 50 }),
});

describe('token-bucket', () => {
	it('lets no more than burst plus rate times t pass in any interval, whatever is asked and when', () => {
		const asks = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 60 }), cost: fc.integer({ min: 1, max: 6 }) }), {
			maxLength: 60,
		});
		fc.assert(
			fc.property(rates, asks, (rate, list) => {
				const { clock, limiter } = setup(rate);
				const taken: { at: number; cost: number }[] = [];
				for (const { wait, cost } of list) {
					clock.now += wait;
					if (limiter.tryTake('key', cost).allowed) taken.push({ at: clock.now, cost });
				}
				expect(excess(taken, rate)).toBeLessThanOrEqual(0);
			}),
		);
	});

	it('lets the whole burst pass at first and after a long pause, and no more', () => {
		const { clock, limiter } = setup({ burst: 5 });
		expect(passes(limiter, 10)).toBe(5);
		clock.now = 1e15;
		expect(passes(limiter, 10)).toBe(5);
	});

	it('refills exactly from elapsed time, so that asking every millisecond loses nothing and needs no timer', () => {
		// Seven tokens in 1000 ms: a refill in whole tokens or in floating point would drift.
		const { clock, limiter } = setup({ burst: 3, tokens: 7, perMs: 1000 });
		const times: number[] = [];
		expect(passes(limiter, 3)).toBe(3);
		for (clock.now = 1; clock.now <= 100_000; clock.now++) if (limiter.tryTake('key').allowed) times.push(clock.now);
		expect(times).toEqual(Array.from({ length: 700 }, (_, n) => Math.ceil(((n + 1) * 1000) / 7)));
	});

	it('adds nothing when the clock steps back, nor when it returns to where it was', () => {
		const { clock, limiter } = setup({ burst: 5, tokens: 1, perMs: 100 });
		clock.now = 10_000;
		expect(passes(limiter, 9)).toBe(5);
		for (const now of [4000, 9999, 0, 10_000, 2000, 10_000]) {
			clock.now = now;
			expect(passes(limiter, 9)).toBe(0);
		}
		clock.now = 10_100;
		expect(passes(limiter, 9)).toBe(1);
	});

	it('adds nothing to a key first seen while the clock was back, when the clock returns', () => {
		const { clock, limiter } = setup({ burst: 5 });
		clock.now = 10_000;
		limiter.tryTake('other');
		clock.now = 0;
		expect(passes(limiter, 9, 'new')).toBe(5);
		clock.now = 10_000;
		expect(passes(limiter, 9, 'new')).toBe(0);
	});

	it('is not harmed by a clock that reads NaN once', () => {
		const { clock, limiter } = setup({ burst: 2 });
		clock.now = Number.NaN;
		expect(passes(limiter, 5)).toBe(2);
		clock.now = 100;
		expect(passes(limiter, 5)).toBe(2);
		clock.now = 200;
		expect(passes(limiter, 5)).toBe(1);
	});

	it('says when to come back to the millisecond: refused one before, served then', () => {
		const asks = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 40 }), cost: fc.integer({ min: 1, max: 20 }) }), {
			minLength: 1,
			maxLength: 30,
		});
		fc.assert(
			fc.property(rates, asks, (rate, list) => {
				const { clock, limiter } = setup(rate);
				for (const { wait, cost } of list) {
					clock.now += wait;
					const decision = limiter.tryTake('key', cost);
					if (decision.allowed || cost > rate.burst) continue;
					clock.now += decision.retryAfterMs - 1;
					expect(limiter.tryTake('key', cost).allowed).toBe(false);
					clock.now += 1;
					expect(limiter.tryTake('key', cost).allowed).toBe(true);
				}
			}),
		);
	});

	it('counts the way back of a clock that has stepped back into the time to come back', () => {
		const { clock, limiter } = setup({ burst: 1, tokens: 1, perMs: 100 });
		clock.now = 1000;
		limiter.tryTake('key');
		clock.now = 400;
		expect(limiter.tryTake('key')).toEqual({ allowed: false, remaining: 0, retryAfterMs: 700 });
		clock.now += 700;
		expect(limiter.tryTake('key').allowed).toBe(true);
	});

	it('reports that a cost above the burst will never pass, and takes nothing for it', () => {
		const { limiter } = setup({ burst: 5 });
		expect(limiter.tryTake('key', 6)).toEqual({
			allowed: false,
			remaining: 5,
			retryAfterMs: Number.POSITIVE_INFINITY,
		});
		expect(limiter.tryTake('key', 5)).toEqual({ allowed: true, remaining: 0 });
	});

	it('takes nothing for a refusal, so that impatient retries do not push the next success away', () => {
		const { clock, limiter } = setup({ burst: 3, tokens: 1, perMs: 100 });
		limiter.tryTake('key', 2);
		for (clock.now = 0; clock.now < 100; clock.now++) expect(limiter.tryTake('key', 2).allowed).toBe(false);
		expect(limiter.tryTake('key', 2)).toEqual({ allowed: true, remaining: 0 });
	});

	it('keeps keys apart: one that is exhausted costs another nothing', () => {
		const { limiter } = setup({ burst: 3 });
		expect(passes(limiter, 9, 'a')).toBe(3);
		expect(passes(limiter, 9, 'b')).toBe(3);
		expect(passes(limiter, 9, '__proto__')).toBe(3);
	});

	it('remembers no more than maxKeys keys, and the bound holds for every key through all forgetting', () => {
		// Slow enough that places are scarce, quick enough that some become free.
		const slow = fc.record({
			burst: fc.integer({ min: 2, max: 4 }),
			tokens: fc.constant(1),
			perMs: fc.integer({ min: 10, max: 30 }),
		});
		const asks = fc.array(
			fc.record({
				wait: fc.integer({ min: 0, max: 20 }),
				key: fc.integer({ min: 0, max: 3 }),
				cost: fc.integer({ min: 1, max: 3 }),
			}),
			{ minLength: 20, maxLength: 60 },
		);
		fc.assert(
			fc.property(slow, fc.integer({ min: 1, max: 3 }), asks, (rate, maxKeys, list) => {
				const { clock, limiter } = setup({ ...rate, maxKeys });
				const taken = Array.from({ length: 4 }, (): { at: number; cost: number }[] => []);
				for (const { wait, key, cost } of list) {
					clock.now += wait;
					if (limiter.tryTake(String(key), cost).allowed) taken[key]?.push({ at: clock.now, cost });
					expect(limiter.size).toBeLessThanOrEqual(maxKeys);
				}
				for (const list of taken) expect(excess(list, rate)).toBeLessThanOrEqual(0);
			}),
			{ numRuns: 300 },
		);
	});

	it('does not forget what a key has spent when others crowd it out', () => {
		const { limiter } = setup({ burst: 3, maxKeys: 4 });
		expect(passes(limiter, 9, 'spender')).toBe(3);
		for (let n = 0; n < 100; n++) limiter.tryTake(`crowd ${n}`);
		expect(limiter.size).toBe(4);
		expect(passes(limiter, 9, 'spender')).toBe(0);
	});

	it('lets a key that shared a bucket keep its debt when it gets a place of its own', () => {
		const { clock, limiter } = setup({ burst: 4, tokens: 1, perMs: 100, maxKeys: 1 });
		limiter.tryTake('resident');
		expect(passes(limiter, 9, 'stranger')).toBe(4);
		// By now the resident has refilled and gives its place away; the stranger is owed one token, not a new burst.
		clock.now = 100;
		expect(passes(limiter, 9, 'stranger')).toBe(1);
		expect(limiter.size).toBe(1);
	});

	it('forgets keys whose buckets have filled up, so that quiet ones take no room', () => {
		const { clock, limiter } = setup({ burst: 2, maxKeys: 1000 });
		for (let n = 0; n < 500; n++) limiter.tryTake(`old ${n}`);
		clock.now = 100;
		for (let n = 0; n < 200; n++) limiter.tryTake(`new ${n}`);
		expect(limiter.size).toBe(200);
	});

	it('refuses a cost that is not a whole positive number, and options out of range', () => {
		const { limiter } = setup({ burst: 1 });
		limiter.tryTake('key');
		for (const cost of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
			expect(() => limiter.tryTake('key', cost)).toThrow('cost must be a whole number of at least 1');
		expect(limiter.tryTake('key').allowed).toBe(false);
		for (const wrong of [
			{ burst: 0 },
			{ tokens: 0.5 },
			{ perMs: -1 },
			{ maxKeys: 0 },
			{ burst: 2 ** 40, perMs: 2 ** 20 },
		])
			expect(() => setup(wrong)).toThrow('must be a whole number from 1 to 2^53 - 1');
	});

	it('runs on the real clock by default', () => {
		const limiter = new TokenBuckets({ burst: 2, tokens: 1, perMs: 3_600_000 });
		expect(passes(limiter, 3)).toBe(2);
	});
});

describe('token-bucket scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, { burst: [2, 10], rate: [1, 10], step: [0, 100, 3000], maxKeys: [5, 20, 50] });
	}, 10_000);

	it('breaks the bound without the pattern', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.bound, rules.stepBack, rules.keys]));
	});
});
