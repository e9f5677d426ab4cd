import { callOn, deliver, libraryOf } from '../answer.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { findTarget } from '../target.ts';

/** `show`: the card of a pattern, or of several. */
export function addShow({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('show', 'The card of a pattern, whole or by section')
		.argument('<id...>', 'ids of patterns')
		.option('--section <names...>', 'only these sections, under the header')
		.action((ids: string[], options: CommonOptions & { section?: string[] }) =>
			finish(() => {
				const target = findTarget(options, surroundings);
				const sections = options.section?.flatMap((names) => names.split(','));
				const result = callOn(target, 'get_pattern', { ids, sections });
				if (!options.json || result.isError) return deliver(result, surroundings);
				const { byId } = libraryOf(target);
				const records = ids.flatMap((id) => byId.get(id) ?? byId.get(id.toLowerCase()) ?? []);
				return deliver(result, surroundings, { value: records });
			}),
		);
	program.addCommand(command);
}
