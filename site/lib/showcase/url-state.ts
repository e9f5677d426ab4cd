import { type Control, type ControlValues, controlValues } from '../../../library/scenario.ts';

/** What a showcase's address says: the controls, and where the playhead stands; no place means the end. */
export interface ShowcaseState {
	values: ControlValues;
	at?: number;
}

/** The parameter of the playhead. A control of this id would be shadowed by it, so there is none. */
export const AT = 't';

/** Reads the state from a query string. What is unknown, mistyped or out of range is the scenario's own default. */
export function readState(controls: readonly Control[], query: string): ShowcaseState {
	const given = new URLSearchParams(query);
	const values = controlValues(controls, Object.fromEntries(given));
	const at = given.get(AT);
	const time = at === null || at.trim() === '' ? Number.NaN : Number(at);
	return Number.isFinite(time) && time >= 0 ? { values, at: time } : { values };
}

/** The query string of a state, beginning with `?`, or empty: only what differs from the defaults is named. */
export function writeState(controls: readonly Control[], { values, at }: ShowcaseState): string {
	const query = new URLSearchParams();
	for (const control of controls) {
		const value = values[control.id];
		if (value !== undefined && value !== control.value) query.set(control.id, String(value));
	}
	if (at !== undefined) query.set(AT, String(Math.round(at * 1000) / 1000));
	const text = query.toString();
	return text === '' ? '' : `?${text}`;
}
