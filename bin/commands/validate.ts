import { countBySeverity, formatDiagnostics } from '../../registry/diagnostic.ts';
import { diskFiles } from '../../registry/repository-files.node.ts';
import { validateRegistry } from '../../registry/validate.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { printJson } from '../output.ts';
import { ruleDiagnostics } from '../rule-diagnostics.ts';
import { wantsColour } from '../surroundings.ts';
import { findTarget, readRegistryBytes, shownPath } from '../target.ts';

/** `validate`: everything that is wrong with the authored registry and the repository's snippet rules, at once. */
export function addValidate({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('validate', 'Check the authored registry against its contract and the repository').action(
		(options: CommonOptions) =>
			finish(() => {
				const { stdout, env, cwd, today } = surroundings;
				const target = findTarget(options, surroundings);
				const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readRegistryBytes(target));
				const file = shownPath(target.registryFile, cwd);
				const rules = ruleDiagnostics(target.root, cwd);
				const diagnostics = [
					...validateRegistry({ text, file, files: diskFiles(target.root), today }),
					...(rules?.diagnostics ?? []),
				];
				const counts = countBySeverity(diagnostics);
				if (options.json) printJson({ file, ...counts, diagnostics }, surroundings);
				else if (diagnostics.length === 0)
					stdout.write(`${[file, ...(rules ? [rules.file] : [])].join(', ')}: valid.\n`);
				else stdout.write(`${formatDiagnostics(diagnostics, { colour: wantsColour(stdout, env) })}\n`);
				return counts.errors > 0 ? EXIT.found : EXIT.ok;
			}),
	);
	program.addCommand(command);
}
