import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, rules } from './tiered-cache.demo.ts';
import { MemoryTier } from './tiered-cache.memory.ts';
import { type RemoteAnswer, type RemoteTier, TieredCache, type TieredCacheOptions } from './tiered-cache.ts';

type Trouble = 'none' | 'rejects' | 'throws' | 'hangs';

/** The shared tier behind a network: each operation takes `ms`, is noted, and fails as the test wants. */
class Network implements RemoteTier {
	readonly log: string[] = [];
	readonly ttls: number[] = [];
	ms = 2;
	trouble: Trouble = 'none';
	aborted = 0;
	readonly store: MemoryTier;
	readonly #clock: VirtualClock;

	constructor(clock: VirtualClock) {
		this.#clock = clock;
		this.store = new MemoryTier(clock.now);
	}

	#send<T>(what: string, operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
		this.log.push(what);
		if (this.trouble === 'throws') throw new Error('no client');
		signal.addEventListener('abort', () => this.aborted++);
		if (this.trouble === 'hangs') return new Promise(() => undefined);
		const { trouble } = this;
		const answer = async () => {
			await this.#clock.sleep(this.ms);
			if (trouble === 'rejects') throw new Error('connection refused');
			const result = await operation();
			await this.#clock.sleep(this.ms);
			return result;
		};
		return answer();
	}

	get = (key: string, signal: AbortSignal): Promise<RemoteAnswer> =>
		this.#send(`get ${key}`, () => this.store.get(key), signal);

	set = (key: string, text: string, ttlMs: number, lease: string, signal: AbortSignal) => {
		this.ttls.push(ttlMs);
		return this.#send(`set ${key}`, () => this.store.set(key, text, ttlMs, lease), signal);
	};

	delete = (key: string, signal: AbortSignal) => this.#send(`delete ${key}`, () => this.store.delete(key), signal);
}

function setup(options: Partial<TieredCacheOptions> = {}) {
	const clock = new VirtualClock();
	const remote = new Network(clock);
	const errors: string[] = [];
	const source = { calls: 0, down: false, ms: 10, rows: new Map([['a', 'a1']]) };
	const load = (key: string) => async (signal?: AbortSignal) => {
		source.calls++;
		const value = source.rows.get(key);
		const { down } = source;
		await clock.sleep(source.ms, signal);
		if (down) throw new Error('the source is down');
		return value;
	};
	/** A process of its own: its own L1, the same shared tier and source. */
	const process = () => {
		const cache = new TieredCache<string>({
			remote,
			l1Ms: 100,
			l2Ms: 1000,
			missMs: 50,
			jitter: 0,
			clock,
			onError: (error, key) => void errors.push(`${key}: ${error instanceof Error ? error.message : error}`),
			...options,
		});
		const get = (key = 'a', signal?: AbortSignal) => cache.get(key, load(key), signal);
		const write = (value: string, key = 'a', ms = 5) =>
			cache.write(key, async () => {
				await clock.sleep(ms);
				source.rows.set(key, value);
			});
		return { cache, get, write };
	};
	return { clock, remote, errors, source, process, ...process() };
}

