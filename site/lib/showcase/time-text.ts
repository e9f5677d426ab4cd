/**
 * A virtual time as people read it: `0 ms`, `444 ms`, `1.25 s`, `2 min 22.5 s`. No locale: same input, same text.
 * @param ms milliseconds, not negative
 */
export function timeText(ms: number): string {
	if (ms < 1000) return `${round(ms, 1)} ms`;
	if (ms < 120_000) return `${round(ms / 1000, 2)} s`;
	const minutes = Math.floor(ms / 60_000);
	const seconds = round((ms - minutes * 60_000) / 1000, 1);
	return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** The time of an event: one time, or the two ends of a span. */
export function spanText({ t, until }: { t: number; until?: number }): string {
	return until === undefined || until === t ? timeText(t) : `${timeText(t)} – ${timeText(until)}`;
}

function round(value: number, digits: number): number {
	const factor = 10 ** digits;
	return Math.round(value * factor) / factor;
}
