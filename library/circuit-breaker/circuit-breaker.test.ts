import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './circuit-breaker.demo.ts';
import { blamesDependency, CircuitBreaker, CircuitOpen, type CircuitOptions } from './circuit-breaker.ts';

class Unavailable extends Error {
	readonly status: number = 503;
}
class NotFound extends Error {
	readonly status: number = 404;
}

const fail = () => Promise.reject(new Unavailable());
const succeed = () => Promise.resolve('fine');

/** A call whose end the test decides. */
function pending() {
	let succeed = (_value: string) => {};
	let fail = (_error: unknown) => {};
	const promise = new Promise<string>((resolve, reject) => {
		succeed = resolve;
		fail = reject;
	});
	return { work: () => promise, succeed, fail };
}

function breakerWith(options: CircuitOptions = {}) {
	const clock = new VirtualClock();
	const changes: string[] = [];
	const breaker = new CircuitBreaker({
		minimumCalls: 4,
		failureRate: 0.5,
		windowMs: 1000,
		openMs: 500,
		probes: 2,
		clock,
		onChange: (to, from) => changes.push(`${from} to ${to}`),
		...options,
	});
	const outcome = (work: () => unknown, signal?: AbortSignal) =>
		breaker.call(work, signal).then(
			() => 'ok',
			(error: unknown) => (error instanceof CircuitOpen ? 'refused' : 'failed'),
		);
	const outcomes = async (...works: (() => unknown)[]) => {
		const seen: string[] = [];
		for (const work of works) seen.push(await outcome(work));
		return seen;
	};
	const open = () => outcomes(fail, fail, fail, fail);
	return { breaker, clock, changes, outcome, outcomes, open };
}

