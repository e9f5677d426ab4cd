import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, rules } from './stale-while-revalidate.demo.ts';
import { StaleWhileRevalidate, type StaleWhileRevalidateOptions } from './stale-while-revalidate.ts';

const lifetimes = { freshMs: 100, staleMs: 200, staleIfErrorMs: 500 };

/** A cache in front of a source that takes 20 ms, counts its calls and answers with its version at the time of the call. */
function setup(options: Partial<StaleWhileRevalidateOptions<string, string>> = {}) {
	const clock = new VirtualClock();
	const errors: string[] = [];
	const cache = new StaleWhileRevalidate<string>({
		lifetimes,
		now: clock.now,
		onError: (error, key) => void errors.push(`${key}: ${error instanceof Error ? error.message : error}`),
		...options,
	});
	const source = { calls: 0, version: 1, down: false, ms: 20, aborted: 0 };
	const load = async (signal: AbortSignal) => {
		source.calls++;
		const { version, down } = source;
		signal.addEventListener('abort', () => source.aborted++);
		await clock.sleep(source.ms, signal);
		if (down) throw new Error('the source is down');
		return `v${version}`;
	};
	const get = (key = 'key', signal?: AbortSignal) => cache.get(key, load, signal);
	/** The outcome of a get that must not wait: whatever has settled without time passing. */
	const instantly = async (key = 'key') => {
		const before = clock.now();
		const result = await get(key);
		expect(clock.now()).toBe(before);
		return result;
	};
	return { clock, cache, source, errors, load, get, instantly };
}

