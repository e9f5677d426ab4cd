import { describe, expect, it } from 'vitest';
import type { Demo } from '../../../library/scenario.ts';
import { allHold, record } from './recorder.ts';

const scenario = (run: Demo['run']): Demo => ({
	title: 'A scenario',
	about: 'It is about something.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Pattern', value: true },
		{ id: 'wait', kind: 'number', label: 'Wait', value: 50, min: 0, max: 100, step: 1 },
	],
	run,
});

const plain = scenario(async (controls, emit, clock) => {
	await clock.sleep(Number(controls.wait));
	emit({ t: clock.now(), lane: 'a', kind: 'ok', label: 'second' });
	emit({ t: 0, until: clock.now(), lane: 'b', kind: 'ok', label: 'first' });
	emit({ rule: 'It holds.', ok: true, detail: 'seen' });
	await clock.sleep(60_000);
	emit({ rule: 'It is kept.', ok: controls.pattern === true });
});

describe('recorder', () => {
	it('records events in the order of time, and checks with the time at which they came, without waiting', async () => {
		const began = performance.now();
		const recording = await record(plain);
		expect(performance.now() - began).toBeLessThan(2000);
		expect(recording.events.map(({ label }) => label)).toEqual(['first', 'second']);
		expect(recording.checks).toEqual([
			{ rule: 'It holds.', ok: true, detail: 'seen', at: 50 },
			{ rule: 'It is kept.', ok: true, at: 60_050 },
		]);
		expect(recording).toMatchObject({ end: 60_050, values: { pattern: true, wait: 50 } });
		expect(recording.error).toBeUndefined();
	});

	it('gives the same recording for the same values', async () => {
		expect(await record(plain, { wait: 7 })).toEqual(await record(plain, { wait: '7' }));
	});

	it('keeps what came at the same time in the order in which it was said', async () => {
		const demo = scenario(async (_controls, emit) => {
			for (const label of ['b', 'a', 'c']) emit({ t: 5, lane: 'x', kind: 'info', label });
		});
		expect((await record(demo)).events.map(({ label }) => label)).toEqual(['b', 'a', 'c']);
	});

	it('tells why a scenario did not come to its end, and keeps what it had said', async () => {
		const demo = scenario(async (_controls, emit, clock) => {
			emit({ t: 1, lane: 'x', kind: 'info', label: 'before' });
			await clock.sleep(10);
			throw new Error('out of luck');
		});
		expect(await record(demo)).toMatchObject({ error: 'out of luck', events: [{ label: 'before' }] });
		const stuck = scenario(async (_controls, emit) => {
			emit({ t: 0, lane: 'x', kind: 'wait', label: 'for ever' });
			await new Promise(() => undefined);
		});
		const waiting = await record(stuck);
		expect(waiting).toMatchObject({ events: [{ label: 'for ever' }] });
		expect(waiting.error).toMatch(/nothing left to wait for at 0 ms/);
	});

	it.each([
		['before the beginning', { t: -1 }],
		['at no time', { t: Number.NaN }],
		['ending before it begins', { t: 5, until: 4 }],
		['without end', { t: 5, until: Number.POSITIVE_INFINITY }],
	])('refuses an event %s', async (_name, times) => {
		const demo = scenario(async (_controls, emit) => emit({ ...times, lane: 'x', kind: 'ok', label: 'odd' }));
		expect((await record(demo)).error).toMatch(/the event "odd" has no place in time/);
	});

	it('stops a scenario that never stops talking', async () => {
		const demo = scenario(async (_controls, emit) => {
			for (;;) emit({ t: 0, lane: 'x', kind: 'info', label: 'again' });
		});
		expect((await record(demo)).error).toMatch(/more than 5000 things/);
	});

	it('holds only when every rule was checked true and the scenario ended', async () => {
		expect(allHold(await record(plain))).toBe(true);
		expect(allHold(await record(plain, { pattern: false }))).toBe(false);
		expect(allHold({ values: {}, events: [], checks: [], end: 0 })).toBe(false);
		expect(allHold({ ...(await record(plain)), error: 'no' })).toBe(false);
	});
});
