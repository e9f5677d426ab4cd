import { invariantLine, oneLine, refLine } from './card.ts';
import type { Plan, PlanRequest, PlanStep } from './plan.ts';
import { ANSWER_BUDGET, approximateTokens } from './tokens.ts';

/**
 * A plan as text. `outline` leaves the docs, code, tests and invariants of each step out and counts the invariants, for
 * an agent that fetches the cards it keeps; a plan too long for one answer falls back to it step by step, and says so.
 */
export function renderPlan(plan: Plan, request: PlanRequest, detail: 'full' | 'outline'): string {
	const head = [headline(plan, request)];
	const tail = [...requirementLines(plan, request), ...uncoveredLines(plan), ...lightLines(plan)];
	const outlines = plan.steps.map((step, at) => outlineLines(step, at));
	let left = ANSWER_BUDGET - approximateTokens([...head, ...outlines.flat(), ...tail].join('\n'));
	const cut: string[] = [];
	const steps = plan.steps.map((step, at) => {
		const outline = outlines[at] ?? [];
		if (detail === 'outline') return [...outline, ...withheldInvariants(step)];
		const full = detailLines(step);
		const cost = approximateTokens(full.join('\n'));
		if (cost > left) {
			cut.push(step.record.id);
			return [...outline, ...withheldInvariants(step)];
		}
		left -= cost;
		return [...outline, ...full];
	});
	if (cut.length > 0) {
		tail.push(
			'',
			`Shown as an outline for length: ${cut.join(', ')}. Read them with get_pattern {"ids": ${JSON.stringify(cut)}}`,
		);
	} else if (detail === 'outline' && plan.steps.length > 0) {
		const ids = JSON.stringify(plan.steps.map(({ record }) => record.id));
		tail.push(
			'',
			`Before you port a step, read its rules: get_pattern {"ids": ${ids}, "sections": ["invariants", "code", "tests"]}`,
		);
	}
	return [...head, ...steps.flatMap((lines) => ['', ...lines]), ...tail].join('\n');
}

function headline(plan: Plan, request: PlanRequest): string {
	const asked = count(request.capabilities.length, 'capability', 'capabilities');
	if (plan.steps.length === 0) return `No plan: no deep card answers any of the ${asked}.`;
	return `Plan for ${asked}: ${count(plan.steps.length, 'step', 'steps')}, each after those that it builds on. Curated facts, not a second opinion: drop what does not fit.`;
}

function outlineLines(step: PlanStep, at: number): string[] {
	const { record } = step;
	const because = [
		...step.answers.map((capability) => `answers "${oneLine(capability).slice(0, 200)}"`),
		...(step.neededBy.length > 0 ? [`needed by ${step.neededBy.join(', ')}`] : []),
	];
	return [
		`## ${at + 1}. ${oneLine(record.title)} (${record.id})`,
		`${because.join('; ')} · maturity: ${record.maturity} · risk: ${oneLine(record.risk ?? 'not stated')}`,
		oneLine(record.summary),
		`Requires: ${step.requires.map(({ id, via }) => (via.length > 0 ? `${id} (via ${via.join(', ')})` : id)).join(', ') || 'nothing'}`,
		...verdict(step),
		...(record.depends_on.length > 0 ? [`Builds on: ${record.depends_on.join(', ')}`] : []),
		...record.avoid_when.map((reason) => `Not when: ${oneLine(reason)}`),
		...record.alternatives.map(
			({ approach, prefer_when }) => `Instead: ${oneLine(approach)}, when ${oneLine(prefer_when)}`,
		),
	];
}

function verdict({ lacks, requires }: PlanStep): string[] {
	if (!lacks) return [];
	if (lacks.length === 0) return ['Verdict: fits the target.'];
	const through = requires.filter(({ id, via }) => lacks.includes(id) && via.length > 0).flatMap(({ via }) => via);
	const reason = through.length > 0 ? ` (through ${[...new Set(through)].join(', ')})` : '';
	return [
		`Verdict: the target lacks ${lacks.join(', ')}${reason}. Drop or replace this step, and the steps that build on it.`,
	];
}

function detailLines({ record }: PlanStep): string[] {
	const refs = (title: string, list: typeof record.docs) =>
		list.length > 0 ? [`${title}:`, ...list.map(refLine)] : [];
	return [
		...refs('Docs', record.docs),
		...refs('Code', record.code),
		...refs('Tests', record.tests),
		...refs('Showcases', record.showcases),
		'Invariants, which MUST hold after emulation:',
		...record.invariants.map(invariantLine),
	];
}

function withheldInvariants({ record }: PlanStep): string[] {
	if (record.invariants.length === 0) return [];
	return [`Withheld: ${count(record.invariants.length, 'invariant', 'invariants')} that MUST hold, docs, code, tests.`];
}

function requirementLines(plan: Plan, { targetInfra }: PlanRequest): string[] {
	if (plan.steps.length === 0) return [];
	const lines = ['', `The whole plan requires: ${plan.requires.join(', ') || 'nothing beyond the language runtime'}.`];
	if (!targetInfra) return lines;
	const lacking = plan.requires.filter((id) => !targetInfra.includes(id));
	lines.push(lacking.length > 0 ? `The target lacks: ${lacking.join(', ')}.` : 'The target has all of it.');
	return lines;
}

function uncoveredLines(plan: Plan): string[] {
	return plan.uncovered.flatMap(({ capability, related, near }) => [
		'',
		`Not covered: "${oneLine(capability).slice(0, 200)}". No deep card answers it; build it without this library, or ask in other words.`,
		...related.map((record) => `- related index entry (light, no step): ${record.id}: ${oneLine(record.title)}`),
		...(related.length === 0
			? near.map(({ record }) => `- nearest, not a recommendation: ${record.id}: ${oneLine(record.title)}`)
			: []),
	]);
}

function lightLines(plan: Plan): string[] {
	if (plan.lightDependencies.length === 0) return [];
	return [
		'',
		'Dependencies that are index entries only (light, no step):',
		...plan.lightDependencies.map((record) => `- ${record.id}: ${oneLine(record.title)}`),
	];
}

function count(number: number, one: string, many: string): string {
	return `${number} ${number === 1 ? one : many}`;
}
