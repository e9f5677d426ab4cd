import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { createRules } from '../../mcp/repository-rules.ts';
import { inspectSnippet, renderReport } from '../../mcp/snippet.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT, Refusal } from '../exit.ts';
import { printAnswer, printJson } from '../output.ts';
import type { Surroundings } from '../surroundings.ts';
import { findTarget } from '../target.ts';

/** `snippet`: code against the conventions of the repository, or the built-in ones, as the server checks it. */
export function addSnippet({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('snippet', 'Check code against the conventions of the repository, or built-in ones')
		.argument('[file]', 'the code; - or nothing reads standard input', '-')
		.option('--language <name>', "ts, tsx, js or jsx (default: the file's, else ts)")
		.action((file: string, options: CommonOptions & { language?: string }) =>
			finish(async () => {
				const found = createRules(findTarget(options, surroundings).root)();
				if (!found.ok) throw new Refusal(found.problem);
				const { rules, whose, maxSnippet } = found.set;
				const language = options.language ?? (extname(file).slice(1) || 'ts');
				const report = inspectSnippet(await readCode(file, surroundings), language, rules, maxSnippet);
				if (report.kind === 'refused') throw new Refusal(renderReport(report));
				if (options.json) printJson({ ...report, conventions: whose }, surroundings);
				else printAnswer(renderReport(report, whose), surroundings);
				return report.findings.length > 0 ? EXIT.found : EXIT.ok;
			}),
		);
	program.addCommand(command);
}

async function readCode(file: string, { cwd, readInput }: Surroundings): Promise<string> {
	if (file === '-') return readInput();
	try {
		return readFileSync(resolve(cwd, file), 'utf8');
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
		throw new Refusal(`Cannot read ${file} (${code}). Name a file of code, or - for standard input.`);
	}
}
