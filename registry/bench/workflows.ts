import type { Library } from '../library.ts';
import { callTool, TOOLS, type ToolPorts } from '../query.ts';
import { approximateTokens } from '../tokens.ts';

/** What a call costs an agent beside its answer: the request and its framing, in tokens. */
export const CALL_OVERHEAD = 60;

interface Call {
	tool: string;
	args: Record<string, unknown>;
}

/** One thing that agents do with the library, done plainly and done selectively. */
export interface Workflow {
	name: string;
	plain: Cost;
	selective: Cost;
}

/** What a way of doing it costs. */
export interface Cost {
	calls: number;
	tokens: number;
}

/**
 * Measures three workflows of an agent, each plainly (whole cards, whole files) and selectively (sections, compact rows):
 * deciding whether a pattern fits, reading the invariants of three, and reading the passage of a doc that a card cites.
 * The cards are the library's first deep ones, so that any registry can be measured.
 * @throws Error when the library has fewer than three deep cards, or a call of a workflow is refused
 */
export function measureWorkflows(library: Library, ports: ToolPorts): Workflow[] {
	const deep = library.patterns.filter(({ tier }) => tier === 'deep');
	const [first, second, third] = deep;
	if (!first || !second || !third) throw new Error('the benchmark needs three deep cards');
	const ids = [first.id, second.id, third.id];
	const query = first.asks[0] ?? first.title;
	const doc =
		deep.flatMap(({ docs }) => docs).find(({ path }) => path.includes('#'))?.path ?? first.docs[0]?.path ?? '';
	const cost = (calls: readonly Call[]): Cost => ({
		calls: calls.length,
		tokens: calls.reduce((sum, call) => sum + CALL_OVERHEAD + answerTokens(library, ports, call), 0),
	});
	const card = (id: string): Call => ({ tool: 'get_pattern', args: { id } });
	return [
		{
			name: 'Decide whether a pattern fits',
			plain: cost([{ tool: 'search_patterns', args: { query } }, card(first.id), card(second.id)]),
			selective: cost([
				{ tool: 'search_patterns', args: { query, detail: 'compact' } },
				{ tool: 'get_pattern', args: { ids: ids.slice(0, 2), sections: ['avoid_when', 'alternatives'] } },
			]),
		},
		{
			name: 'Read the invariants of three patterns',
			plain: cost(ids.map(card)),
			selective: cost([{ tool: 'get_pattern', args: { ids, sections: ['invariants'] } }]),
		},
		{
			name: 'Read the passage of a doc that a card cites',
			plain: cost([
				card(first.id),
				{ tool: 'get_file_excerpt', args: { path: doc.replace(/#.*/, ''), line_count: 400 } },
			]),
			selective: cost([{ tool: 'get_file_excerpt', args: { path: doc } }]),
		},
	];
}

/** What the list of tools costs an agent that loads it, in tokens. */
export function toolListTokens(): number {
	return approximateTokens(JSON.stringify(TOOLS));
}

function answerTokens(library: Library, ports: ToolPorts, { tool, args }: Call): number {
	const { text, isError } = callTool(library, ports, tool, args);
	if (isError) throw new Error(text);
	return approximateTokens(text);
}
