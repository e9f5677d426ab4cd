import { applyBuild } from '../../generators/index.ts';
import { planFor } from '../artifacts.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { printJson } from '../output.ts';
import { findTarget } from '../target.ts';

/** `build`: writes the generated files that differ from what the registry says, and removes pages of gone records. */
export function addBuild({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('build', 'Write every generated file that is out of date').action(
		(options: CommonOptions) =>
			finish(async () => {
				const target = findTarget(options, surroundings);
				const result = await applyBuild(target.root, planFor(target, surroundings));
				if (options.json) printJson(result, surroundings);
				else {
					const { written, removed, strays, unchanged } = result;
					const lines = [
						...written.map((path) => `wrote    ${path}`),
						...removed.map((path) => `removed  ${path}`),
						...strays.map(({ path, fix }) => `left     ${path}: ${fix}`),
						`${written.length} written, ${removed.length} removed, ${unchanged} unchanged`,
					];
					surroundings.stdout.write(`${lines.join('\n')}\n`);
				}
				return EXIT.ok;
			}),
	);
	program.addCommand(command);
}
