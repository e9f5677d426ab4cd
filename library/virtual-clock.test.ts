import { describe, expect, it } from 'vitest';
import { seededRandom } from './random.ts';
import { controlValues } from './scenario.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('VirtualClock', () => {
	it('fires timers in order of time, then of creation', async () => {
		const clock = new VirtualClock();
		const fired: string[] = [];
		clock.after(20, () => fired.push('late'));
		clock.after(10, () => fired.push('first'));
		clock.after(10, () => fired.push('second'));
		await clock.advance(15);
		expect(fired).toEqual(['first', 'second']);
		await clock.advance(5);
		expect(fired).toEqual(['first', 'second', 'late']);
		expect(clock.now()).toBe(20);
	});

	it('lets the promises that a timer settles run before the next timer', async () => {
		const clock = new VirtualClock();
		const seen: number[] = [];
		const step = async () => {
			await clock.sleep(10);
			await Promise.resolve();
			seen.push(clock.now());
			await clock.sleep(10);
			seen.push(clock.now());
		};
		await clock.run(Promise.all([step(), clock.sleep(15)]));
		expect(seen).toEqual([10, 20]);
	});

	it('rejects a sleep with the reason of its abort and leaves no timer behind', async () => {
		const clock = new VirtualClock();
		const stop = new AbortController();
		const sleep = clock.sleep(1000, stop.signal);
		stop.abort(new Error('stop'));
		await expect(sleep).rejects.toThrow('stop');
		expect(clock.pending).toBe(0);
		await expect(clock.sleep(1, stop.signal)).rejects.toThrow('stop');
	});

	it('holds time while real work is pending', async () => {
		const clock = new VirtualClock();
		const digest = clock.external(crypto.subtle.digest('SHA-256', new Uint8Array(1))).then(() => clock.now());
		const [when] = await clock.run(Promise.all([digest, clock.sleep(50)]));
		expect(when).toBe(0);
	});

	it('refuses a timer of no number of milliseconds', async () => {
		const clock = new VirtualClock();
		expect(() => clock.after(Number.NaN, () => undefined)).toThrow('a number of milliseconds');
		await expect(clock.sleep(Number.NaN)).rejects.toThrow('a number of milliseconds');
	});

	it('says so when work waits for nothing that will come', async () => {
		await expect(new VirtualClock().run(new Promise(() => undefined))).rejects.toThrow('nothing left to wait for');
	});

	it('passes on what the work throws', async () => {
		const clock = new VirtualClock();
		const fail = async () => {
			await clock.sleep(5);
			throw new Error('boom');
		};
		await expect(clock.run(fail())).rejects.toThrow('boom');
	});
});

describe('seededRandom', () => {
	it('repeats for a seed, differs between neighbours and fills [0, 1) evenly', () => {
		const take = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed));
		expect(take(1)).toEqual(take(1));
		expect(take(1)[0]).not.toBeCloseTo(take(2)[0] ?? Number.NaN, 3);
		for (const seed of [0, 1, 2, 42, 2 ** 31]) {
			const sample = take(seed);
			const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length;
			expect(mean).toBeGreaterThan(0.45);
			expect(mean).toBeLessThan(0.55);
			expect(Math.min(...sample)).toBeGreaterThanOrEqual(0);
			expect(Math.max(...sample)).toBeLessThan(1);
		}
	});
});

describe('controlValues', () => {
	const controls = [
		{ id: 'pattern', kind: 'switch', label: 'Pattern', value: true },
		{ id: 'n', kind: 'number', label: 'N', value: 3, min: 1, max: 9, step: 1 },
		{
			id: 'mode',
			kind: 'select',
			label: 'Mode',
			value: 'a',
			options: [
				{ value: 'a', label: 'A' },
				{ value: 'b', label: 'B' },
			],
		},
	] as const;
	const list = controls.map((control) => ({
		...control,
		...('options' in control ? { options: [...control.options] } : {}),
	})) as Parameters<typeof controlValues>[0];

	it('reads strings as a URL carries them and bounds numbers', () => {
		expect(controlValues(list, { pattern: '0', n: '99', mode: 'b' })).toEqual({ pattern: false, n: 9, mode: 'b' });
	});

	it('falls back to the control for anything it cannot read, and drops unknown keys', () => {
		expect(controlValues(list, { pattern: 'maybe', n: '', mode: 'z', extra: 1 })).toEqual({
			pattern: true,
			n: 3,
			mode: 'a',
		});
	});
});
