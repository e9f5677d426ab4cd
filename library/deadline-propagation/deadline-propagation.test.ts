import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './deadline-propagation.demo.ts';
import {
	type Deadline,
	DeadlineExceeded,
	decodeTimeout,
	encodeTimeout,
	monotonicClock,
	onAbort,
	rootDeadline,
	withDeadline,
} from './deadline-propagation.ts';

afterEach(() => {
	vi.restoreAllMocks();
	vi.useRealTimers();
});

/** Work that never settles by itself and pays no attention to its signal. */
const deaf = () => new Promise<never>(() => undefined);

describe('deadline-propagation', () => {
	it('grants a child at most what its parent has left', async () => {
		const hop = fc.record({
			spentMs: fc.integer({ min: 0, max: 50 }),
			budgetMs: fc.oneof(fc.double({ min: 1, max: 1e4, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY)),
			reserveMs: fc.integer({ min: 0, max: 20 }),
		});
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.array(hop, { maxLength: 6 }), async (budgetMs, hops) => {
				const clock = new VirtualClock(1000);
				const descend = async (parent: Deadline, depth: number): Promise<void> => {
					const limit = hops[depth];
					if (!limit) return;
					await clock.sleep(limit.spentMs, parent.signal);
					await withDeadline(parent, limit, (child) => {
						expect(child.remaining()).toBeLessThanOrEqual(parent.remaining() - limit.reserveMs + 1e-9);
						expect(child.remaining()).toBeLessThanOrEqual(limit.budgetMs + 1e-9);
						return descend(child, depth + 1);
					});
				};
				const work = withDeadline(rootDeadline({ clock }), { budgetMs }, (top) => descend(top, 0));
				await clock.run(work.catch((error) => expect(error).toBeInstanceOf(DeadlineExceeded)));
				expect(clock.now()).toBeLessThanOrEqual(1000 + budgetMs);
			}),
			{ numRuns: 60 },
		);
		// Nor does the time between two readings of the clock go to the child: here each reading takes a millisecond.
		let ticks = 0;
		const ticking = rootDeadline({ clock: { now: () => ticks++, after: () => () => undefined } });
		await withDeadline(ticking, { budgetMs: 100 }, (parent) =>
			withDeadline(parent, {}, (child) => {
				const left = child.remaining();
				expect(left).toBeLessThanOrEqual(parent.remaining() + 1);
			}),
		);
	});

	it('keeps the reserve for the parent, which still answers with a fallback', async () => {
		const clock = new VirtualClock();
		const answer = withDeadline(rootDeadline({ clock }), { budgetMs: 100 }, async (deadline) => {
			try {
				return await withDeadline(deadline, { reserveMs: 30 }, deaf);
			} catch {
				return `fallback with ${deadline.remaining()} ms left`;
			}
		});
		expect(await clock.run(answer)).toBe('fallback with 30 ms left');
	});

	it('fails before the call is made when no time is left', async () => {
		const clock = new VirtualClock();
		const call = vi.fn();
		const work = withDeadline(rootDeadline({ clock }), { budgetMs: 50 }, async (deadline) => {
			await clock.sleep(50 - 1e-3);
			await expect(withDeadline(deadline, { reserveMs: 1 }, call)).rejects.toBeInstanceOf(DeadlineExceeded);
			return 'refused';
		});
		expect(await clock.run(work)).toBe('refused');
		for (const budgetMs of [0, -5])
			await expect(withDeadline(rootDeadline({ clock }), { budgetMs }, call)).rejects.toBeInstanceOf(DeadlineExceeded);
		expect(call).not.toHaveBeenCalled();
	});

	it('asks the clock, for a busy event loop fires the timer late', async () => {
		let now = 0;
		const clock = { now: () => now, after: () => () => undefined };
		const call = vi.fn();
		await withDeadline(rootDeadline({ clock }), { budgetMs: 50 }, async (deadline) => {
			now = 50;
			expect(deadline.signal.aborted).toBe(false);
			expect(() => deadline.check()).toThrow(DeadlineExceeded);
			await expect(withDeadline(deadline, {}, call)).rejects.toBeInstanceOf(DeadlineExceeded);
			expect(() => encodeTimeout(deadline)).toThrow(DeadlineExceeded);
		});
		expect(call).not.toHaveBeenCalled();
	});

	it('never calls the work of a caller that has left already', async () => {
		const call = vi.fn();
		const gone = rootDeadline({ signal: AbortSignal.abort(new Error('left')) });
		await expect(withDeadline(gone, { budgetMs: 50 }, call)).rejects.toThrow('left');
		expect(call).not.toHaveBeenCalled();
	});

	it('aborts every descendant with the reason of the ancestor', async () => {
		const clock = new VirtualClock();
		const user = new AbortController();
		const reasons: unknown[] = [];
		const descend = (parent: Deadline, depth: number): Promise<void> =>
			withDeadline(parent, { budgetMs: 500 }, async (child) => {
				child.signal.addEventListener('abort', () => reasons.push(child.signal.reason));
				if (depth === 0) await clock.sleep(1000, child.signal);
				else await Promise.all([descend(child, depth - 1), descend(child, depth - 1)]);
			});
		const work = descend(rootDeadline({ clock, signal: user.signal }), 2);
		clock.after(20, () => user.abort(new Error('the user left')));
		await expect(clock.run(work)).rejects.toThrow('the user left');
		expect(reasons).toHaveLength(7);
		expect(new Set(reasons).size).toBe(1);
		expect(clock.now()).toBe(20);
		expect(clock.pending).toBe(0);
	});

	it('answers on time even when the work does not listen, and drops what it does later', async () => {
		const clock = new VirtualClock();
		const late = clock.sleep(80).then(() => Promise.reject(new Error('too late to matter')));
		const call = withDeadline(rootDeadline({ clock }), { budgetMs: 50 }, () => late);
		await expect(clock.run(call)).rejects.toBeInstanceOf(DeadlineExceeded);
		expect(clock.now()).toBe(50);
		await clock.advance(100);
	});

	it('keeps its budget when the wall clock is set', () => {
		vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
		const seen: number[] = [];
		void withDeadline(rootDeadline(), { budgetMs: 60_000 }, (deadline) => {
			seen.push(deadline.remaining());
			vi.setSystemTime(1_000_000 + 3_600_000);
			seen.push(deadline.remaining());
			vi.setSystemTime(0);
			seen.push(deadline.remaining());
		});
		for (const left of seen) {
			expect(left).toBeGreaterThan(50_000);
			expect(left).toBeLessThanOrEqual(60_000);
		}
		expect(seen).toHaveLength(3);
	});

	it('crosses a process as the time that remains, whatever the clocks there say', async () => {
		const here = new VirtualClock(5_000_000);
		const there = new VirtualClock(17);
		const work = withDeadline(rootDeadline({ clock: here }), { budgetMs: 300 }, async (deadline) => {
			await here.sleep(49.5);
			const header = encodeTimeout(deadline);
			const budgetMs = decodeTimeout(header) ?? Number.POSITIVE_INFINITY;
			const left = await withDeadline(rootDeadline({ clock: there }), { budgetMs }, (remote) => remote.remaining());
			return { header, left };
		});
		expect(await here.run(work)).toEqual({ header: '250m', left: 250 });
	});

	it('never encodes more than is left, nor more than eight digits', () => {
		const ms = fc.oneof(fc.double({ min: 1e-5, max: 1e6, noNaN: true }), fc.double({ min: 1, max: 3e14, noNaN: true }));
		fc.assert(
			fc.property(ms, (left) => {
				const clock = new VirtualClock();
				const header = encodeTimeout({ ...rootDeadline({ clock }), remaining: () => left }) ?? '';
				expect(header).toMatch(/^[1-9]\d{0,7}[HMSmun]$/);
				const decoded = decodeTimeout(header) ?? Number.NaN;
				expect(decoded).toBeLessThanOrEqual(left * (1 + 1e-9));
				expect(decoded).toBeGreaterThan(left * 0.49);
			}),
		);
		expect(encodeTimeout(rootDeadline())).toBeUndefined();
	});

	it('refuses a malformed timeout instead of reading it as no limit', () => {
		for (const header of ['', '250', 'm', '-5m', '1.5S', '123456789m', '5 m', '5m ', '5s', 'Infinity'])
			expect(() => decodeTimeout(header), header).toThrow(/malformed timeout ".*"; expected up to 8 digits/);
		expect(decodeTimeout(null)).toBeUndefined();
		expect(decodeTimeout(undefined)).toBeUndefined();
		expect(['2H', '3M', '4S', '5m', '6u', '7n'].map(decodeTimeout).map((ms) => Number(ms?.toPrecision(6)))).toEqual([
			7_200_000, 180_000, 4_000, 5, 0.006, 0.000_007,
		]);
	});

	it('leaves no timer and no listener behind, however the work ends', async () => {
		const clock = new VirtualClock();
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		const root = rootDeadline({ clock, signal });
		const endings = [
			() => 'returned',
			() => Promise.resolve('resolved'),
			() => Promise.reject(new Error('rejected')),
			() => {
				throw new Error('thrown');
			},
			deaf,
		];
		const seen = await clock.run(
			Promise.all(
				endings.map((work) =>
					withDeadline<string>(root, { budgetMs: work === deaf ? 10 : 1000 }, work).catch(
						(error: Error) => error.message,
					),
				),
			),
		);
		expect(seen).toEqual(['returned', 'resolved', 'rejected', 'thrown', 'time is over after 10 ms']);
		expect(clock.pending).toBe(0);
		expect(added).toHaveBeenCalledTimes(1);
		expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
			expect.arrayContaining(added.mock.calls.map(([, listener]) => listener)),
		);
	});

	it('puts one listener on a signal, however many children there are', async () => {
		const clock = new VirtualClock();
		const user = new AbortController();
		const added = vi.spyOn(user.signal, 'addEventListener');
		const root = rootDeadline({ clock, signal: user.signal });
		const child = (n: number) => withDeadline(root, {}, (deadline) => clock.sleep(n, deadline.signal));
		const calls = Promise.allSettled(Array.from({ length: 50 }, (_, n) => child(n)));
		clock.after(19.5, () => user.abort('enough'));
		const outcomes = await clock.run(calls);
		expect(outcomes.map(({ status }) => status)).toEqual([
			...Array(20).fill('fulfilled'),
			...Array(30).fill('rejected'),
		]);
		expect(added).toHaveBeenCalledTimes(1);
	});

	it('takes a callback back once, calls an aborted one at once, and hears the same one twice', () => {
		const user = new AbortController();
		const heard: string[] = [];
		const note = () => heard.push('note');
		const first = onAbort(user.signal, note);
		first();
		const second = onAbort(user.signal, note);
		first();
		onAbort(user.signal, note);
		onAbort(user.signal, () => heard.push('other'));
		second();
		user.abort();
		expect(heard).toEqual(['note', 'other']);
		onAbort(user.signal, () => heard.push('late'))();
		expect(heard).toEqual(['note', 'other', 'late']);
	});

	it('tells everyone of an abort, though one of them throws, and reports what that threw', async () => {
		const user = new AbortController();
		const heard: string[] = [];
		onAbort(user.signal, () => {
			throw new Error('a faulty callback');
		});
		onAbort(user.signal, () => heard.push('second'));
		const reported = new Promise((resolve) => {
			const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[];
			process.removeAllListeners('uncaughtException');
			process.once('uncaughtException', (error) => {
				for (const other of others) process.on('uncaughtException', other);
				resolve(error);
			});
		});
		user.abort();
		expect(heard).toEqual(['second']);
		expect(await reported).toMatchObject({ message: 'a faulty callback' });
	});

	it('aborts what the work left running when it returns', async () => {
		const clock = new VirtualClock();
		let straggler: Promise<void> | undefined;
		await withDeadline(rootDeadline({ clock }), {}, (deadline) => {
			straggler = clock.sleep(1000, deadline.signal);
			straggler.catch(() => undefined);
		});
		await expect(straggler).rejects.toMatchObject({ name: 'AbortError' });
		expect(clock.pending).toBe(0);
	});

	it('waits in several steps for a budget that one timer cannot hold', async () => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
		const month = 30 * 24 * 3_600_000;
		const outcome = vi.fn();
		withDeadline(rootDeadline({ clock: monotonicClock }), { budgetMs: month }, deaf).catch(outcome);
		await vi.advanceTimersByTimeAsync(month - 1);
		expect(outcome).not.toHaveBeenCalled();
		await vi.advanceTimersByTimeAsync(2);
		expect(outcome).toHaveBeenCalledWith(expect.any(DeadlineExceeded));
	});

	it('waits on when a timer fires before its time', async () => {
		const clock = new VirtualClock();
		const hasty = {
			now: clock.now,
			after: (ms: number, callback: () => void) => clock.after(Math.floor(ms * 0.9), callback),
		};
		const call = withDeadline(rootDeadline({ clock: hasty }), { budgetMs: 100 }, (deadline) =>
			clock.sleep(99, deadline.signal),
		);
		await clock.run(call);
		expect(clock.now()).toBe(99);
	});

	it('says which number makes no sense', async () => {
		const root = rootDeadline();
		await expect(withDeadline(root, { budgetMs: Number.NaN }, deaf)).rejects.toThrow('budgetMs is not a number');
		await expect(withDeadline(root, { reserveMs: -1 }, deaf)).rejects.toThrow('reserveMs is -1; expected 0 or more');
	});
});

describe('deadline-propagation scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(
			demo,
			RULES,
			{
				budget: [50, 300, 1500],
				query: [10, 120, 400],
				skew: [-2000, 0, 2000],
				leave: [0, 90, 1000],
			},
			11,
		);
	});

	it('shows the failure without it', async () => {
		const { broken, events } = await playScenario(demo, { pattern: false });
		expect(broken.length).toBeGreaterThanOrEqual(4);
		expect(events.length).toBeGreaterThanOrEqual(15);
	});
});
