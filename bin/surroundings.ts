import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from './shell.ts';

/** Where a command writes; `isTTY` says that a person is looking. */
export interface Sink {
	write(text: string): unknown;
	isTTY?: boolean | undefined;
}

/** Everything that a command takes from outside, so that tests can give it. */
export interface Surroundings {
	cwd: string;
	env: Readonly<Record<string, string | undefined>>;
	stdout: Sink;
	stderr: Sink;
	/** All of standard input as text. */
	readInput(): Promise<string>;
	/** The repository that this program stands in: the library when no other is near. */
	ownRoot: string;
	/** Shell words that start this program from any folder, for hints that can be pasted. */
	invocation: string;
	/** True when `ownRoot` is a clone, which npm can pack; false for an installed package. */
	isClone: boolean;
	/** Whether this process may write a file, or make files in a folder; the disk is asked when absent. */
	mayWrite?: ((path: string) => boolean) | undefined;
	/** Today in UTC, YYYY-MM-DD: the one clock, used only to tell the age of proofs. */
	today: string;
}

/** The real surroundings of this process. @param moduleUrl a module one level below the root, `bin/` or `dist/` */
export function processSurroundings(moduleUrl: string): Surroundings {
	const ownRoot = dirname(dirname(fileURLToPath(moduleUrl)));
	const bundle = join(ownRoot, 'dist/cli.js');
	return {
		cwd: process.cwd(),
		env: process.env,
		stdout: process.stdout,
		stderr: process.stderr,
		readInput: async () => {
			const chunks: Uint8Array[] = [];
			for await (const chunk of process.stdin) chunks.push(chunk);
			return Buffer.concat(chunks).toString('utf8');
		},
		ownRoot,
		// A clone that is not built yet runs from source through its own script, which knows the loader.
		invocation: existsSync(bundle) ? `node ${shellWord(bundle)}` : `npm --prefix ${shellWord(ownRoot)} run -s cli --`,
		isClone: existsSync(join(ownRoot, 'bin/bundle.ts')),
		today: new Date().toISOString().slice(0, 10),
	};
}

/** Colour is for a person at a terminal who has not declined it (https://no-color.org) or who forces it. */
export function wantsColour(sink: Sink, env: Surroundings['env']): boolean {
	if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
	if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
	return sink.isTTY === true && env.TERM !== 'dumb';
}
