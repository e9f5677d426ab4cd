import { join } from 'node:path';
import { serveProcess } from '../../mcp/serve-process.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { FROZEN_REGISTRY } from '../places.ts';
import { findTarget } from '../target.ts';

/** `mcp`: the stdio server over a library, until its input ends. It serves the frozen registry when none is named. */
export function addMcp({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('mcp', 'Serve the library to agents over MCP on standard input and output').action(
		(options: CommonOptions) =>
			finish(async () => {
				const { root, registryFile } = findTarget(options, surroundings);
				const frozen = join(root, FROZEN_REGISTRY);
				await serveProcess({ root, registryFile: options.registry === undefined ? frozen : registryFile });
				return EXIT.ok;
			}),
	);
	program.addCommand(command);
}
