import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../../library/scenario.ts';
import { axisTicks, stopsOf, timeScale } from './scale.ts';

const at = (...times: number[]) => ({
	events: times.map((t): TimelineEvent => ({ t, lane: 'a', kind: 'ok', label: 'x' })),
	checks: [],
	end: Math.max(...times),
});
const every = (step: number, count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i * step);

describe('timeScale', () => {
	it('is straight while things happen evenly', () => {
		const scale = timeScale(at(...every(100, 11)));
		expect(scale.folds).toEqual([]);
		expect(scale.place(250)).toBeCloseTo(0.25);
		expect(scale.time(0.25)).toBeCloseTo(250);
	});

	it('folds a minute of sleep between things that take milliseconds', () => {
		const scale = timeScale(at(...every(10, 10), ...every(10, 10, 60_000)));
		expect(scale.folds).toHaveLength(1);
		expect(scale.folds[0]).toMatchObject({ from: 90, to: 60_000 });
		const [fold] = scale.folds;
		expect((fold?.right ?? 1) - (fold?.left ?? 0)).toBeLessThan(0.1);
	});

	it('folds nothing for a few long stretches among equals', () => {
		expect(timeScale(at(0, 100, 400, 500, 900)).folds).toEqual([]);
	});

	it('rises strictly and is undone by time(), whatever happens when', () => {
		const times = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 2, maxLength: 40 });
		fc.assert(
			fc.property(times, (given) => {
				const recording = at(0, ...given);
				const scale = timeScale(recording);
				const stops = stopsOf(recording);
				const places = stops.map(scale.place);
				for (let i = 1; i < places.length; i++) expect(places[i]).toBeGreaterThan(places[i - 1] ?? 0);
				for (const stop of stops) expect(scale.time(scale.place(stop))).toBeCloseTo(stop, 3);
				if (recording.end > 0) expect([places[0], places.at(-1)]).toEqual([0, expect.closeTo(1)]);
			}),
			{ numRuns: 200 },
		);
	});
});

describe('axisTicks', () => {
	it('stands at round times, no closer than asked', () => {
		const ticks = axisTicks(timeScale(at(...every(37, 28))), 0.1);
		expect(ticks.map(({ t }) => t)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
	});

	it('leaves folds alone', () => {
		const scale = timeScale(at(...every(10, 10), ...every(10, 10, 60_000)));
		const ticks = axisTicks(scale, 0.1);
		expect(ticks.filter(({ t }) => t > 90 && t < 60_000)).toEqual([]);
		for (let i = 1; i < ticks.length; i++) {
			expect((ticks[i]?.place ?? 0) - (ticks[i - 1]?.place ?? 0)).toBeGreaterThanOrEqual(0.1);
		}
	});

	it('survives a recording in which nothing happens', () => {
		expect(axisTicks(timeScale({ events: [], checks: [], end: 0 }), 0.1)).toEqual([{ t: 0, place: 0 }]);
	});
});
