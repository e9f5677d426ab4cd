import { describe, expect, it } from 'vitest';
import { momentAt, nextStop, playingTime, previousStop } from './playback.ts';
import type { Recording } from './recorder.ts';

const recording: Recording = {
	values: {},
	events: [
		{ t: 0, lane: 'a', kind: 'start', label: 'begins' },
		{ t: 10, until: 40, lane: 'a', kind: 'ok', label: 'works' },
		{ t: 40, lane: 'b', kind: 'info', label: 'hears' },
	],
	checks: [
		{ rule: 'early', ok: true, at: 20 },
		{ rule: 'late', ok: true, at: 50 },
	],
	end: 50,
};

describe('playback', () => {
	it('knows no outcome of a span before its end', () => {
		expect(momentAt(recording, 5).phases).toEqual(['past', 'future', 'future']);
		expect(momentAt(recording, 10).phases).toEqual(['past', 'active', 'future']);
		expect(momentAt(recording, 39.9).phases).toEqual(['past', 'active', 'future']);
		expect(momentAt(recording, 40).phases).toEqual(['past', 'past', 'past']);
	});

	it('shows a check from the time at which it came', () => {
		expect(momentAt(recording, 19).checks).toEqual([]);
		expect(momentAt(recording, 20).checks).toEqual([0]);
		expect(momentAt(recording, 50).checks).toEqual([0, 1]);
	});

	it('names what happened last, and how much else did at that time', () => {
		expect(momentAt(recording, 5)).toMatchObject({ latest: 0, beside: 0 });
		expect(momentAt(recording, 20)).toMatchObject({ latest: 1, beside: 0 });
		expect(momentAt(recording, 45)).toMatchObject({ latest: 2, beside: 1 });
	});

	it('stays within the recording', () => {
		expect(momentAt(recording, -5).at).toBe(0);
		expect(momentAt(recording, 1e9)).toMatchObject({ at: 50, checks: [0, 1] });
	});

	it('steps to everything that begins, ends or is checked, there and back', () => {
		const forth = [0];
		while ((forth.at(-1) ?? 50) < 50) forth.push(nextStop(recording, forth.at(-1) ?? 0));
		expect(forth).toEqual([0, 10, 20, 40, 50]);
		const back = [50];
		while ((back.at(-1) ?? 0) > 0) back.push(previousStop(recording, back.at(-1) ?? 0));
		expect(back).toEqual(forth.toReversed());
		expect([nextStop(recording, 50), previousStop(recording, 0)]).toEqual([50, 0]);
	});

	it('is the same for the same place, however it was reached', () => {
		const times = [0, 5, 10, 20, 39, 40, 50];
		const forth = times.map((time) => momentAt(recording, time));
		const back = times.toReversed().map((time) => momentAt(recording, time));
		expect(back.toReversed()).toEqual(forth);
		expect(new Set(forth.map((moment) => JSON.stringify(moment))).size).toBe(times.length);
	});

	it('plays for seconds, whatever the time of the scenario', () => {
		expect(playingTime(recording)).toBe(5000);
		const long = {
			...recording,
			events: [...Array(200).keys()].map((t) => ({ t, lane: 'a', kind: 'ok' as const, label: 'x' })),
		};
		expect(playingTime(long)).toBe(18_000);
	});
});
