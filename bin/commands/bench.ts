import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Argument } from 'commander';
import { createFileReader } from '../../mcp/security.ts';
import { checkSnippet } from '../../mcp/snippet.ts';
import { cardAsks, cardOnSet } from '../../registry/bench/card.ts';
import { leaveOneOut } from '../../registry/bench/leave-one-out.ts';
import { measure, measureByKind } from '../../registry/bench/measure.ts';
import { type BenchQuery, readQuerySet } from '../../registry/bench/query-set.ts';
import { miniSearchRanker, ownRanker } from '../../registry/bench/rankers.ts';
import { measureWorkflows, toolListTokens } from '../../registry/bench/workflows.ts';
import type { Library } from '../../registry/library.ts';
import { didYouMean } from '../../registry/problem.ts';
import { libraryOf } from '../answer.ts';
import { type CardSetReport, renderCardReport } from '../bench-card.ts';
import { renderLeaveOneOut, renderSetResult, renderWorkflows, type SetResult } from '../bench-report.ts';
import { type CommandHost, type CommonOptions, newCommand } from '../command.ts';
import { EXIT, Refusal } from '../exit.ts';
import { printAnswer, printJson } from '../output.ts';
import type { Surroundings } from '../surroundings.ts';
import { findTarget, shownPath, type Target } from '../target.ts';

interface BenchOptions extends CommonOptions {
	queries?: string[];
	card?: string;
}

/** Where a library keeps the queries that its search is measured on. */
const QUERIES = 'registry/bench/queries';
/** The set by which nothing is chosen. Its queries are shown to whoever names the file, and to nobody by the way. */
const BLIND = 'blind.json';

/** `bench`: how well search finds the cards, and what the tools cost an agent. */
export function addBench({ program, surroundings, finish }: CommandHost): void {
	const command = newCommand('bench', 'Measure the search, or what the tools cost an agent in tokens')
		.addArgument(new Argument('<what>', 'what to measure').choices(['search', 'tokens']))
		.option('--queries <files...>', `sets of {query, expect, kind} (default: ${QUERIES}/*.json in the root)`)
		.option(
			'--card <id>',
			'only what concerns one card: queries that it loses, asks that go astray, cards that take them',
		)
		.action((what: 'search' | 'tokens', options: BenchOptions) =>
			finish(() => {
				const target = findTarget(options, surroundings);
				const library = libraryOf(target);
				if (options.card !== undefined) {
					if (what === 'tokens')
						throw new Refusal('--card goes with bench search; bench tokens measures the whole library.');
					return benchCard(library, options.card, target, options, surroundings);
				}
				if (what === 'tokens') return benchTokens(library, target, options, surroundings);
				return benchSearch(library, target, options, surroundings);
			}),
		);
	program.addCommand(command);
}

function benchTokens(library: Library, { root }: Target, options: BenchOptions, surroundings: Surroundings): number {
	const ports = { readFile: createFileReader(root), checkSnippet };
	const workflows = refuseOnError(() => measureWorkflows(library, ports));
	const toolList = toolListTokens();
	if (options.json) printJson({ workflows, toolList }, surroundings);
	else printAnswer(renderWorkflows(workflows, toolList), surroundings);
	return EXIT.ok;
}

function benchSearch(library: Library, target: Target, options: BenchOptions, surroundings: Surroundings): number {
	const known = new Set(library.byId.keys());
	const rankers = [
		{ name: 'v10r-patterns', rank: ownRanker(library.index) },
		{ name: 'MiniSearch', rank: miniSearchRanker(library.patterns) },
	];
	const sets = queryFiles(options, target, surroundings).map((file): SetResult => {
		const queries = readSet(file, known);
		return {
			set: shownPath(file, surroundings.cwd),
			rankers: rankers.map(({ name, rank }) => ({
				name,
				all: measure(rank, queries),
				byKind: Object.fromEntries(measureByKind(rank, queries)),
			})),
		};
	});
	const gauge = leaveOneOut(library.patterns);
	if (options.json) printJson({ sets, leaveOneOut: gauge }, surroundings);
	else printAnswer([...sets.map(renderSetResult), renderLeaveOneOut(gauge)].join('\n\n'), surroundings);
	return EXIT.ok;
}

function benchCard(
	library: Library,
	id: string,
	target: Target,
	options: BenchOptions,
	surroundings: Surroundings,
): number {
	const known = new Set(library.byId.keys());
	const record = library.byId.get(id);
	if (!record) {
		const otherwise = 'The command search finds ids by a task in plain words.';
		throw new Refusal(`--card: there is no card ${JSON.stringify(id)}. ${didYouMean(id, known, otherwise)}`);
	}
	const rank = ownRanker(library.index);
	const sets = queryFiles(options, target, surroundings).map((file): CardSetReport => {
		const result = cardOnSet(rank, readSet(file, known), id);
		const set = shownPath(file, surroundings.cwd);
		if (options.queries || basename(file) !== BLIND) return { set, ...result };
		const { queries, missed } = result;
		return {
			set,
			queries,
			missed: missed.length,
			refused: missed.filter(({ refused }) => refused).length,
			blind: true,
		};
	});
	const report = { card: id, sets, leaveOneOut: cardAsks(leaveOneOut(library.patterns), id, record.asks.length) };
	if (options.json) printJson(report, surroundings);
	else printAnswer(renderCardReport(report), surroundings);
	return EXIT.ok;
}

function queryFiles({ queries }: BenchOptions, { root }: Target, { cwd }: Surroundings): string[] {
	if (queries) return queries.map((file) => resolve(cwd, file));
	const folder = join(root, QUERIES);
	if (!existsSync(folder)) return [];
	const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
	return names.sort().map((name) => join(folder, name));
}

function readSet(file: string, known: ReadonlySet<string>): BenchQuery[] {
	return refuseOnError(() => readQuerySet(JSON.parse(readFileSync(file, 'utf8')), known), `${file}: `);
}

/** The benches throw plain errors for input that they cannot measure. */
function refuseOnError<Result>(work: () => Result, before = ''): Result {
	try {
		return work();
	} catch (error) {
		throw new Refusal(before + (error instanceof Error ? error.message : String(error)));
	}
}
