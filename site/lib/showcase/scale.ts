import { endOf, type Recording } from './recorder.ts';

/** A stretch of time in which nothing happens, drawn shorter than it was. Times in ms, places as shares of the width. */
export interface Fold {
	from: number;
	to: number;
	left: number;
	right: number;
}

/** Where a time stands on the line: strictly rising, straight but for the folds. */
export interface TimeScale {
	end: number;
	folds: Fold[];
	/** The place of a time, from 0 (the beginning) to 1 (the end). Times outside stand at the ends. */
	place(t: number): number;
	/** The time at a place: the inverse of `place`. */
	time(place: number): number;
}

/** A tick of the axis: a round time and its place. */
export interface Tick {
	t: number;
	place: number;
}

/** How much of the line a folded stretch keeps, as a share of what is not folded. */
const FOLDED = 0.07;

/**
 * The scale of a recording. A scenario may sleep for a minute between things that take milliseconds: a stretch without
 * anything in it that is much longer than the usual one, and outweighs half of all shorter ones together, is folded.
 */
export function timeScale(recording: Pick<Recording, 'events' | 'checks' | 'end'>): TimeScale {
	const stops = stopsOf(recording);
	const gaps = stops
		.slice(1)
		.map((to, i) => ({ from: stops[i] ?? 0, to, length: to - (stops[i] ?? 0), folded: false }));
	const lengths = gaps.map(({ length }) => length).sort((a, b) => a - b);
	const usual = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
	let shownTime = recording.end;
	for (const gap of gaps.toSorted((a, b) => b.length - a.length)) {
		const shorter = lengths.filter((length) => length < gap.length).reduce((sum, length) => sum + length, 0);
		gap.folded = gap.length > usual * 8 && gap.length > shorter * 0.5 && gap.length > shownTime * 0.1;
		if (gap.folded) shownTime -= gap.length;
	}
	const plain = gaps.filter(({ folded }) => !folded).reduce((sum, { length }) => sum + length, 0);
	const shown = gaps.map(({ length, folded }) => (folded ? plain * FOLDED : length));
	const total = shown.reduce((sum, length) => sum + length, 0) || 1;
	const places = [0];
	for (const length of shown) places.push((places.at(-1) ?? 0) + length / total);

	return {
		end: recording.end,
		folds: gaps.flatMap(({ from, to, folded }, i) =>
			folded ? [{ from, to, left: places[i] ?? 0, right: places[i + 1] ?? 1 }] : [],
		),
		place: (t) => interpolate(t, stops, places),
		time: (place) => interpolate(place, places, stops),
	};
}

/** Every time at which something begins, ends or is checked, the beginning and the end among them; rising, each once. */
export function stopsOf({ events, checks, end }: Pick<Recording, 'events' | 'checks' | 'end'>): number[] {
	const times = [0, end, ...events.flatMap((event) => [event.t, endOf(event)]), ...checks.map(({ at }) => at)];
	return [...new Set(times)].sort((a, b) => a - b);
}

/**
 * Round times for the axis, none inside a fold and none closer to another than `apart`.
 * @param apart the least distance of two ticks, as a share of the width
 */
export function axisTicks(scale: TimeScale, apart: number): Tick[] {
	const folded = scale.folds.reduce((sum, { from, to }) => sum + to - from, 0);
	const step = roundStep((scale.end - folded) * apart);
	const ticks: Tick[] = [{ t: 0, place: 0 }];
	let from = 0;
	for (const fold of [...scale.folds, { from: scale.end, to: scale.end }]) {
		for (let n = Math.ceil(from / step); n * step <= fold.from; n++) {
			const place = scale.place(n * step);
			if (place - (ticks.at(-1)?.place ?? 0) >= apart) ticks.push({ t: n * step, place });
		}
		from = fold.to;
	}
	return ticks;
}

/** The smallest of 1, 2, 2.5, 5 times a power of ten that is not below `least`; 1 when that is nothing. */
function roundStep(least: number): number {
	if (!(least > 0)) return 1;
	const power = 10 ** Math.floor(Math.log10(least));
	return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= least * 0.999) ?? 10);
}

/** Straight between the points that `from` (rising) and `to` give; the ends hold outside. */
function interpolate(value: number, from: readonly number[], to: readonly number[]): number {
	const last = from.length - 1;
	if (value <= (from[0] ?? 0)) return to[0] ?? 0;
	if (value >= (from[last] ?? 0)) return to[last] ?? 0;
	let low = 0;
	let high = last;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if ((from[middle] ?? 0) <= value) low = middle;
		else high = middle;
	}
	const [a, b, c, d] = [from[low] ?? 0, from[high] ?? 0, to[low] ?? 0, to[high] ?? 0];
	return c + ((value - a) / (b - a || 1)) * (d - c);
}
