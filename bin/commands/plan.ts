import { assemblePlan } from '../../registry/plan.ts';
import { callOn, deliver, libraryOf } from '../answer.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { hitRow } from '../queries.ts';
import { findTarget } from '../target.ts';

interface PlanOptions extends CommonOptions {
	infra?: string[];
	dependencies: boolean;
	outline?: boolean;
}

/** `plan`: an ordered build plan for several capabilities. */
export function addPlan({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('plan', 'A dependency-ordered build plan from deep cards')
		.argument('<capability...>', 'one plain-words task each, in quotes')
		.option('--infra <ids...>', 'what the target already runs, for a verdict per step')
		.option('--no-dependencies', 'leave out what the patterns build on')
		.option('--outline', 'steps without docs, code, tests and invariants')
		.action((capabilities: string[], options: PlanOptions) =>
			finish(() => {
				const target = findTarget(options, surroundings);
				const infra = options.infra?.flatMap((ids) => ids.split(','));
				const result = callOn(target, 'recommend_emulation_plan', {
					capabilities,
					include_dependencies: options.dependencies,
					target_infra: infra,
					detail: options.outline ? 'outline' : 'full',
				});
				if (!options.json || result.isError) return deliver(result, surroundings);
				const plan = assemblePlan(libraryOf(target), {
					capabilities,
					includeDependencies: options.dependencies,
					...(infra ? { targetInfra: infra } : {}),
				});
				const value = {
					steps: plan.steps.map(({ record, ...step }) => ({ id: record.id, title: record.title, ...step })),
					requires: plan.requires,
					uncovered: plan.uncovered.map(({ capability, related, near }) => ({
						capability,
						related: related.map(({ id }) => id),
						near: near.map(hitRow),
					})),
					lightDependencies: plan.lightDependencies.map(({ id }) => id),
				};
				return deliver(result, surroundings, { value });
			}),
		);
	program.addCommand(command);
}
