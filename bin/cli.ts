import { Command, CommanderError } from 'commander';
import { DiskError } from '../generators/disk.ts';
import { RegistryFileError } from '../mcp/registry-file.ts';
import { SERVER_VERSION } from '../mcp/version.ts';
import type { CommandHost } from './command.ts';
import { addBench } from './commands/bench.ts';
import { addBuild } from './commands/build.ts';
import { addCheck } from './commands/check.ts';
import { addExcerpt } from './commands/excerpt.ts';
import { addInit } from './commands/init.ts';
import { addMcp } from './commands/mcp.ts';
import { addPlan } from './commands/plan.ts';
import { addSearch } from './commands/search.ts';
import { addShow } from './commands/show.ts';
import { addSnippet } from './commands/snippet.ts';
import { addTrace } from './commands/trace.ts';
import { addValidate } from './commands/validate.ts';
import { EXIT, EXIT_HELP, Refusal } from './exit.ts';
import type { Surroundings } from './surroundings.ts';

const COMMANDS = [
	addValidate,
	addBuild,
	addCheck,
	addSearch,
	addShow,
	addTrace,
	addPlan,
	addExcerpt,
	addSnippet,
	addMcp,
	addBench,
	addInit,
];

/** The program with all its commands. @param finish runs a command's action; its result is the exit code */
export function createProgram(surroundings: Surroundings, finish: CommandHost['finish']): Command {
	const program = new Command('v10r-patterns');
	program
		.description('A pattern library that agents, people and crawlers read from one source.')
		.version(SERVER_VERSION, '-v, --version')
		.addHelpText('after', EXIT_HELP);
	for (const add of COMMANDS) add({ program, surroundings, finish });
	for (const command of [program, ...program.commands]) {
		command
			.exitOverride()
			.showHelpAfterError('(--help shows the options)')
			.configureOutput({
				writeOut: (text) => surroundings.stdout.write(text),
				writeErr: (text) => surroundings.stderr.write(text),
			});
	}
	return program;
}

/**
 * Runs one command line (without runtime and script) and returns its exit code. Expected failures are printed to
 * standard error as one message; anything else is a fault of this program and is thrown.
 */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
	let code: number = EXIT.ok;
	const program = createProgram(surroundings, async (action) => {
		code = await action();
	});
	try {
		await program.parseAsync([...args], { from: 'user' });
		return code;
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.refused;
		if (error instanceof Refusal || error instanceof RegistryFileError || error instanceof DiskError) {
			surroundings.stderr.write(`${error.message}\n`);
			return EXIT.refused;
		}
		if (isDiskFault(error)) {
			surroundings.stderr.write(`The disk refused: ${error.message}\n`);
			return EXIT.refused;
		}
		throw error;
	}
}

/** Faults of the disk that a person can mend: rights, a full disk, a folder where a file should be. */
const DISK_FAULTS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENOENT']);

function isDiskFault(error: unknown): error is Error {
	return error instanceof Error && 'code' in error && DISK_FAULTS.has(String(error.code));
}