describe('stale-while-revalidate', () => {
	it('serves a fresh value without a call, up to the very end of freshness', async () => {
		const { clock, source, get, instantly } = setup();
		expect(await clock.run(get())).toEqual({ value: 'v1', state: 'loaded', ageMs: 20 });
		await clock.advance(79);
		expect(await instantly()).toEqual({ value: 'v1', state: 'fresh', ageMs: 99 });
		expect(source.calls).toBe(1);
		await clock.advance(1);
		expect((await instantly()).state).toBe('stale');
		expect(source.calls).toBe(2);
	});

	it('serves a stale value at once and renews it with one load, however many ask', async () => {
		const { clock, source, get, instantly } = setup();
		await clock.run(get());
		source.version = 2;
		await clock.advance(100);
		for (let n = 0; n < 5; n++) expect(await instantly()).toEqual({ value: 'v1', state: 'stale', ageMs: 120 });
		await clock.advance(19);
		expect(await instantly()).toMatchObject({ value: 'v1', state: 'stale' });
		expect(source.calls).toBe(2);
		await clock.advance(1);
		expect(await instantly()).toEqual({ value: 'v2', state: 'fresh', ageMs: 20 });
		expect(source.calls).toBe(2);
	});

	it('waits for one new load past the window, shared by all who ask', async () => {
		const { clock, source, get, instantly } = setup();
		await clock.run(get());
		source.version = 2;
		await clock.advance(279);
		expect((await instantly()).state).toBe('stale');
		await clock.advance(20);
		const { ageMs } = await instantly();
		expect(ageMs).toBe(20);
		await clock.advance(280);
		const all = await clock.run(Promise.all([get(), get(), clock.sleep(5).then(() => get())]));
		expect(all).toEqual(Array(3).fill({ value: 'v2', state: 'loaded', ageMs: 20 }));
		expect(source.calls).toBe(3);
	});

	it('keeps the stale value when renewing it fails, and serves it until stale-if-error ends', async () => {
		const { clock, source, errors, get, instantly } = setup();
		await clock.run(get());
		source.down = true;
		await clock.advance(130);
		expect(await instantly()).toMatchObject({ value: 'v1', state: 'stale' });
		await clock.advance(20);
		expect(errors).toEqual(['key: the source is down']);
		expect(await instantly()).toMatchObject({ value: 'v1', state: 'stale' });
		await clock.advance(150);
		// Past the window each caller waits for a load, and gets the old value when that has failed.
		expect(await clock.run(get())).toEqual({ value: 'v1', state: 'stale-if-error', ageMs: 340 });
		await clock.advance(239);
		expect(await clock.run(get())).toEqual({ value: 'v1', state: 'stale-if-error', ageMs: 599 });
		await expect(clock.run(get())).rejects.toThrow('the source is down');
		source.down = false;
		expect(await clock.run(get())).toMatchObject({ value: 'v1', state: 'loaded' });
		source.down = true;
		await clock.advance(560);
		// This load fails when the value is 600 ms old, to the millisecond the end of what it may serve.
		await expect(clock.run(get())).rejects.toThrow('the source is down');
	});

	it('tries to renew again after a failure, one load at a time', async () => {
		const { clock, source, get, instantly } = setup();
		await clock.run(get());
		source.down = true;
		await clock.advance(100);
		for (let n = 0; n < 10; n++) {
			await instantly();
			await clock.advance(10);
		}
		expect(source.calls).toBe(1 + 5);
	});

	it('throws the error of a load when nothing may be served in its place, and remembers no error', async () => {
		const { clock, source, cache, get } = setup();
		source.down = true;
		await expect(clock.run(get())).rejects.toThrow('the source is down');
		expect(cache.size).toBe(0);
		source.down = false;
		expect(await clock.run(get())).toMatchObject({ value: 'v1', state: 'loaded' });
		await expect(
			cache.get('other', () => {
				throw new Error('at once');
			}),
		).rejects.toThrow('at once');
	});

	it('discards the result of a load that was under way when the key was invalidated', async () => {
		const { clock, cache, source, get, instantly } = setup();
		await clock.run(get());
		await clock.advance(100);
		await instantly();
		await clock.advance(10);
		source.version = 2;
		cache.invalidate('key');
		await clock.advance(15);
		expect(cache.size).toBe(0);
		expect(await clock.run(get())).toMatchObject({ value: 'v2', state: 'loaded' });
		expect(source.calls).toBe(3);
	});

	it('starts a new load for those who ask after an invalidation, and lets the old one neither answer them nor overwrite theirs', async () => {
		const { clock, cache, source, get, instantly } = setup();
		source.ms = 50;
		const before = get();
		await clock.advance(10);
		source.version = 2;
		source.ms = 10;
		cache.invalidate('key');
		const after = get();
		expect(await clock.run(after)).toMatchObject({ value: 'v2' });
		expect(await clock.run(before)).toMatchObject({ value: 'v1' });
		expect(await instantly()).toMatchObject({ value: 'v2', state: 'fresh' });
		expect(source.calls).toBe(2);

		// The other way round: the old load ends while the new one is still under way.
		cache.invalidate('key');
		const older = get();
		source.version = 3;
		source.ms = 50;
		cache.invalidate('key');
		const newer = get();
		expect(await clock.run(older)).toMatchObject({ value: 'v2' });
		expect(cache.size).toBe(0);
		expect(await clock.run(Promise.all([newer, get()]))).toMatchObject([{ value: 'v3' }, { value: 'v3' }]);
	});

	it('does not serve an invalidated value in place of an error', async () => {
		const { clock, cache, source, get } = setup();
		await clock.run(get());
		source.down = true;
		await clock.advance(300);
		const waiting = get();
		await clock.advance(10);
		cache.invalidate('key');
		await expect(clock.run(waiting)).rejects.toThrow('the source is down');
	});

	it('counts age from the beginning of the load, so that a slow load does not make its value look younger', async () => {
		const { clock, source, get, instantly } = setup();
		source.ms = 90;
		const first = get();
		await clock.advance(50);
		const joined = get();
		expect(await clock.run(Promise.all([first, joined]))).toEqual(
			Array(2).fill({ value: 'v1', state: 'loaded', ageMs: 90 }),
		);
		await clock.advance(9);
		expect(await instantly()).toMatchObject({ state: 'fresh', ageMs: 99 });
		await clock.advance(1);
		expect(await instantly()).toMatchObject({ state: 'stale', ageMs: 100 });
	});

	it('lets a caller leave without harm to the renewal or to others, and does not answer it with an old value', async () => {
		const { clock, source, get, instantly } = setup();
		await clock.run(get());
		await clock.advance(100);
		source.version = 2;
		const reader = new AbortController();
		await get('key', reader.signal);
		reader.abort(new Error('left'));
		await clock.advance(20);
		expect(source.aborted).toBe(0);
		expect(await instantly()).toMatchObject({ value: 'v2', state: 'fresh' });

		await clock.advance(400);
		const leaver = new AbortController();
		const leaving = get('key', leaver.signal);
		const staying = get();
		leaver.abort(new Error('left'));
		await expect(leaving).rejects.toThrow('left');
		expect(await clock.run(staying)).toMatchObject({ value: 'v2', state: 'loaded' });
		expect(source.aborted).toBe(0);
		await expect(get('key', leaver.signal)).rejects.toThrow('left');
	});

	it('aborts a load that everyone who waited has left, and reports no error for it', async () => {
		const { clock, source, errors, get } = setup();
		const caller = new AbortController();
		const leaving = get('key', caller.signal);
		caller.abort(new Error('left'));
		await expect(leaving).rejects.toThrow('left');
		await clock.advance(50);
		expect([source.aborted, errors]).toEqual([1, []]);
		expect(await clock.run(get())).toMatchObject({ value: 'v1', state: 'loaded' });
	});

	it('reports a failed renewal to onError once, and never as an unhandled rejection', async () => {
		const unhandled: unknown[] = [];
		const listen = (reason: unknown) => void unhandled.push(reason);
		process.on('unhandledRejection', listen);
		const { clock, source, errors, get } = setup();
		await clock.run(get());
		source.down = true;
		await clock.advance(100);
		await Promise.all([get(), get(), get()]);
		await clock.advance(50);
		await new Promise((resolve) => setImmediate(resolve));
		process.off('unhandledRejection', listen);
		expect(unhandled).toEqual([]);
		expect(errors).toEqual(['key: the source is down']);
	});

	it('throws the error of the load and not that of a broken log', async () => {
		const broken = () => {
			throw new Error('the log is down');
		};
		const { clock, source, get } = setup({ onError: broken });
		source.down = true;
		await expect(clock.run(get())).rejects.toThrow('the source is down');
	});

	it('keeps no more than maxEntries and drops what was not read for longest', async () => {
		const { clock, cache, source, get } = setup({ maxEntries: 2 });
		await clock.run(get('a'));
		await clock.run(get('b'));
		await clock.run(get('a'));
		await clock.run(get('c'));
		expect(cache.size).toBe(2);
		expect(await clock.run(get('a'))).toMatchObject({ state: 'fresh' });
		expect(source.calls).toBe(3);
		expect(await clock.run(get('b'))).toMatchObject({ state: 'loaded' });
	});

	it('lets the value decide how long it lives, and keeps nothing that may not be served', async () => {
		const { clock, cache, source, get } = setup({
			lifetimes: (value) => (value === 'v1' ? { freshMs: 0, staleMs: 0, staleIfErrorMs: 0 } : lifetimes),
		});
		await clock.run(get());
		expect(cache.size).toBe(0);
		source.version = 2;
		await clock.run(get());
		expect(cache.size).toBe(1);
	});

	it('keeps keys apart, and refuses a size that makes no sense', async () => {
		const { clock, cache, get } = setup();
		const other = cache.get('__proto__', async () => 'other');
		await clock.run(Promise.all([get(), other]));
		expect((await get()).value).toBe('v1');
		expect((await other).value).toBe('other');
		for (const maxEntries of [0, 1.5, Number.NaN])
			expect(() => setup({ maxEntries })).toThrow('maxEntries must be an integer of at least 1');
	});
});

describe('stale-while-revalidate scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, {
			fresh: [100, 400, 1000],
			stale: [0, 600, 1500],
			ifError: [0, 1500, 3000],
			latency: [50, 150, 400],
		});
	});

	it('makes readers wait, fails them and brings old values back when the pattern is off', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.stale, rules.error, rules.invalidate]));
	});
});
