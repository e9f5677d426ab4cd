import type { TimelineEvent } from '../../../library/scenario.ts';
import { endOf, type Recording } from './recorder.ts';
import { stopsOf } from './scale.ts';

/** How an event stands to the playhead: not begun, begun with its outcome open, known. */
export type Phase = 'future' | 'active' | 'past';

/** A moment of a recording: what a viewer sees at one time of the playhead. */
export interface Moment {
	at: number;
	/** One for each event, in their order. */
	phases: Phase[];
	/** How many of the checks have come, in the order of time. */
	checks: number[];
	/** The event that happened last, by when it was known; undefined before the first. */
	latest: number | undefined;
	/** How many other events stand at the very same time as the latest. */
	beside: number;
}

/** What is to be seen at a time. At the end everything is known, also what lies at the end itself. */
export function momentAt(recording: Recording, time: number): Moment {
	const at = Math.min(recording.end, Math.max(0, time));
	const phases = recording.events.map((event) => phaseOf(event, at));
	const checks = recording.checks.flatMap((check, index) => (check.at <= at ? [index] : []));
	let latest: number | undefined;
	let beside = 0;
	let known = Number.NEGATIVE_INFINITY;
	recording.events.forEach((event, index) => {
		const when = endOf(event) <= at ? endOf(event) : event.t <= at ? event.t : undefined;
		if (when === undefined || when < known) return;
		beside = when === known ? beside + 1 : 0;
		known = when;
		latest = index;
	});
	return { at, phases, checks, latest, beside };
}

function phaseOf(event: TimelineEvent, at: number): Phase {
	if (event.t > at) return 'future';
	return endOf(event) <= at ? 'past' : 'active';
}

/** The next time at which something happens, or the end. */
export function nextStop(recording: Recording, at: number): number {
	return stopsOf(recording).find((stop) => stop > at) ?? recording.end;
}

/** The last time before `at` at which something happened, or the beginning. */
export function previousStop(recording: Recording, at: number): number {
	return stopsOf(recording).findLast((stop) => stop < at) ?? 0;
}

/**
 * How long a run plays at speed 1, in real milliseconds: long enough to read along, whatever the scenario's own time.
 * The playhead crosses the drawing evenly, so folded stretches pass as quickly as they are short.
 */
export function playingTime(recording: Recording): number {
	return Math.min(18_000, Math.max(5000, stopsOf(recording).length * 320));
}
