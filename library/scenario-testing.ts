/** Runs scenarios in the tests of their patterns, as their showcases do, and holds them to the rules that they check. */
import { expect } from 'vitest';
import {
	type ControlValues,
	controlValues,
	type Demo,
	type InvariantCheck,
	isCheck,
	type TimelineEvent,
} from './scenario.ts';
import { VirtualClock } from './virtual-clock.ts';

/** More events than these are no story that an eye can follow. */
const MOST_EVENTS = 80;

export interface ScenarioRun {
	events: TimelineEvent[];
	checks: InvariantCheck[];
	/** The rules that did not hold. */
	broken: string[];
}

/**
 * Runs a scenario to its end. A timer that is left on the clock, or more events than an eye can follow, fail the test.
 * @param given the values of some controls; the others keep their own
 */
export async function playScenario(demo: Demo, given: ControlValues = {}): Promise<ScenarioRun> {
	const clock = new VirtualClock();
	const events: TimelineEvent[] = [];
	const checks: InvariantCheck[] = [];
	const emit = (item: TimelineEvent | InvariantCheck) =>
		isCheck(item) ? void checks.push(item) : void events.push(item);
	await clock.run(demo.run(controlValues(demo.controls, given), emit, clock));
	expect(clock.pending, `timers left by ${JSON.stringify(given)}`).toBe(0);
	expect(events.length, `events of ${JSON.stringify(given)}`).toBeLessThanOrEqual(MOST_EVENTS);
	return { events, checks, broken: checks.filter(({ ok }) => !ok).map(({ rule }) => rule) };
}

/**
 * Holds a scenario to its rules, with the pattern, for each combination of values: every rule is checked, once, and
 * every check is true. Each run tells a story of at least `fewest` events.
 * @param rules the rules by their names, as the scenario exports them
 * @param values by the id of a control, the values to try
 */
export async function expectEveryRule(
	demo: Demo,
	rules: Readonly<Record<string, string>>,
	values: Readonly<Record<string, readonly ControlValues[string][]>>,
	fewest = 15,
): Promise<void> {
	for (const given of combinations(values)) {
		const { checks, events } = await playScenario(demo, given);
		const what = JSON.stringify(given);
		expect(
			checks.filter(({ ok }) => !ok),
			`broken by ${what}`,
		).toEqual([]);
		expect(checks.map(({ rule }) => rule).sort(), `checked with ${what}`).toEqual(Object.values(rules).sort());
		expect(events.length, `events of ${what}`).toBeGreaterThanOrEqual(fewest);
	}
}

/** Every choice of one value for each control. */
function combinations(values: Readonly<Record<string, readonly ControlValues[string][]>>): ControlValues[] {
	let all: ControlValues[] = [{}];
	for (const [id, choices] of Object.entries(values))
		all = all.flatMap((given) => choices.map((value) => ({ ...given, [id]: value })));
	return all;
}
