import { buildCommand, diffArtifacts, formatDrift, readRepositoryFile } from '../../generators/index.ts';
import { planFor } from '../artifacts.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { printJson } from '../output.ts';
import { findTarget } from '../target.ts';

/** `check`: the drift gate. Compares in memory, writes nothing. */
export function addCheck({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('check', 'Compare every generated file with the registry; write nothing').action(
		(options: CommonOptions) =>
			finish(async () => {
				const target = findTarget(options, surroundings);
				const command = buildCommand(readRepositoryFile(target.root));
				const drifts = await diffArtifacts(target.root, planFor(target, surroundings), { command });
				if (options.json) printJson(drifts, surroundings);
				else surroundings.stdout.write(formatDrift(drifts, command));
				return drifts.length > 0 ? EXIT.found : EXIT.ok;
			}),
	);
	program.addCommand(command);
}
