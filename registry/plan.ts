import { type ClosedRequirement, dependencyClosure, dependencyOrder, requiresClosure } from './graph.ts';
import type { Library } from './library.ts';
import type { PatternRecord } from './schema.ts';
import { type Hit, searchPatterns } from './search.ts';

/** One step of a plan: a deep card to adopt, why it is there, and whether the target can run it. */
export interface PlanStep {
	record: PatternRecord;
	/** The capabilities that it answers; empty when only other steps need it. */
	answers: string[];
	/** The steps that build on it. */
	neededBy: string[];
	requires: ClosedRequirement[];
	/** What the target lacks of `requires`; undefined when no target was declared, which is not the same as nothing. */
	lacks: string[] | undefined;
}

/** A build plan: steps in dependency order, and what the library could not answer. */
export interface Plan {
	steps: PlanStep[];
	/** Everything the target must run for the whole plan, in the order of the steps. */
	requires: string[];
	/** Capabilities that no deep card answers, each with the light cards that come close. */
	uncovered: { capability: string; related: PatternRecord[]; near: Hit[] }[];
	/** Dependencies that are light cards: pointers, not steps. */
	lightDependencies: PatternRecord[];
}

export interface PlanRequest {
	capabilities: readonly string[];
	/** Adds what the chosen cards build on; true when absent. */
	includeDependencies?: boolean;
	/** What the target already runs; nothing is said about fit when absent. */
	targetInfra?: readonly string[];
}

/** A second card joins only when it is strong and its score comes this near to the best. */
const RUNNER_UP_SHARE = 0.8;

/**
 * Assembles a plan without any inference: each capability contributes its best deep card, and a runner-up only when
 * that is nearly as good; dependencies are added; all are put in dependency order. Never drops a step on its own.
 */
export function assemblePlan(library: Library, request: PlanRequest): Plan {
	const answers = new Map<string, string[]>();
	const uncovered: Plan['uncovered'] = [];
	for (const capability of request.capabilities) {
		const deep = searchPatterns(library.index, capability, { tier: 'deep', limit: 2 });
		if (deep.verdict === 'no-match') {
			const light = searchPatterns(library.index, capability, { tier: 'light', limit: 3 });
			uncovered.push({ capability, related: light.hits.map(({ record }) => record), near: deep.near });
			continue;
		}
		for (const { record } of admitted(deep.hits)) {
			answers.set(record.id, [...(answers.get(record.id) ?? []), capability]);
		}
	}
	const chosen = new Map([...answers.keys()].flatMap((id) => entry(library, id)));
	const dependencies = [...chosen.keys()].flatMap((id) => dependencyClosure(id, library.byId));
	const members = new Map(chosen);
	if (request.includeDependencies !== false) {
		for (const record of dependencies) if (record.tier === 'deep') members.set(record.id, record);
	}
	const inSurfaceOrder = library.patterns.filter(({ id }) => members.has(id));
	const steps = dependencyOrder(inSurfaceOrder).map((record) =>
		step(library, record, answers, [...members.values()], request),
	);
	return {
		steps,
		requires: [...new Set(steps.flatMap(({ requires }) => requires.map(({ id }) => id)))],
		uncovered,
		lightDependencies: [...new Set(dependencies)].filter(({ tier }) => tier === 'light'),
	};
}

function admitted([best, second]: readonly Hit[]): Hit[] {
	if (!best) return [];
	const joins = second && !best.exact && second.grade === 'strong' && second.score >= best.score * RUNNER_UP_SHARE;
	return joins ? [best, second] : [best];
}

function step(
	library: Library,
	record: PatternRecord,
	answers: ReadonlyMap<string, string[]>,
	members: readonly PatternRecord[],
	{ targetInfra }: PlanRequest,
): PlanStep {
	const requires = requiresClosure(record, library.byId);
	return {
		record,
		answers: answers.get(record.id) ?? [],
		neededBy: members.filter(({ depends_on }) => depends_on.includes(record.id)).map(({ id }) => id),
		requires,
		lacks: targetInfra && requires.map(({ id }) => id).filter((id) => !targetInfra.includes(id)),
	};
}

function entry(library: Library, id: string): [string, PatternRecord][] {
	const record = library.byId.get(id);
	return record ? [[id, record]] : [];
}
