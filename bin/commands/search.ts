import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SearchOptions } from '../../registry/search.ts';
import { callOn, deliver, libraryOf, showCommand } from '../answer.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT, Refusal } from '../exit.ts';
import { printAnswer, printJson } from '../output.ts';
import { readQueries, searchRow } from '../queries.ts';
import type { Surroundings } from '../surroundings.ts';
import { findTarget, type Target } from '../target.ts';

interface SearchCommandOptions extends CommonOptions {
	queries?: string;
	limit?: string;
	category?: string;
	tier?: string;
	detail?: string;
}

/** `search`: one query for a person, or a file of them for a program. */
export function addSearch({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('search', 'Find patterns for a task or a symptom in plain words')
		.argument('[query...]', 'the task or the symptom')
		.option('--queries <file>', 'a JSON array of {"query": …}, answered in order; - reads standard input')
		.option('--limit <n>', 'most rows')
		.option('--category <id>', 'only this category')
		.option('--tier <tier>', 'deep or light')
		.option('--detail <detail>', 'full or compact')
		.action((words: string[], options: SearchCommandOptions) =>
			finish(async () => {
				const target = findTarget(options, surroundings);
				const query = words.join(' ');
				if (options.queries !== undefined) {
					if (query !== '') throw new Refusal('Give a query or --queries FILE, not both.');
					return searchAll(await readQueriesFrom(options.queries, surroundings), target, options, surroundings);
				}
				if (query.trim() === '') throw new Refusal(`What to search for? ${showCommand(target, 'search_patterns')}`);
				const result = callOn(target, 'search_patterns', toolArguments(query, options));
				if (!options.json || result.isError) return deliver(result, surroundings);
				return deliver(result, surroundings, { value: searchRow(libraryOf(target), query, rowOptions(options)) });
			}),
		);
	program.addCommand(command);
}

function searchAll(
	queries: readonly string[],
	target: Target,
	options: SearchCommandOptions,
	surroundings: Surroundings,
): number {
	// What is wrong with the options is wrong for every query: said once, before anything is printed.
	const probe = callOn(target, 'search_patterns', toolArguments('a query', options));
	if (probe.isError) return deliver(probe, surroundings);
	if (options.json) {
		const library = libraryOf(target);
		printJson(
			queries.map((query) => searchRow(library, query, rowOptions(options))),
			surroundings,
		);
		return EXIT.ok;
	}
	const answer = (query: string) =>
		query.trim() === ''
			? 'No match: the query is empty.'
			: callOn(target, 'search_patterns', toolArguments(query, options)).text;
	printAnswer(queries.map((query) => `# ${query}\n${answer(query)}\n`).join('\n'), surroundings);
	return EXIT.ok;
}

async function readQueriesFrom(file: string, { cwd, readInput }: Surroundings): Promise<string[]> {
	if (file === '-') return readQueries(await readInput(), 'standard input');
	let text: string;
	try {
		text = readFileSync(resolve(cwd, file), 'utf8');
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
		throw new Refusal(`${file}:1:1 Cannot be read (${code}). --queries takes a JSON array of {"query": "…"}.`);
	}
	return readQueries(text, file);
}

function toolArguments(
	query: string,
	{ limit, category, tier, detail }: SearchCommandOptions,
): Record<string, unknown> {
	return { query, limit, category, tier, detail };
}

/** The options of a structured answer. @throws Refusal for a limit or a tier that cannot be */
function rowOptions({ limit, category, tier }: SearchCommandOptions): SearchOptions {
	const wanted = limit === undefined ? Number.NaN : Number(limit);
	if (limit !== undefined && !(Number.isInteger(wanted) && wanted > 0)) {
		throw new Refusal(`--limit must be a whole number from 1, got ${limit}`);
	}
	const asked = tier?.toLowerCase();
	if (asked !== undefined && asked !== 'deep' && asked !== 'light') {
		throw new Refusal(`--tier must be deep or light, got ${tier}`);
	}
	return {
		...(Number.isInteger(wanted) ? { limit: Math.max(1, wanted) } : {}),
		...(category === undefined ? {} : { category }),
		...(asked === undefined ? {} : { tier: asked }),
	};
}