describe('circuit-breaker', () => {
	it('fails at once while open, without calling, and says when to come back', async () => {
		const { breaker, clock, open, outcome } = breakerWith();
		await open();
		expect(breaker.state).toBe('open');
		const work = vi.fn();
		for (const at of [0, 200, 299]) {
			await clock.advance(at && at - clock.now());
			await expect(breaker.call(work)).rejects.toMatchObject({ name: 'CircuitOpen', retryAfterMs: 500 - at });
		}
		expect(work).not.toHaveBeenCalled();
		await clock.advance(200.9);
		expect(await outcome(work)).toBe('refused');
		await clock.advance(0.1);
		expect(await outcome(work)).toBe('ok');
		expect(work).toHaveBeenCalledTimes(1);
	});

	it('passes values and errors through as they are, synchronous throws too', async () => {
		const { breaker } = breakerWith();
		const error = new Error('boom');
		expect(await breaker.call(() => 42)).toBe(42);
		await expect(breaker.call(() => Promise.reject(error))).rejects.toBe(error);
		await expect(
			breaker.call(() => {
				throw error;
			}),
		).rejects.toBe(error);
	});

	it('counts a synchronous throw as a failure', async () => {
		const { breaker, outcomes } = breakerWith();
		const thrown = () => {
			throw new Unavailable();
		};
		await outcomes(thrown, thrown, thrown, thrown);
		expect(breaker.state).toBe('open');
	});

	it('admits a bounded number of probes while half-open, however many callers come', async () => {
		const { breaker, clock, open, outcome } = breakerWith({ probes: 2 });
		await open();
		await clock.advance(500);
		const calls = [pending(), pending(), pending(), pending()];
		const works = calls.map(({ work }) => vi.fn(work));
		const outcomes = works.map((work) => outcome(work));
		expect(breaker.state).toBe('half-open');
		expect(works.map((work) => work.mock.calls.length)).toEqual([1, 1, 0, 0]);
		calls[0]?.succeed('fine');
		await outcomes[0];
		// One has passed and one is running: still no room, and not yet closed.
		expect(await outcome(succeed)).toBe('refused');
		expect(breaker.state).toBe('half-open');
		calls[1]?.succeed('fine');
		expect(await Promise.all(outcomes)).toEqual(['ok', 'ok', 'refused', 'refused']);
		expect(breaker.state).toBe('closed');
	});

	it('opens again when one probe fails, for the whole time', async () => {
		const { breaker, clock, open, outcomes, changes } = breakerWith({ probes: 3 });
		await open();
		await clock.advance(500);
		expect(await outcomes(succeed, succeed)).toEqual(['ok', 'ok']);
		await clock.advance(300);
		expect(await outcomes(fail, succeed)).toEqual(['failed', 'refused']);
		await clock.advance(499);
		expect(await outcomes(succeed)).toEqual(['refused']);
		await clock.advance(1);
		expect(await outcomes(succeed, succeed)).toEqual(['ok', 'ok']);
		expect(breaker.state).toBe('half-open');
		await outcomes(succeed);
		expect(changes).toEqual([
			'closed to open',
			'open to half-open',
			'half-open to open',
			'open to half-open',
			'half-open to closed',
		]);
	});

	it('counts no error of the caller: neither 4xx nor an abort, whatever its reason', async () => {
		const { breaker, outcome, outcomes } = breakerWith();
		const notFound = () => Promise.reject(new NotFound());
		const abortError = () => Promise.reject(new DOMException('stop', 'AbortError'));
		await outcomes(...Array(10).fill(notFound), ...Array(10).fill(abortError));
		const left = AbortSignal.abort(new Error('closed the tab'));
		for (let i = 0; i < 10; i++) await outcome(() => Promise.reject(left.reason), left);
		expect(breaker.state).toBe('closed');
		// Not as successes either: these three failures of four calls are 75 %, not 10 %.
		await outcomes(succeed, fail, fail, fail);
		expect(breaker.state).toBe('open');
	});

	it('gives the place of a probe back when its caller left', async () => {
		const { breaker, clock, open, outcomes } = breakerWith({ probes: 2 });
		await open();
		await clock.advance(500);
		const notFound = () => Promise.reject(new NotFound());
		expect(await outcomes(notFound, notFound, notFound, succeed)).toEqual(['failed', 'failed', 'failed', 'ok']);
		expect(breaker.state).toBe('half-open');
		await outcomes(succeed);
		expect(breaker.state).toBe('closed');
	});

	it('blames the dependency for a timeout, though it aborts the signal of the caller', () => {
		const timedOut = AbortSignal.abort(new DOMException('too slow', 'TimeoutError'));
		expect(blamesDependency(timedOut.reason, timedOut)).toBe(true);
		expect(blamesDependency(Object.assign(new Error(), { name: 'DeadlineExceeded' }), timedOut)).toBe(true);
		expect([399, 400, 499, 500].map((status) => blamesDependency({ status }))).toEqual([true, false, false, true]);
		for (const error of [undefined, null, 'text', new Error('reset')]) expect(blamesDependency(error)).toBe(true);
	});

	it('never opens on a window with too few calls', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 2, max: 30 }),
				fc.array(fc.nat(600), { maxLength: 40 }),
				async (minimumCalls, pauses) => {
					const { breaker, clock, outcomes } = breakerWith({ minimumCalls });
					const ends: number[] = [];
					for (const pause of pauses) {
						await clock.advance(pause);
						await outcomes(fail);
						ends.push(clock.now());
						const inWindow = ends.filter((at) => at > clock.now() - 1000).length;
						if (inWindow < minimumCalls) expect(breaker.state).toBe('closed');
						if (breaker.state !== 'closed') return;
					}
				},
			),
			{ numRuns: 40 },
		);
		const { breaker, outcomes } = breakerWith({ minimumCalls: 4 });
		await outcomes(fail, fail, fail);
		expect(breaker.state).toBe('closed');
		await outcomes(succeed);
		expect(breaker.state).toBe('open');
	});

	it('opens at the rate and not below it', async () => {
		const { breaker, outcomes } = breakerWith({ failureRate: 0.6, minimumCalls: 5 });
		await outcomes(fail, fail, succeed, succeed, succeed);
		expect(breaker.state).toBe('closed');
		await outcomes(fail, fail);
		expect(breaker.state).toBe('closed');
		await outcomes(fail);
		expect(breaker.state).toBe('open');
	});

	it('forgets calls that have left the window', async () => {
		const { breaker, clock, outcomes } = breakerWith();
		await outcomes(fail, fail, fail);
		await clock.advance(1000);
		await outcomes(fail, succeed, succeed);
		expect(breaker.state).toBe('closed');
		// And keeps those that have not.
		await clock.advance(850);
		await outcomes(fail);
		expect(breaker.state).toBe('open');
	});

	it('ignores an outcome that comes from before a change of state', async () => {
		const { breaker, clock, open, outcome, outcomes } = breakerWith({ probes: 1 });
		const early = [pending(), pending(), pending(), pending(), pending()];
		const late = early.map(({ work }) => outcome(work));
		await open();
		await clock.advance(500);
		const probe = pending();
		const probing = outcome(probe.work);
		expect(breaker.state).toBe('half-open');
		early[0]?.fail(new Unavailable());
		await late[0];
		expect(breaker.state).toBe('half-open');
		early[1]?.succeed('fine');
		await late[1];
		expect(breaker.state).toBe('half-open');
		// Nor has either made room for a second probe.
		expect(await outcomes(succeed)).toEqual(['refused']);
		probe.succeed('fine');
		await probing;
		expect(breaker.state).toBe('closed');
		for (const call of early.slice(2)) call.fail(new Unavailable());
		await Promise.all(late);
		await outcomes(fail);
		expect(breaker.state).toBe('closed');
	});

	it('takes probes that hang for an answer, and tries again later', async () => {
		const { breaker, clock, open, outcome, outcomes } = breakerWith({ probes: 1 });
		await open();
		await clock.advance(500);
		const hung = pending();
		const lost = outcome(hung.work);
		await clock.advance(499);
		expect(await outcomes(succeed)).toEqual(['refused']);
		expect(breaker.state).toBe('half-open');
		await clock.advance(1);
		expect(await outcomes(succeed)).toEqual(['refused']);
		expect(breaker.state).toBe('open');
		await clock.advance(500);
		expect(await outcomes(succeed)).toEqual(['ok']);
		hung.fail(new Unavailable());
		await lost;
		expect(breaker.state).toBe('closed');
	});

	it('is not confused by a clock that steps back', async () => {
		let now = 10_000;
		const opened = breakerWith({ clock: { now: () => now } });
		await opened.open();
		now = 2_000;
		expect(await opened.outcomes(succeed)).toEqual(['refused']);
		now = 2_499;
		expect(await opened.outcomes(succeed)).toEqual(['refused']);
		now = 2_500;
		expect(await opened.outcomes(succeed)).toEqual(['ok']);

		now = 10_000;
		const closed = breakerWith({ clock: { now: () => now } });
		await closed.outcomes(fail, fail);
		now = 2_000;
		await closed.outcomes(succeed);
		now = 3_000;
		await closed.outcomes(fail, fail, fail);
		expect(closed.breaker.state).toBe('closed');
		await closed.outcomes(fail);
		expect(closed.breaker.state).toBe('open');
	});

	it('holds its bound when a listener calls from within a change', async () => {
		const clock = new VirtualClock();
		const work = vi.fn(() => clock.sleep(10));
		const again: Promise<unknown>[] = [];
		const breaker: CircuitBreaker = new CircuitBreaker({
			minimumCalls: 1,
			openMs: 500,
			probes: 1,
			clock,
			onChange: (to) => {
				if (to === 'half-open') again.push(breaker.call(work).catch(() => 'refused'));
			},
		});
		await breaker.call(fail).catch(() => undefined);
		await clock.advance(500);
		await expect(breaker.call(work)).rejects.toBeInstanceOf(CircuitOpen);
		await clock.run(Promise.all(again));
		expect(work).toHaveBeenCalledTimes(1);
		expect(breaker.state).toBe('closed');
	});

	it('says which option makes no sense', () => {
		expect(() => new CircuitBreaker({ failureRate: 0 })).toThrow('failureRate is 0; expected (0, 1]');
		expect(() => new CircuitBreaker({ failureRate: 50 })).toThrow('failureRate is 50; expected (0, 1]');
		expect(() => new CircuitBreaker({ probes: 0 })).toThrow('probes is 0; expected 1 or more');
		expect(() => new CircuitBreaker({ openMs: Number.NaN })).toThrow('openMs is NaN; expected 1 or more');
	});
});

describe('circuit-breaker scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			outage: [200, 500, 1000],
			open: [200, 800],
			minimum: [5, 12],
			probes: [1, 2, 3],
		});
	});

	it('shows the failure without it', async () => {
		expect((await playScenario(demo, { pattern: false })).broken).toEqual([RULES.probes, RULES.caller, RULES.few]);
	});
});
