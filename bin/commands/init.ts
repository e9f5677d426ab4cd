import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { nodeDisk, readRepositoryFile } from '../../generators/index.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT, Refusal } from '../exit.ts';
import { gitFacts } from '../init/git-facts.ts';
import { nextSteps } from '../init/next-steps.ts';
import { placeFaults, writeFaults } from '../init/preflight.ts';
import { initSteps, type ReadText, type Step, TARGETS } from '../init/steps.ts';
import { printJson } from '../output.ts';
import { shellWord } from '../shell.ts';

interface InitOptions extends CommonOptions {
	dryRun?: boolean;
}

/** `init`: gives another repository its first registry, and what keeps it honest. Adds, never overwrites. */
export function addInit({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('init', 'Give a repository its first registry; never overwrites')
		.argument('[dir]', 'the repository (default: --root, else the working directory)')
		.option('--dry-run', 'say what would be made, and make nothing')
		.action((dir: string | undefined, options: InitOptions) =>
			finish(async () => {
				if (options.registry !== undefined) {
					throw new Refusal('init always makes registry/registry.json; leave out --registry.');
				}
				const root = resolve(surroundings.cwd, dir ?? options.root ?? '.');
				refuseUnlessFolder(root);
				refuseFor(placeFaults(root, TARGETS));
				const read = textReader(root);
				const steps = initSteps(read, basename(root), gitFacts(tolerantReader(root)));
				refuseFor(writeFaults(root, steps, surroundings.mayWrite));
				const next = nextSteps(read, steps, { ...surroundings, root });
				if (!options.dryRun) await carryOut(root, steps);
				const dryRun = options.dryRun === true;
				const shown = steps.map(({ kind, path, note }) => ({ kind, path, note }));
				if (options.json) printJson({ root, dryRun, steps: shown, next }, surroundings);
				else surroundings.stdout.write(report(root, steps, next, dryRun));
				return EXIT.ok;
			}),
		);
	program.addCommand(command);
}

function refuseUnlessFolder(root: string): void {
	const stats = statSync(root, { throwIfNoEntry: false });
	if (!stats) throw new Refusal(`There is no folder ${root}. Make it first: mkdir -p ${shellWord(root)}`);
	if (!stats.isDirectory()) throw new Refusal(`${root} is no folder. Name the folder of the repository.`);
}

function refuseFor(faults: readonly string[]): void {
	if (faults.length > 0) throw new Refusal([...faults, 'Nothing was written.'].join('\n'));
}

function textReader(root: string): (path: string) => string | undefined {
	const read = readRepositoryFile(root);
	return (path) => {
		const bytes = read(path);
		if (!bytes) return undefined;
		try {
			return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			throw new Refusal(`${path} is not UTF-8, so it cannot be added to without loss. Save it as UTF-8.`);
		}
	};
}

/** For files that are only looked at: what is no UTF-8 in them does not matter. */
function tolerantReader(root: string): ReadText {
	const read = readRepositoryFile(root);
	return (path) => {
		const bytes = read(path);
		return bytes && new TextDecoder().decode(bytes);
	};
}

async function carryOut(root: string, steps: readonly Step[]): Promise<void> {
	const disk = nodeDisk(root);
	for (const step of steps) {
		if (step.kind !== 'leave') await disk.write(step.path, new TextEncoder().encode(step.text));
	}
}

const VERBS = {
	create: { done: 'made', planned: 'would make' },
	extend: { done: 'extended', planned: 'would extend' },
	leave: { done: 'left', planned: 'would leave' },
} as const;

function report(root: string, steps: readonly Step[], next: readonly string[], dryRun: boolean): string {
	const rows = steps.map(({ kind, path, note }) => {
		const verb = VERBS[kind][dryRun ? 'planned' : 'done'];
		return `${verb.padEnd(dryRun ? 13 : 9)} ${path}: ${note}`;
	});
	return `${[root, ...rows, '', 'Next:', ...next.map((line) => `- ${line}`)].join('\n')}\n`;
}