describe('tiered-cache', () => {
	it('reads this process, then the shared tier, then the source, and fills both on the way up', async () => {
		const { clock, remote, source, get, process } = setup();
		expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'source' });
		await clock.advance(10);
		expect(remote.log).toEqual(['get a', 'set a']);
		expect(await get()).toMatchObject({ value: 'a1', tier: 'l1', state: 'fresh' });
		const other = process();
		expect(await clock.run(other.get())).toMatchObject({ value: 'a1', tier: 'l2' });
		expect(await other.get()).toMatchObject({ value: 'a1', tier: 'l1' });
		expect([source.calls, remote.log]).toEqual([1, ['get a', 'set a', 'get a']]);
		await clock.advance(100);
		expect(await clock.run(get())).toMatchObject({ tier: 'l2' });
		await clock.advance(1000);
		expect(await clock.run(get())).toMatchObject({ tier: 'source' });
	});

	it('asks the shared tier and the source once for all who ask at the same time', async () => {
		const { clock, remote, source, get } = setup();
		const reads = await clock.run(Promise.all([get(), get(), clock.sleep(8).then(() => get())]));
		expect(reads.map(({ value }) => value)).toEqual(['a1', 'a1', 'a1']);
		expect([source.calls, remote.log.filter((line) => line === 'get a')]).toEqual([1, ['get a']]);
	});

	it('acknowledges a write only when no tier answers with what was there before, whatever reads are under way', async () => {
		const ms = fc.integer({ min: 0, max: 40 });
		await fc.assert(
			fc.asyncProperty(
				fc.record({ remoteMs: fc.integer({ min: 0, max: 12 }), sourceMs: ms, writeAt: ms, commitMs: ms }),
				fc.array(fc.record({ at: ms, process: fc.integer({ min: 0, max: 1 }) }), { maxLength: 8 }),
				async ({ remoteMs, sourceMs, writeAt, commitMs }, reads) => {
					const { clock, remote, source, process } = setup({ staleMs: 500 });
					remote.ms = remoteMs;
					source.ms = sourceMs;
					const processes = [process(), process()];
					const reading = reads.map(async ({ at, process }) => {
						await clock.sleep(at);
						await processes[process]?.get();
					});
					const writing = async () => {
						await clock.sleep(writeAt);
						expect(await processes[0]?.write('a2', 'a', commitMs)).toEqual({ result: undefined, invalidated: true });
						expect(remote.store.peek('a')?.text ?? '"a2"').toContain('"a2"');
						expect(await processes[0]?.get()).toMatchObject({ value: 'a2' });
					};
					await clock.run(Promise.all([writing(), ...reading]));
					// What was read before the write must not arrive in a tier after it either.
					await clock.advance(100);
					expect(remote.store.peek('a')?.text).toContain('"a2"');
					expect((await clock.run(processes[0]?.get() ?? Promise.reject())).value).toBe('a2');
				},
			),
			{ numRuns: 60 },
		);
	});

	it('empties the shared tier first, so that this process cannot fetch the old value from it again', async () => {
		for (const idle of [20, 120]) {
			const { clock, remote, get, write } = setup({ l1Ms: 100 });
			await clock.run(get());
			await clock.advance(idle);
			// The deletion is slow, and these reads overtake it while L2 still answers with the old value.
			remote.ms = 10;
			const writing = write('a2', 'a', 0);
			const reads = [1, 4, 8].map(async (at) => {
				await clock.sleep(at);
				remote.ms = 1;
				expect(await get()).toMatchObject({ value: 'a1' });
			});
			await clock.run(Promise.all([writing, ...reads]));
			expect(await clock.run(get())).toMatchObject({ value: 'a2', tier: 'source' });
		}
	});

	it('does not let a process fill in what it has read before the write of another', async () => {
		const { clock, remote, source, process } = setup();
		const [slow, writer, late] = [process(), process(), process()];
		source.ms = 100;
		const reading = slow.get();
		await clock.advance(50);
		await clock.run(writer.write('a2'));
		expect(await clock.run(reading)).toMatchObject({ value: 'a1', tier: 'source' });
		await clock.advance(50);
		expect(remote.store.peek('a')).toBeUndefined();
		expect(await clock.run(late.get())).toMatchObject({ value: 'a2', tier: 'source' });
	});

	it('invalidates after a commit that threw too, since it may have happened', async () => {
		const { clock, source, cache, get } = setup();
		await clock.run(get());
		await clock.advance(10);
		const writing = cache.write('a', async () => {
			source.rows.set('a', 'a2');
			throw new Error('timed out after the commit');
		});
		await expect(clock.run(writing)).rejects.toThrow('timed out after the commit');
		expect(await clock.run(get())).toMatchObject({ value: 'a2', tier: 'source' });
		await clock.advance(10);
		const throwing = cache.write('a', () => {
			source.rows.set('a', 'a3');
			throw new Error('at once');
		});
		await expect(clock.run(throwing)).rejects.toThrow('at once');
		expect(await clock.run(get())).toMatchObject({ value: 'a3', tier: 'source' });
	});

	it('remembers briefly in both tiers that there is no such thing', async () => {
		const { clock, source, get, process, remote } = setup({ staleMs: 500, staleIfErrorMs: 500 });
		expect(await clock.run(get('none'))).toMatchObject({ value: undefined, tier: 'source' });
		await clock.advance(10);
		expect(await get('none')).toMatchObject({ value: undefined, tier: 'l1', state: 'fresh' });
		expect(await clock.run(process().get('none'))).toMatchObject({ value: undefined, tier: 'l2' });
		expect([source.calls, remote.ttls]).toEqual([1, [50]]);
		source.rows.set('none', 'now there');
		await clock.advance(50);
		expect(await clock.run(get('none'))).toMatchObject({ value: 'now there', tier: 'source' });
		expect(remote.ttls).toEqual([50, 1000]);
	});

	it('never remembers an error, in no tier', async () => {
		const { clock, remote, source, errors, get } = setup();
		source.down = true;
		await expect(clock.run(Promise.all([get(), get()]))).rejects.toThrow('the source is down');
		await clock.advance(10);
		expect([remote.log, remote.store.peek('a'), source.calls]).toEqual([['get a'], undefined, 1]);
		expect(errors).toEqual(['a: the source is down']);
		source.down = false;
		expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'source' });
	});

	it('shortens each lifetime by a random share, so that what was filled together does not end together', async () => {
		const draws = [0, 0.5, 0.999];
		let draw = 0;
		const { clock, remote, get } = setup({ jitter: 0.4, random: () => draws[draw++ % 3] ?? 0 });
		for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
			await clock.run(get(key));
			await clock.advance(10);
		}
		// Two draws for each key, L1 and L2; b to f do not exist and live for missMs.
		expect(remote.ttls[0]).toBeGreaterThan(600);
		for (const ttl of remote.ttls.slice(1)) expect(ttl).toBeGreaterThan(30);
		for (const ttl of remote.ttls.slice(1)) expect(ttl).toBeLessThanOrEqual(50);
		expect(new Set(remote.ttls.slice(1)).size).toBeGreaterThan(1);

		const ends = new Set<number>();
		for (const share of [0, 0.5, 0.999]) {
			const one = setup({ jitter: 0.4, random: () => share });
			await one.clock.run(one.get());
			const loaded = one.clock.now() - 14;
			while ((await one.clock.run(one.get())).tier === 'l1') await one.clock.advance(1);
			ends.add(Math.round((one.clock.now() - loaded) / 10));
		}
		expect(ends.size).toBe(3);
	});

	it('goes on with the source when the shared tier is down, hangs or holds nonsense, and no longer than its time limit', async () => {
		for (const trouble of ['rejects', 'throws', 'hangs'] as const) {
			const { clock, remote, errors, get } = setup({ remoteTimeoutMs: 20 });
			remote.trouble = trouble;
			expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'source' });
			expect(clock.now()).toBe({ rejects: 12, throws: 10, hangs: 30 }[trouble]);
			expect(errors).toHaveLength(1);
			expect(remote.aborted).toBe(trouble === 'hangs' ? 1 : 0);
			expect(await get()).toMatchObject({ tier: 'l1' });
			expect(remote.log).toEqual(['get a']);
			expect(clock.pending).toBe(0);
		}
		for (const text of ['{', 'null', '"a"', '[]', '[1]', '{"price":1}']) {
			const { clock, remote, errors, get } = setup();
			const answer = await remote.store.get('a');
			await remote.store.set('a', text, 1000, 'lease' in answer ? answer.lease : '');
			expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'source' });
			expect(errors).toHaveLength(1);
		}
	});

	it('gives its value to the reader without waiting for the shared tier to take it', async () => {
		const { clock, remote, source, errors, get } = setup({ remoteTimeoutMs: 20 });
		source.ms = 0;
		const reading = get();
		await clock.advance(3);
		remote.trouble = 'hangs';
		expect(await clock.run(reading)).toMatchObject({ value: 'a1', tier: 'source' });
		expect(clock.now()).toBe(4);
		await clock.advance(20);
		expect(errors).toEqual(['a: the shared tier did not answer in 20 ms']);
		expect(clock.pending).toBe(0);
	});

	it('goes round the shared tier for a key that it could not be told to drop, until it could or the old value has died', async () => {
		const { clock, remote, get, write } = setup({ l1Ms: 20 });
		await clock.run(get());
		await clock.advance(10);
		remote.trouble = 'rejects';
		expect(await clock.run(write('a2'))).toEqual({ result: undefined, invalidated: false });
		expect(await clock.run(get())).toMatchObject({ value: 'a2', tier: 'source' });
		// Back again, with the old value: it is dropped before it is asked.
		remote.trouble = 'none';
		expect(remote.store.peek('a')?.text).toContain('a1');
		await clock.advance(30);
		expect(await clock.run(get())).toMatchObject({ value: 'a2', tier: 'source' });
		await clock.advance(30);
		expect(remote.store.peek('a')?.text).toContain('a2');
		expect(await clock.run(get())).toMatchObject({ value: 'a2', tier: 'l2' });

		remote.trouble = 'rejects';
		await clock.run(write('a3'));
		await clock.advance(2000);
		remote.trouble = 'none';
		remote.log.length = 0;
		expect(await clock.run(get())).toMatchObject({ value: 'a3', tier: 'source' });
		expect(remote.log[0]).toBe('get a');
	});

	it('trusts the shared tier with no key when there are too many that it could not be told of', async () => {
		const { clock, remote, source, get, write } = setup({ maxEntries: 2, l1Ms: 0 });
		for (const key of ['a', 'b', 'c']) source.rows.set(key, `${key}1`);
		for (const key of ['a', 'b', 'c']) await clock.run(get(key));
		await clock.advance(10);
		remote.trouble = 'rejects';
		for (const key of ['a', 'b', 'c']) await clock.run(write(`${key}2`, key));
		remote.trouble = 'none';
		for (const key of ['a', 'b', 'c'])
			expect(await clock.run(get(key))).toMatchObject({ value: `${key}2`, tier: 'source' });
		await clock.advance(2000);
		await clock.run(get('a'));
		await clock.advance(10);
		expect(await clock.run(get('a'))).toMatchObject({ value: 'a2', tier: 'l2' });
	});

	it('serves stale values of this process while it renews them, if told to', async () => {
		const { clock, source, get } = setup({ staleMs: 500, staleIfErrorMs: 2000 });
		await clock.run(get());
		await clock.advance(120);
		expect(await get()).toMatchObject({ value: 'a1', tier: 'l1', state: 'stale' });
		await clock.advance(1500);
		source.down = true;
		expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'l1', state: 'stale-if-error' });
	});

	it('lets a caller leave without harm to others, and does not load for nobody', async () => {
		const { clock, source, get } = setup();
		const leaver = new AbortController();
		const leaving = get('a', leaver.signal);
		const staying = get();
		leaver.abort(new Error('left'));
		await expect(leaving).rejects.toThrow('left');
		expect(await clock.run(staying)).toMatchObject({ value: 'a1' });
		const alone = new AbortController();
		const abandoned = get('b', alone.signal);
		alone.abort(new Error('left'));
		await expect(abandoned).rejects.toThrow('left');
		await clock.advance(50);
		expect(source.calls).toBe(1);
	});

	it('answers though the log is broken, and leaves no rejection behind', async () => {
		const unhandled: unknown[] = [];
		const listen = (reason: unknown) => void unhandled.push(reason);
		globalThis.process.on('unhandledRejection', listen);
		const broken = () => {
			throw new Error('the log is down');
		};
		const { clock, remote, get, source, cache } = setup({ onError: broken });
		clock.after(8, () => {
			remote.trouble = 'rejects';
		});
		// Asking works and filling fails, behind the reader's back.
		expect(await clock.run(get())).toMatchObject({ value: 'a1', tier: 'source' });
		await clock.advance(50);
		expect(await clock.run(cache.invalidate('a'))).toBe(false);
		source.down = true;
		await expect(clock.run(get())).rejects.toThrow('the source is down');
		await new Promise((resolve) => setImmediate(resolve));
		globalThis.process.off('unhandledRejection', listen);
		expect(unhandled).toEqual([]);
	});

	it('refuses options that make no sense', () => {
		expect(() => setup({ l1Ms: -1 })).toThrow('l1Ms must be at least 0');
		for (const remoteTimeoutMs of [2 ** 31, Number.POSITIVE_INFINITY])
			expect(() => setup({ remoteTimeoutMs })).toThrow('remoteTimeoutMs must be below 2^31');
		expect(() => setup({ missMs: Number.NaN })).toThrow('missMs must be at least 0');
		for (const jitter of [-0.1, 1, Number.NaN]) expect(() => setup({ jitter })).toThrow('jitter must be at least 0');
	});
});

describe('tiered-cache scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, { l1: [120, 200, 500], readers: [2, 3, 5], trouble: ['none', 'down', 'hangs'] });
	});

	it('brings old values back and fails with the shared tier when the pattern is off', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.once, rules.write, rules.miss, rules.down]));
		expect((await playScenario(demo, { pattern: false, trouble: 'hangs' })).broken).toContain(rules.down);
	});
});
