/**
 * The contract of a pattern's scenario, `library/<id>/<id>.demo.ts`.
 *
 * A scenario runs the pattern's own code on a virtual clock, in Node and in a browser, and reports what happens as it
 * happens: events on a timeline, and checks of the invariants that the pattern's card states.
 */

/** One input of a scenario. Each renders as one form field; `id` is the key of its value in `run`'s first argument. */
export type Control =
	| { id: string; kind: 'switch'; label: string; value: boolean }
	| { id: string; kind: 'number'; label: string; value: number; min: number; max: number; step: number; unit?: string }
	| { id: string; kind: 'select'; label: string; value: string; options: { value: string; label: string }[] };

/** The value of each control by its id. A missing or mistyped value never reaches a scenario: see `controlValues`. */
export type ControlValues = Record<string, boolean | number | string>;

/**
 * What an event means to someone who looks at the timeline:
 * `start` work begins · `ok` it succeeded · `fail` it failed or was refused wrongly · `wait` it is queued or sleeping ·
 * `reject` it was refused on purpose · `abort` it was cancelled · `state` something changed state · `info` a remark.
 */
export type EventKind = 'start' | 'ok' | 'fail' | 'wait' | 'reject' | 'abort' | 'state' | 'info';

/** Something that happened. `t` and `until` are virtual milliseconds since the scenario began; `until` makes it a span. */
export interface TimelineEvent {
	t: number;
	lane: string;
	kind: EventKind;
	label: string;
	until?: number;
}

/** The verdict on one invariant. `rule` is the rule's text exactly as it stands on the card. */
export interface InvariantCheck {
	rule: string;
	ok: boolean;
	/** What was seen, in a few words: `3 calls reached the server`. */
	detail?: string;
}

export type Emit = (item: TimelineEvent | InvariantCheck) => void;

/** Time as a scenario sees it: virtual, in milliseconds. Real waiting never happens. */
export interface ScenarioClock {
	/** Milliseconds since the scenario began; monotonic. */
	now(): number;
	/** Resolves after `ms` virtual milliseconds; rejects at once with `signal.reason` when aborted. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Calls `callback` after `ms` virtual milliseconds; returns the function that cancels it. */
	after(ms: number, callback: () => void): () => void;
	/** Holds virtual time while real asynchronous work (WebCrypto, say) is pending. */
	external<T>(work: Promise<T>): Promise<T>;
}

/**
 * A scenario. Its controls include the switch `pattern`, on by default: off means "without the pattern", and then the
 * run shows the failure that the pattern prevents, so that at least one check comes out false. With it on, every check
 * holds for every value of the other controls.
 */
export interface Demo {
	title: string;
	/** Two or three sentences: what is simulated, and what to look for. */
	about: string;
	controls: Control[];
	run(controls: ControlValues, emit: Emit, clock: ScenarioClock): Promise<void>;
}

/** The id of the switch that every scenario has. */
export const PATTERN_SWITCH = 'pattern';

/** True for a check, false for an event. */
export function isCheck(item: TimelineEvent | InvariantCheck): item is InvariantCheck {
	return 'rule' in item;
}

/**
 * Completes and bounds control values from anywhere (a URL, a form): unknown keys are dropped, and a value that is
 * missing, mistyped or out of range becomes the control's own.
 */
export function controlValues(
	controls: readonly Control[],
	given: Readonly<Record<string, unknown>> = {},
): ControlValues {
	return Object.fromEntries(controls.map((control) => [control.id, controlValue(control, given[control.id])]));
}

function controlValue(control: Control, given: unknown): boolean | number | string {
	if (control.kind === 'switch') {
		if (given === true || given === 'true' || given === '1') return true;
		if (given === false || given === 'false' || given === '0') return false;
		return control.value;
	}
	if (control.kind === 'number') {
		const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
		if (typeof value !== 'number' || !Number.isFinite(value)) return control.value;
		return Math.min(control.max, Math.max(control.min, value));
	}
	return control.options.some((option) => option.value === given) ? String(given) : control.value;
}
