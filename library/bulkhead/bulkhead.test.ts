import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, rules } from './bulkhead.demo.ts';
import { Bulkhead, BulkheadFullError } from './bulkhead.ts';

/** Lets promises that are already settled reach whoever awaits them. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A promise that the test settles. */
function gateway() {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

describe('bulkhead', () => {
	it('never runs more than maxRunning at once, under any interleaving of arrivals, failures and aborts', async () => {
		const call = fc.record({
			at: fc.integer({ min: 0, max: 30 }),
			ms: fc.integer({ min: 0, max: 12 }),
			ending: fc.constantFrom('return', 'throw', 'throw at once'),
			abortAfter: fc.option(fc.integer({ min: 0, max: 20 })),
			heedsAbort: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.integer({ min: 0, max: 4 }),
				fc.array(call, { maxLength: 25 }),
				async (maxRunning, maxWaiting, calls) => {
					const clock = new VirtualClock();
					const bulkhead = new Bulkhead({ maxRunning, maxWaiting });
					let inside = 0;
					let most = 0;
					const one = async ({ at, ms, ending, abortAfter, heedsAbort }: (typeof calls)[number]) => {
						await clock.sleep(at);
						const caller = new AbortController();
						if (abortAfter !== null) clock.after(abortAfter, () => caller.abort(new Error('left')));
						const body = async (signal?: AbortSignal) => {
							most = Math.max(most, ++inside);
							try {
								await clock.sleep(ms, heedsAbort ? signal : undefined);
								if (ending === 'throw') throw new Error('failed');
							} finally {
								inside--;
							}
						};
						const work = (signal?: AbortSignal) => {
							if (ending === 'throw at once') throw new Error('failed at once');
							return body(signal);
						};
						await bulkhead.run(work, caller.signal).catch(() => undefined);
					};
					await clock.run(Promise.all(calls.map(one)));
					expect(most).toBeLessThanOrEqual(maxRunning);
					expect([bulkhead.running, bulkhead.waiting]).toEqual([0, 0]);
				},
			),
			{ numRuns: 60 },
		);
	});

	it('runs as many as there are slots at the same time', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 3, maxWaiting: 0 });
		const gate = gateway();
		const runs = [1, 2, 3].map((n) => bulkhead.run(() => gate.promise.then(() => n)));
		expect(bulkhead.running).toBe(3);
		gate.resolve();
		expect(await Promise.all(runs)).toEqual([1, 2, 3]);
	});

	it('lets maxWaiting calls wait and refuses the next one', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 2 });
		const gate = gateway();
		const runs = [1, 2, 3].map((n) => bulkhead.run(() => gate.promise.then(() => n)));
		expect(bulkhead.waiting).toBe(2);
		await expect(bulkhead.run(() => 4)).rejects.toBeInstanceOf(BulkheadFullError);
		expect(bulkhead.waiting).toBe(2);
		gate.resolve();
		expect(await Promise.all(runs)).toEqual([1, 2, 3]);
	});

	it('refuses at once when full, without starting the work and without waiting for anyone to finish', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 0 });
		const gate = gateway();
		const held = bulkhead.run(() => gate.promise);
		let started = false;
		const refused = bulkhead.run(() => {
			started = true;
		});
		let known = false;
		refused.catch(() => {
			known = true;
		});
		await null;
		expect(known).toBe(true);
		await expect(refused).rejects.toThrow('bulkhead full: 1 running and 0 waiting; try again later');
		expect(bulkhead.running).toBe(1);
		gate.resolve();
		await held;
		await turn();
		expect(started).toBe(false);
	});

	it.each([
		['a return', () => Promise.resolve('done')],
		['a plain value', () => 'done'],
		['a rejection', () => Promise.reject(new Error('failed'))],
		[
			'a synchronous throw',
			() => {
				throw new Error('failed at once');
			},
		],
	])('releases the slot once after %s', async (_, work: () => string | Promise<string>) => {
		const bulkhead = new Bulkhead({ maxRunning: 2, maxWaiting: 5 });
		const gate = gateway();
		const held = bulkhead.run(() => gate.promise);
		await bulkhead.run(work).catch(() => undefined);
		expect(bulkhead.running).toBe(1);
		await bulkhead.run(work).catch(() => undefined);
		expect(bulkhead.running).toBe(1);
		gate.resolve();
		await held;
		expect(bulkhead.running).toBe(0);
	});

	it('releases the slot once whether the work returns, throws or is aborted, so that exactly maxRunning fit afterwards', async () => {
		const clock = new VirtualClock();
		const bulkhead = new Bulkhead({ maxRunning: 2, maxWaiting: 20 });
		const abort = new AbortController();
		const works = [
			() => clock.sleep(5),
			() => clock.sleep(5).then(() => Promise.reject(new Error('failed'))),
			(): Promise<void> => {
				throw new Error('failed at once');
			},
			(signal?: AbortSignal) => clock.sleep(1000, signal),
			(signal?: AbortSignal) => clock.sleep(1000, signal),
			() => clock.sleep(5),
		];
		clock.after(50, () => abort.abort(new Error('stop')));
		await clock.run(Promise.allSettled(works.map((work) => bulkhead.run(work, abort.signal))));
		expect(bulkhead.running).toBe(0);
		const gate = gateway();
		const after = [1, 2, 3].map(() => bulkhead.run(() => gate.promise));
		expect([bulkhead.running, bulkhead.waiting]).toEqual([2, 1]);
		gate.resolve();
		await Promise.all(after);
	});

	it('keeps the slot of aborted work until the work has really ended', async () => {
		const clock = new VirtualClock();
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 1 });
		const caller = new AbortController();
		const deaf = bulkhead.run(() => clock.sleep(100), caller.signal);
		let startedAt = Number.NaN;
		const next = bulkhead.run(() => {
			startedAt = clock.now();
		});
		clock.after(10, () => caller.abort(new Error('left')));
		await clock.run(Promise.allSettled([deaf, next]));
		expect(startedAt).toBe(100);
	});

	it('starts waiting calls in order of arrival', async () => {
		const clock = new VirtualClock();
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 10 });
		const order: number[] = [];
		const runs = [0, 1, 2, 3, 4].map((n) =>
			bulkhead.run(async () => {
				order.push(n);
				await clock.sleep(10 - n);
			}),
		);
		await clock.run(Promise.all(runs));
		expect(order).toEqual([0, 1, 2, 3, 4]);
	});

	it('gives a freed slot to the head of the queue even when a newcomer asks in the same instant', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 8 });
		const order: string[] = [];
		const gate = gateway();
		const first = bulkhead.run(() => gate.promise);
		const waiting = ['a', 'b', 'c'].map((name) => bulkhead.run(() => void order.push(name)));
		// The newcomers ask at every step between the end of the first call and whatever follows it.
		const newcomers: Promise<unknown>[] = [];
		const ask = async () => {
			for (let step = 0; step < 5; step++) {
				newcomers.push(bulkhead.run(() => void order.push('newcomer')));
				await Promise.resolve();
			}
		};
		gate.resolve();
		await Promise.all([ask(), first, ...waiting]);
		await Promise.all(newcomers);
		expect(order).toEqual(['a', 'b', 'c', ...newcomers.map(() => 'newcomer')]);
	});

	it('takes an aborted call out of the queue at once and never starts its work', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 2 });
		const gate = gateway();
		const order: string[] = [];
		const held = bulkhead.run(() => gate.promise);
		const caller = new AbortController();
		const leaver = bulkhead.run(() => void order.push('leaver'), caller.signal);
		const stayer = bulkhead.run(() => void order.push('stayer'));
		caller.abort(new Error('left'));
		expect(bulkhead.waiting).toBe(1);
		await expect(leaver).rejects.toThrow('left');
		const replacement = bulkhead.run(() => void order.push('replacement'));
		gate.resolve();
		await Promise.all([held, stayer, replacement]);
		expect(order).toEqual(['stayer', 'replacement']);
	});

	it('does not start work for a caller whose signal has already aborted, even with a free slot', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 1 });
		let started = false;
		const run = bulkhead.run(
			() => {
				started = true;
			},
			AbortSignal.abort(new Error('too late')),
		);
		await expect(run).rejects.toThrow('too late');
		expect([started, bulkhead.running]).toEqual([false, 0]);
	});

	it('hands the signal to the work and leaves no listener of its own on it', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 1 });
		const { signal } = new AbortController();
		let listeners = 0;
		const counting: Pick<AbortSignal, 'addEventListener' | 'removeEventListener'> = {
			addEventListener: () => void listeners++,
			removeEventListener: () => void listeners--,
		};
		Object.assign(signal, counting);
		const gate = gateway();
		const held = bulkhead.run(() => gate.promise);
		const got = bulkhead.run((given) => given, signal);
		expect(listeners).toBe(1);
		gate.resolve();
		expect(await got).toBe(signal);
		await held;
		expect(listeners).toBe(0);
	});

	it('survives a long queue of calls that all throw at once', async () => {
		const bulkhead = new Bulkhead({ maxRunning: 1, maxWaiting: 20_000 });
		const gate = gateway();
		const held = bulkhead.run(() => gate.promise);
		const failed = Array.from({ length: 20_000 }, (_, n) =>
			bulkhead
				.run(() => {
					throw n;
				})
				.catch((reason) => reason),
		);
		gate.resolve();
		await held;
		expect(await Promise.all(failed)).toEqual(failed.map((_, n) => n));
		expect(bulkhead.running).toBe(0);
	});

	it('refuses limits that make no sense', () => {
		for (const maxRunning of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
			expect(() => new Bulkhead({ maxRunning, maxWaiting: 0 })).toThrow('maxRunning must be an integer of at least 1');
		for (const maxWaiting of [-1, 0.5, Number.NaN])
			expect(() => new Bulkhead({ maxRunning: 1, maxWaiting })).toThrow('maxWaiting must be an integer of at least 0');
	});
});

describe('bulkhead scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, { running: [1, 4, 8], waiting: [0, 5, 12], calls: [10, 24, 32] }, 11);
	});

	it('shows refusals, waiting and aborts with the pattern, and too many at once without it', async () => {
		const { events } = await playScenario(demo);
		expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['ok', 'fail', 'wait', 'abort', 'reject', 'info']));
		expect(events.length).toBeGreaterThanOrEqual(15);
		expect((await playScenario(demo, { pattern: false })).broken).toContain(rules.running);
	});
});
