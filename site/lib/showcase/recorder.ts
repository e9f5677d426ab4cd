import {
	type ControlValues,
	controlValues,
	type Demo,
	type InvariantCheck,
	isCheck,
	type TimelineEvent,
} from '../../../library/scenario.ts';
import { VirtualClock } from '../../../library/virtual-clock.ts';

/** A check with the virtual time at which it came. */
export interface RecordedCheck extends InvariantCheck {
	at: number;
}

/** Everything that a run of a scenario said, from its first event to its end. Times are virtual milliseconds. */
export interface Recording {
	/** The values that the run was given, complete and within bounds. */
	values: ControlValues;
	/** In order of `t`; what came at the same time stands in the order in which it was said. */
	events: TimelineEvent[];
	/** In the order in which they came. */
	checks: RecordedCheck[];
	/** When nothing was left to happen: the last reading of the clock, or a later end of an event. */
	end: number;
	/** Why the scenario did not come to its end. What it had said before is kept. */
	error?: string;
}

/** More than this is a loop and no scenario. */
const MOST_ITEMS = 5000;

/**
 * Runs a scenario to its end on a virtual clock, which takes a few real milliseconds, and returns what it said. Same
 * values, same recording. Never rejects: a scenario that throws has its message in `error`.
 */
export async function record(demo: Demo, given: Readonly<Record<string, unknown>> = {}): Promise<Recording> {
	const values = controlValues(demo.controls, given);
	const clock = new VirtualClock();
	const events: TimelineEvent[] = [];
	const checks: RecordedCheck[] = [];
	let error: string | undefined;
	const emit = (item: TimelineEvent | InvariantCheck) => {
		if (events.length + checks.length >= MOST_ITEMS)
			throw new Error(`the scenario said more than ${MOST_ITEMS} things`);
		if (isCheck(item)) checks.push({ ...item, at: clock.now() });
		else if (isSane(item)) events.push({ ...item });
		else throw new Error(`the event "${item.label}" has no place in time: ${item.t} to ${item.until ?? item.t}`);
	};
	try {
		await clock.run(demo.run(values, emit, clock));
	} catch (thrown) {
		error = thrown instanceof Error ? thrown.message : String(thrown);
	}
	const order = new Map(events.map((event, index) => [event, index]));
	events.sort((a, b) => a.t - b.t || (order.get(a) ?? 0) - (order.get(b) ?? 0));
	const end = Math.max(0, clock.now(), ...events.map(endOf));
	return { values, events, checks, end, ...(error === undefined ? {} : { error }) };
}

/** When the outcome of an event is known: the end of a span, the time of a point. */
export function endOf(event: TimelineEvent): number {
	return event.until ?? event.t;
}

/** Whether every rule was checked and held, and the scenario came to its end. */
export function allHold({ checks, error }: Recording): boolean {
	return error === undefined && checks.length > 0 && checks.every(({ ok }) => ok);
}

function isSane(event: TimelineEvent): boolean {
	return Number.isFinite(event.t) && event.t >= 0 && Number.isFinite(endOf(event)) && endOf(event) >= event.t;
}
