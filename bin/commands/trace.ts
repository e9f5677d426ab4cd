import { traceCapability } from '../../registry/trace.ts';
import { callOn, deliver, libraryOf } from '../answer.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { hitRow } from '../queries.ts';
import { findTarget } from '../target.ts';

/** `trace`: concept, docs, code, tests and proof of a capability. */
export function addTrace({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('trace', 'For one capability: concept, docs, code, tests and live proof')
		.argument('<capability...>', 'what the code should be able to do')
		.action((words: string[], options: CommonOptions) =>
			finish(() => {
				const target = findTarget(options, surroundings);
				const capability = words.join(' ');
				const result = callOn(target, 'trace_capability', { capability });
				if (!options.json || result.isError) return deliver(result, surroundings);
				const { hits, near } = traceCapability(libraryOf(target), capability);
				const traced = hits.map((hit) => {
					const { title, summary, docs, code, tests, showcases, invariants } = hit.record;
					return { ...hitRow(hit), title, summary, docs, code, tests, showcases, invariants };
				});
				return deliver(result, surroundings, { value: { capability, hits: traced, near: near.map(hitRow) } });
			}),
		);
	program.addCommand(command);
}
