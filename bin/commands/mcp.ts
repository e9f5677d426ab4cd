import { resolve } from 'node:path';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { findTarget } from '../target.ts';

/** `mcp`: the stdio server over a library, until its input ends. */
export function addMcp({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('mcp', 'Serve the library to agents over MCP on standard input and output').action(
		(options: CommonOptions) =>
			finish(async () => {
				const { root } = findTarget(options, surroundings);
				const registry =
					options.registry === undefined ? [] : ['--registry', resolve(surroundings.cwd, options.registry)];
				// The server's main module is the whole program: it reads the arguments and holds the process.
				process.argv = [...process.argv.slice(0, 2), '--root', root, ...registry];
				await import('../../mcp/main.ts');
				return EXIT.ok;
			}),
	);
	program.addCommand(command);
}
