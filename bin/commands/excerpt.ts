import { callOn, deliver } from '../answer.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { findTarget } from '../target.ts';

interface ExcerptOptions extends CommonOptions {
	start?: string;
	count?: string;
	section?: string;
}

/** `excerpt`: numbered lines of a file of the repository, as the server would show them. */
export function addExcerpt({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('excerpt', 'Numbered lines of a file that a card cites, with an outline of the rest')
		.argument('<path>', 'path from the root; may end in #section')
		.option('--start <line>', 'first line, 1-based')
		.option('--count <lines>', 'lines to show')
		.option('--section <name>', 'a Markdown #fragment or heading, or a declaration')
		.action((path: string, { start, count, section, ...options }: ExcerptOptions) =>
			finish(() => {
				const target = findTarget(options, surroundings);
				const result = callOn(target, 'get_file_excerpt', { path, start_line: start, line_count: count, section });
				return deliver(result, surroundings, options.json ? { value: { path, text: result.text } } : undefined);
			}),
		);
	program.addCommand(command);
}
