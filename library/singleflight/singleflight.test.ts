import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './singleflight.demo.ts';
import { Singleflight } from './singleflight.ts';

/** Work whose end the test decides; it counts its calls and keeps the signals it got. */
function controlled<V = string>() {
	const ends: { resolve(value: V): void; reject(error: unknown): void }[] = [];
	const signals: AbortSignal[] = [];
	const work = vi.fn((signal: AbortSignal) => {
		signals.push(signal);
		return new Promise<V>((resolve, reject) => ends.push({ resolve, reject }));
	});
	return { work, ends, signals };
}

const settled = (promise: Promise<unknown>) =>
	promise.then(
		(value) => value,
		(error: unknown) => `rejected: ${error instanceof Error ? error.message : String(error)}`,
	);

/** Lets every promise run that can. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

describe('singleflight', () => {
	it('runs the function once for concurrent calls, and gives each the same outcome', async () => {
		const flights = new Singleflight<{ id: number }>();
		const { work, ends } = controlled<{ id: number }>();
		const calls = [flights.run('a', work), flights.run('a', work), flights.run('a', work)];
		await turn();
		calls.push(flights.run('a', work));
		expect(work).toHaveBeenCalledTimes(1);
		const value = { id: 1 };
		ends[0]?.resolve(value);
		for (const got of await Promise.all(calls)) expect(got).toBe(value);
	});

	it('never runs two at a time for a key, and never more than callers asked for', async () => {
		const step = fc.record({
			key: fc.constantFrom('a', 'b', 'c'),
			at: fc.nat(60),
			takes: fc.nat(20),
			fails: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
				const clock = new VirtualClock();
				const flights = new Singleflight<number>();
				const running = new Map<string, number>();
				let runs = 0;
				const ask = async ({ key, at, takes, fails }: (typeof steps)[number]) => {
					await clock.sleep(at);
					const work = async () => {
						const id = ++runs;
						running.set(key, (running.get(key) ?? 0) + 1);
						expect(running.get(key)).toBe(1);
						await clock.sleep(takes);
						running.set(key, 0);
						if (fails) throw new Error(`run ${id}`);
						return id;
					};
					return flights.run(key, work);
				};
				const outcomes = await clock.run(Promise.allSettled(steps.map(ask)));
				expect(outcomes).toHaveLength(steps.length);
				expect(runs).toBeLessThanOrEqual(steps.length);
				expect(runs === 0).toBe(steps.length === 0);
				expect(flights.size).toBe(0);
			}),
			{ numRuns: 60 },
		);
	});

	it('lets keys fly apart from each other', async () => {
		const flights = new Singleflight<string, number>();
		const slow = controlled();
		const stuck = flights.run(1, slow.work);
		expect(await flights.run(2, () => 'other')).toBe('other');
		slow.ends[0]?.resolve('late');
		expect(await stuck).toBe('late');
	});

	it('shares a rejection and does not remember it', async () => {
		const flights = new Singleflight<string>();
		const { work, ends } = controlled();
		const calls = [flights.run('a', work), flights.run('a', work)];
		const error = new Error('database down');
		ends[0]?.reject(error);
		for (const outcome of await Promise.allSettled(calls))
			expect(outcome).toEqual({ status: 'rejected', reason: error });
		const again = flights.run('a', work);
		expect(work).toHaveBeenCalledTimes(2);
		ends[1]?.resolve('back');
		expect(await again).toBe('back');
	});

	it('remembers no value either', async () => {
		const flights = new Singleflight<number>();
		let n = 0;
		expect([await flights.run('a', () => ++n), await flights.run('a', () => ++n)]).toEqual([1, 2]);
	});

	it('frees the key on every path, a synchronous throw too, before anyone hears of the outcome', async () => {
		const flights = new Singleflight<string>();
		const sizes: number[] = [];
		const note = () => sizes.push(flights.size);
		const paths: (() => string | Promise<string>)[] = [
			() => 'value',
			() => Promise.resolve('promise'),
			() => Promise.reject(new Error('rejection')),
			() => {
				throw new Error('throw');
			},
		];
		for (const path of paths) await flights.run('a', path).then(note, note);
		const user = new AbortController();
		const leaving = flights.run('a', () => new Promise(() => undefined), user.signal).then(note, note);
		expect(flights.size).toBe(1);
		user.abort();
		await leaving;
		expect(sizes).toEqual([0, 0, 0, 0, 0]);
	});

	it('reports a synchronous throw as a rejection, to the caller and to nobody else', async () => {
		const flights = new Singleflight<string>();
		const call = flights.run('a', () => {
			throw new Error('sync');
		});
		await expect(call).rejects.toThrow('sync');
	});

	it('neither cancels nor fails the others when one caller aborts', async () => {
		for (const leavers of [[0], [1], [2], [0, 1], [0, 2], [1, 2]]) {
			const flights = new Singleflight<string>();
			const { work, ends, signals } = controlled();
			const users = [new AbortController(), new AbortController(), new AbortController()];
			const calls = users.map((user) => settled(flights.run('a', work, user.signal)));
			for (const leaver of leavers) {
				users[leaver]?.abort(new Error('left'));
				expect(await calls[leaver]).toBe('rejected: left');
			}
			expect(signals[0]?.aborted).toBe(false);
			expect(flights.size).toBe(1);
			ends[0]?.resolve('value');
			const expected = ['value', 'value', 'value'];
			for (const leaver of leavers) expected[leaver] = 'rejected: left';
			expect(await Promise.all(calls)).toEqual(expected);
			expect(work).toHaveBeenCalledTimes(1);
		}
	});

	it('aborts the work when the last caller leaves, and the next call starts anew', async () => {
		const flights = new Singleflight<string>();
		const { work, ends, signals } = controlled();
		const users = [new AbortController(), new AbortController()];
		const calls = users.map((user) => settled(flights.run('a', work, user.signal)));
		const reason = new Error('nobody waits');
		users[0]?.abort('first');
		expect(signals[0]?.aborted).toBe(false);
		users[1]?.abort(reason);
		expect(signals[0]?.reason).toBe(reason);
		const next = flights.run('a', work);
		expect(work).toHaveBeenCalledTimes(2);
		expect(signals[1]?.aborted).toBe(false);
		ends[1]?.resolve('fresh');
		expect(await next).toBe('fresh');
		expect(await Promise.all(calls)).toEqual(['rejected: first', 'rejected: nobody waits']);
	});

	it('never aborts work that a caller without a signal waits for', async () => {
		const flights = new Singleflight<string>();
		const { work, ends, signals } = controlled();
		const user = new AbortController();
		const leaving = settled(flights.run('a', work, user.signal));
		const staying = flights.run('a', work);
		user.abort('left');
		await leaving;
		expect(signals[0]?.aborted).toBe(false);
		ends[0]?.resolve('value');
		expect(await staying).toBe('value');
	});

	it('leaves the key to the successor when an abandoned flight settles late', async () => {
		const flights = new Singleflight<string>();
		const { work, ends } = controlled();
		const user = new AbortController();
		const first = settled(flights.run('a', work, user.signal));
		user.abort('left');
		const second = flights.run('a', work);
		ends[0]?.reject(new Error('cancelled at last'));
		await first;
		await turn();
		const third = flights.run('a', work);
		expect(work).toHaveBeenCalledTimes(2);
		ends[1]?.resolve('value');
		expect(await Promise.all([second, third])).toEqual(['value', 'value']);
	});

	it('starts nothing for a caller who has left already', async () => {
		const flights = new Singleflight<string>();
		const work = vi.fn(() => 'value');
		await expect(flights.run('a', work, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(work).not.toHaveBeenCalled();
		expect(flights.size).toBe(0);
	});

	it('aborts work whose only caller leaves while it is being started', async () => {
		const flights = new Singleflight<string>();
		const user = new AbortController();
		const work = vi.fn((signal: AbortSignal) => {
			user.abort(new Error('changed my mind'));
			expect(signal.aborted).toBe(true);
			return 'value';
		});
		await expect(flights.run('a', work, user.signal)).rejects.toThrow('changed my mind');
		expect(flights.size).toBe(0);
	});

	it('leaves no listener on the signals of its callers', async () => {
		const flights = new Singleflight<string>();
		const { work, ends } = controlled();
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		const calls = [flights.run('a', work, signal), flights.run('a', work, signal)];
		ends[0]?.reject(new Error('over'));
		await Promise.allSettled(calls);
		expect(added).toHaveBeenCalledTimes(2);
		expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
			added.mock.calls.map(([, listener]) => listener),
		);
	});

	it('starts a new flight after forget, while the old one goes on for those who wait', async () => {
		const flights = new Singleflight<string>();
		const { work, ends } = controlled();
		const before = flights.run('a', work);
		flights.forget('a');
		const after = flights.run('a', work);
		expect(work).toHaveBeenCalledTimes(2);
		ends[0]?.resolve('old');
		expect(await before).toBe('old');
		// The old flight has not taken the new one's key along.
		const joined = flights.run('a', work);
		expect(work).toHaveBeenCalledTimes(2);
		ends[1]?.resolve('new');
		expect(await Promise.all([after, joined])).toEqual(['new', 'new']);
	});
});

describe('singleflight scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			callers: [2, 3, 8],
			query: [50, 60, 150, 300],
			leaves: [10, 50, 60, 150, 400],
		});
	});

	it('shows the failure without it', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([RULES.rejection, RULES.others, RULES.last]));
	});
});
