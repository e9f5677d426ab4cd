import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
	type Control,
	controlValues,
	type Demo,
	type InvariantCheck,
	isCheck,
	PATTERN_SWITCH,
	type TimelineEvent,
} from '../library/scenario.ts';
import { VirtualClock } from '../library/virtual-clock.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scenarioOf = (id: string) => join(root, 'library', id, `${id}.demo.ts`);
const ids = readdirSync(join(root, 'library')).filter((id) => existsSync(scenarioOf(id)));

/** More lanes than this are no story that an eye can follow. Without the pattern a run may sprawl: that is its point. */
const MOST_LANES = 8;
const MOST_LANES_WITHOUT = 24;
const MOST_EVENTS = 120;

interface Run {
	events: TimelineEvent[];
	checks: InvariantCheck[];
	end: number;
	pending: number;
}

async function run(demo: Demo, given: Record<string, unknown>): Promise<Run> {
	const clock = new VirtualClock();
	const events: TimelineEvent[] = [];
	const checks: InvariantCheck[] = [];
	const emit = (item: TimelineEvent | InvariantCheck) =>
		isCheck(item) ? void checks.push(item) : void events.push(item);
	await clock.run(demo.run(controlValues(demo.controls, given), emit, clock));
	return { events, checks, end: clock.now(), pending: clock.pending };
}

/** Every value at the edge of a control: both of a switch, each option of a list, both ends of a number. */
function edges(control: Control): (boolean | number | string)[] {
	if (control.kind === 'switch') return [true, false];
	if (control.kind === 'number') return [control.min, control.max];
	return control.options.map(({ value }) => value);
}

/** The rules on a pattern's card; undefined while it has none. */
function rulesOf(id: string): string[] | undefined {
	const file = join(root, 'registry/registry.json');
	if (!existsSync(file)) return undefined;
	const { patterns }: { patterns: { id: string; invariants?: (string | { rule: string })[] }[] } = JSON.parse(
		readFileSync(file, 'utf8'),
	);
	const card = patterns.find((pattern) => pattern.id === id);
	return card?.invariants?.map((invariant) => (typeof invariant === 'string' ? invariant : invariant.rule));
}

const broken = (checks: readonly InvariantCheck[]) =>
	checks.filter(({ ok }) => !ok).map(({ rule, detail }) => `${rule} (${detail})`);

describe('scenarios', () => {
	it('there are some', () => {
		expect(ids.length).toBeGreaterThan(0);
	});

	it('run in a browser: nothing that they import is of Node', async () => {
		const { metafile } = await build({
			absWorkingDir: root,
			entryPoints: ids.map(scenarioOf),
			outdir: join(root, 'dist/never-written'),
			...{ bundle: true, write: false, metafile: true, platform: 'browser', format: 'esm', logLevel: 'silent' },
		});
		const outside = Object.values(metafile.inputs)
			.flatMap(({ imports }) => imports)
			.filter(({ external }) => external);
		expect(outside.map(({ path }) => path)).toEqual([]);
		expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('library/'))).toEqual([]);
	});
});

describe.each(ids)('scenario %s', async (id) => {
	const { demo }: { demo: Demo } = await import(pathToFileURL(scenarioOf(id)).href);
	const others = demo.controls.filter((control) => control.id !== PATTERN_SWITCH);
	const runs = { with: await run(demo, { pattern: true }), without: await run(demo, { pattern: false }) };
	const both = Object.entries(runs);

	it('says what it shows, and has the switch', () => {
		expect(demo.title).not.toBe('');
		const rule = '`about` says in more than 60 characters what the scenario shows and what to watch';
		expect(demo.about.length, rule).toBeGreaterThan(60);
		expect(demo.controls.find((control) => control.id === PATTERN_SWITCH)).toMatchObject({
			kind: 'switch',
			value: true,
		});
		expect(new Set(demo.controls.map((control) => control.id)).size).toBe(demo.controls.length);
		// The address of a showcase uses `t` for the playhead.
		expect(demo.controls.map((control) => control.id)).not.toContain('t');
	});

	it('keeps every rule with the pattern', () => {
		expect(runs.with.checks.length).toBeGreaterThan(0);
		expect(broken(runs.with.checks)).toEqual([]);
	});

	it('keeps every rule at the edges of every control', async () => {
		for (const control of others) {
			for (const value of edges(control)) {
				const { checks, pending } = await run(demo, { [control.id]: value });
				expect(broken(checks), `${control.id} = ${value}`).toEqual([]);
				expect(checks.length, `${control.id} = ${value}`).toBeGreaterThan(0);
				expect(pending, `timers left at ${control.id} = ${value}`).toBe(0);
			}
		}
	});

	it('breaks a rule without the pattern, and checks no others', () => {
		expect(broken(runs.without.checks).length).toBeGreaterThan(0);
		const known = new Set(runs.with.checks.map(({ rule }) => rule));
		expect(runs.without.checks.filter(({ rule }) => !known.has(rule))).toEqual([]);
	});

	it('checks rules of its card, each once', ({ skip }) => {
		const rules = rulesOf(id);
		if (!rules) return skip(`${id} has no card yet`);
		const checked = runs.with.checks.map(({ rule }) => rule);
		expect(checked.filter((rule) => !rules.includes(rule))).toEqual([]);
		expect(new Set(checked).size).toBe(checked.length);
	});

	it.each(both)('%s the pattern: times are sane and lanes are few', (name, { events, end }) => {
		const wrong = events.filter(({ t, until = t }) => !(t >= 0 && until >= t && Number.isFinite(until)));
		expect(wrong).toEqual([]);
		expect(end).toBeGreaterThan(0);
		expect(events.length).toBeGreaterThan(3);
		expect(events.length).toBeLessThanOrEqual(MOST_EVENTS);
		expect(events.filter(({ label, lane }) => label === '' || lane === '')).toEqual([]);
		const lanes = new Set(events.map(({ lane }) => lane));
		expect(lanes.size).toBeLessThanOrEqual(name === 'with' ? MOST_LANES : MOST_LANES_WITHOUT);
	});

	it.each(both)('%s the pattern: nothing is left on the clock', (_name, { pending }) => {
		expect(pending).toBe(0);
	});

	it('is the same every time', async () => {
		expect(await run(demo, { pattern: true })).toEqual(runs.with);
	});
});
