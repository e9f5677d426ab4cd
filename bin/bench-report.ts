import type { LeaveOneOut } from '../registry/bench/leave-one-out.ts';
import type { Measure } from '../registry/bench/measure.ts';
import type { Workflow } from '../registry/bench/workflows.ts';

/** How the rankers do on one set of queries. */
export interface SetResult {
	/** The set's file. */
	set: string;
	rankers: { name: string; all: Measure; byKind: Record<string, Measure> }[];
}

/** The measures of a search benchmark as tables, one row a ranker and one a kind of query. */
export function renderSetResult({ set, rankers }: SetResult): string {
	const [first] = rankers;
	const width = Math.max(24, ...Object.keys(first?.byKind ?? {}).map((kind) => kind.length + 12));
	const head = `${''.padEnd(width)}${['Acc@1', 'R@3', 'R@5', 'MRR', 'refused', 'refused', 'answer', 'answer'].map(cell).join('')}`;
	const under = `${''.padEnd(width)}${['', '', '', '', 'covered', 'uncov.', '@1', '@3'].map(cell).join('')}`;
	const blocks = rankers.map(({ name, all, byKind }) =>
		[row(name, all, width), ...Object.entries(byKind).map(([kind, one]) => row(`  ${kind}`, one, width))].join('\n'),
	);
	return [`# ${set}`, head, under, ...blocks].join('\n');
}

/** What leaving each ask out shows: two shares, the cards that are taken for each other, and the asks that go astray. */
export function renderLeaveOneOut(
	{ asks, accuracyAt1, recallAt3, astray, confusable }: LeaveOneOut,
	most = 20,
): string {
	if (asks === 0) return '# leave-one-out\nNo card has asks.';
	const rest = (count: number) => (count > most ? [`  … and ${count - most} more`] : []);
	return [
		`# leave-one-out over ${asks} asks: Acc@1 ${percent(accuracyAt1)}, Recall@3 ${percent(recallAt3)}`,
		...(confusable.length > 0 ? ['Cards taken for each other:'] : []),
		...confusable.slice(0, most).map(({ pair, count }) => `  ${pair.join(' ↔ ')}: ${count}`),
		...rest(confusable.length),
		...(astray.length > 0 ? ['Asks that find another card:'] : []),
		...astray.slice(0, most).map(({ id, ask, found }) => `  ${id}: "${ask}" → ${found ?? 'no match'}`),
		...rest(astray.length),
	].join('\n');
}

/** Token costs of workflows, plain against selective, and of the list of tools. */
export function renderWorkflows(workflows: readonly Workflow[], toolList: number): string {
	const cost = ({ calls, tokens }: Workflow['plain']) => `${calls} ${calls === 1 ? 'call' : 'calls'} ≈${tokens}`;
	return [
		...workflows.map(({ name, plain, selective }) => `${name}: ${cost(plain)} → ${cost(selective)} tokens`),
		`The list of tools: ≈${toolList} tokens`,
	].join('\n');
}

function row(name: string, measure: Measure, width: number): string {
	const { covered, uncovered, accuracyAt1, recallAt3, recallAt5, mrr, coveredRefused, uncoveredRefused } = measure;
	const { answeredAt1, answeredAt3 } = measure;
	const cells = [
		percent(accuracyAt1),
		percent(recallAt3),
		percent(recallAt5),
		Number.isNaN(mrr) ? '–' : mrr.toFixed(2),
		percent(coveredRefused),
		percent(uncoveredRefused),
		percent(answeredAt1),
		percent(answeredAt3),
	];
	return `${`${name} (${covered}+${uncovered})`.padEnd(width)}${cells.map(cell).join('')}`;
}

function cell(text: string): string {
	return text.padStart(9);
}

/** A share as a percentage; a dash where there was nothing to share. */
function percent(share: number): string {
	return Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`;
}
