import { Command } from 'commander';
import { EXIT_HELP } from './exit.ts';
import type { Surroundings } from './surroundings.ts';
import type { TargetOptions } from './target.ts';

/** Options that every command has, as commander gives them. */
export interface CommonOptions extends TargetOptions {
	json?: boolean;
}

/** How a command ends: its exit code. */
export type Ending = number | Promise<number>;

/** What a command is added to, and where its ending goes. */
export interface CommandHost {
	program: Command;
	surroundings: Surroundings;
	/** Runs the action and keeps its exit code. */
	finish(action: () => Ending): Promise<void>;
}

/** A command with the options that all have, and the exit codes in its help. */
export function newCommand(name: string, summary: string): Command {
	return new Command(name)
		.summary(summary)
		.description(`${summary}.`)
		.option('--root <dir>', 'the repository (default: V10R_ROOT, else the nearest folder upwards with a registry)')
		.option('--registry <file>', 'the registry file, authored or frozen (default: registry/registry.json in the root)')
		.option('--json', 'print JSON for programs')
		.addHelpText('after', EXIT_HELP);
}
