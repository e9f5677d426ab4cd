import { CARD_SECTIONS, type CardSection, HEADER_FIELDS, renderCard } from './card.ts';
import {
	excerptExample,
	patternExample,
	planExample,
	searchExample,
	snippetExample,
	traceExample,
} from './examples.ts';
import { MAX_LINES, renderExcerpt } from './excerpt.ts';
import type { Library } from './library.ts';
import { assemblePlan } from './plan.ts';
import { renderPlan } from './plan-answer.ts';
import { searchPatterns } from './search.ts';
import { renderSearch } from './search-answer.ts';
import { ANSWER_BUDGET, approximateTokens } from './tokens.ts';
import {
	type Refused,
	type Tool,
	type ToolDefinition,
	type ToolPorts,
	type ToolResult,
	tool,
	workingCall,
} from './tool.ts';
import { renderTrace, traceCapability } from './trace.ts';
import { TOOL_VOICE, type Voice } from './voice.ts';

export type { FileRead, ToolDefinition, ToolPorts, ToolResult } from './tool.ts';

/** The name of a tool that does not exist. */
export class UnknownToolError extends Error {
	constructor(name: string) {
		super(`Unknown tool: ${name}`);
		this.name = 'UnknownToolError';
	}
}

const MAX_LIMIT = 25;
const DEFAULT_LIMIT = 5;

const ALL: readonly Tool[] = [
	tool(
		'search_patterns',
		'Find patterns for a task or a symptom in plain words. Ranked rows: grade, maturity, what each requires, when not to use it; or an explicit no-match. Start here.',
		{
			query: {
				kind: 'text',
				required: true,
				description: 'The task or symptom: "clients retry and get charged twice"',
			},
			limit: { kind: 'integer', min: 1, max: MAX_LIMIT, description: `Rows to show, default ${DEFAULT_LIMIT}` },
			category: { kind: 'text', description: 'Only this category id' },
			tier: { kind: 'choice', choices: ['deep', 'light'], description: 'deep: full cards; light: index entries' },
			detail: { kind: 'choice', choices: ['full', 'compact'], description: 'compact: one line a row' },
		},
		searchExample,
		(library, { query, limit = DEFAULT_LIMIT, category, tier, detail }) => {
			const categories = library.registry.categories.map(({ id }) => id);
			if (category && !categories.includes(category)) {
				return {
					problem: `there is no category "${category.slice(0, 80)}"; there are: ${categories.join(', ') || 'none'}`,
					advise: true,
				};
			}
			const options = { limit, ...(category ? { category } : {}), ...(tier ? { tier: tier as 'deep' | 'light' } : {}) };
			return renderSearch(library, searchPatterns(library.index, query, options), {
				...options,
				query,
				maxLimit: MAX_LIMIT,
				detail: detail === 'compact' ? 'compact' : 'full',
			});
		},
	),
	tool(
		'get_pattern',
		'The card of a pattern, or of several: when to use it and when not, docs, code, tests, invariants that MUST survive a port. Ask for sections to read less.',
		{
			id: { kind: 'text', description: 'Pattern id from search_patterns' },
			ids: { kind: 'texts', description: 'Several ids at once' },
			sections: {
				kind: 'texts',
				choices: [...CARD_SECTIONS, ...HEADER_FIELDS],
				description: 'Only these sections, under the header',
			},
		},
		patternExample,
		getPattern,
	),
	tool(
		'get_file_excerpt',
		'Numbered lines of a doc, code or test file that a card cites, by line window or by section, with an outline of what follows.',
		{
			path: {
				kind: 'text',
				required: true,
				description: 'Path from the repository root, as the card gives it; may end in #section',
			},
			start_line: { kind: 'integer', min: 1, max: 10_000_000, description: 'First line, 1-based' },
			line_count: { kind: 'integer', min: 1, max: MAX_LINES, description: 'Lines to show, default 120' },
			section: { kind: 'text', description: 'Markdown #fragment or heading, or the name of a declaration' },
		},
		excerptExample,
		(_library, { path, start_line, line_count, section }, ports) => {
			const [file = '', fragment] = splitFragment(path);
			const read = ports.readFile(file);
			if (!read.ok) return { problem: read.reason, advise: true };
			const wanted = section ?? fragment;
			const excerpt = renderExcerpt(
				{ path: file, text: read.text, truncated: read.truncated },
				{
					...(start_line === undefined ? {} : { startLine: start_line }),
					...(line_count === undefined ? {} : { lineCount: line_count }),
					...(wanted === undefined || wanted === '' ? {} : { section: wanted }),
				},
			);
			return excerpt.ok ? excerpt.text : excerpt;
		},
	),
	tool(
		'trace_capability',
		'For one capability: concept, docs, code, tests and live proof in one chain, with the invariants.',
		{ capability: { kind: 'text', required: true, description: 'What the code should be able to do' } },
		traceExample,
		(library, { capability }) => renderTrace(library, traceCapability(library, capability)),
	),
	tool(
		'recommend_emulation_plan',
		'A dependency-ordered build plan from deep cards for several capabilities, with what it requires, what the target lacks and what is not covered.',
		{
			capabilities: { kind: 'texts', required: true, description: 'One plain-words task each' },
			include_dependencies: { kind: 'flag', description: 'Add what the patterns build on, default true' },
			target_infra: {
				kind: 'texts',
				description: 'Requirement ids that the target already runs, for a verdict per step',
			},
			detail: {
				kind: 'choice',
				choices: ['full', 'outline'],
				description: 'outline: no docs, code, tests, invariants',
			},
		},
		planExample,
		recommendPlan,
	),
	tool(
		'validate_snippet',
		'Check TypeScript that you wrote against the conventions of this repository, or built-in ones where it has none. Findings by line with a fix each; mend them and call again until clean.',
		{
			snippet: { kind: 'text', required: true, description: 'The code' },
			language: { kind: 'text', description: 'Default ts' },
		},
		snippetExample,
		(_library, { snippet, language }, ports) => ports.checkSnippet(snippet, language),
	),
];

/** The six tools, in the order in which clients list them. */
export const TOOLS: readonly ToolDefinition[] = ALL.map(({ definition }) => definition);

/**
 * Answers one call.
 * @param voice how an error names what it is about
 * @throws UnknownToolError when no tool has that name; any other exception is a fault of the server
 */
export function callTool(
	library: Library,
	ports: ToolPorts,
	name: string,
	args: unknown,
	voice: Voice = TOOL_VOICE,
): ToolResult {
	return toolNamed(name).answer(library, ports, args, voice);
}

/**
 * A call of a tool that works in this library, as text.
 * @throws UnknownToolError when no tool has that name
 */
export function showCall(library: Library, ports: ToolPorts, name: string, voice: Voice = TOOL_VOICE): string {
	return workingCall(name, toolNamed(name).example(library, ports.readFile), voice);
}

function toolNamed(name: string): Tool {
	const found = ALL.find(({ definition }) => definition.name === name);
	if (!found) throw new UnknownToolError(name);
	return found;
}

function getPattern(
	library: Library,
	{ id, ids, sections }: { id?: string | undefined; ids?: string[] | undefined; sections?: string[] | undefined },
	_ports: ToolPorts,
	voice: Voice,
): string | Refused {
	const asked = [...new Set([...(id ? [id] : []), ...(ids ?? [])].map((one) => one.trim()).filter(Boolean))];
	if (asked.length === 0) return { problem: `${voice.argument('get_pattern', 'id')} is missing`, advise: true };
	const known = asked.flatMap((one) => library.byId.get(one) ?? library.byId.get(one.toLowerCase()) ?? []);
	const unknown = asked.filter((one) => !library.byId.has(one) && !library.byId.has(one.toLowerCase()));
	const blocks = unknown.length > 0 ? [unknownPatterns(library, unknown, voice)] : [];
	const left: string[] = [];
	let spent = approximateTokens(blocks.join(''));
	for (const record of known) {
		const budget = ANSWER_BUDGET - spent;
		const card = renderCard(library, record, {
			budget: spent === 0 ? budget : ANSWER_BUDGET,
			...(sections ? { sections: sections as CardSection[] } : {}),
		});
		const cost = approximateTokens(card);
		if (cost > budget && blocks.length > 0) {
			left.push(record.id);
			continue;
		}
		spent += cost;
		blocks.push(card);
	}
	if (left.length > 0) {
		blocks.push(
			`Not shown for length: ${left.length} of ${asked.length} cards. Next: get_pattern {"ids": ${JSON.stringify(left)}${sections ? `, "sections": ${JSON.stringify(sections)}` : ''}}`,
		);
	}
	const text = blocks.join('\n\n---\n\n');
	return known.length === 0 ? { problem: text, advise: true } : text;
}

/** Which ids do not exist, the first few with what is closest to them. */
function unknownPatterns(library: Library, ids: readonly string[], voice: Voice): string {
	const lines = ids.slice(0, 5).map((id) => {
		const result = searchPatterns(library.index, id.slice(0, 80).replaceAll('-', ' '), { limit: 3 });
		const near = [...result.hits, ...result.near].slice(0, 3).map(({ record }) => record.id);
		return `There is no pattern "${id.slice(0, 80)}".${near.length > 0 ? ` Closest: ${near.join(', ')}.` : ''}`;
	});
	if (ids.length > 5) lines.push(`Nor are there ${ids.length - 5} more of the ids.`);
	return [...lines, `${voice.tool('search_patterns')} finds ids by a task in plain words.`].join('\n');
}

function recommendPlan(
	library: Library,
	values: {
		capabilities: string[];
		include_dependencies?: boolean | undefined;
		target_infra?: string[] | undefined;
		detail?: string | undefined;
	},
	_ports: ToolPorts,
	voice: Voice,
): string | Refused {
	const vocabulary = [
		...new Set([
			...library.registry.requirements.map(({ id }) => id),
			...library.patterns.flatMap(({ requires }) => requires),
		]),
	];
	const folded = new Map(vocabulary.map((id) => [id.toLowerCase(), id]));
	const targetInfra = values.target_infra?.map((id) => folded.get(id.trim().toLowerCase()) ?? id);
	const stray = targetInfra?.filter((id) => !vocabulary.includes(id)) ?? [];
	if (stray.length > 0) {
		return {
			problem: `${voice.argument('recommend_emulation_plan', 'target_infra')} may hold ${vocabulary.join(', ') || 'nothing: this library declares no requirements'}; got ${JSON.stringify(stray.slice(0, 5).map((id) => id.slice(0, 40)))}; leave out what is not listed`,
			advise: true,
		};
	}
	const request = {
		capabilities: values.capabilities.slice(0, 12),
		...(values.include_dependencies === undefined ? {} : { includeDependencies: values.include_dependencies }),
		...(targetInfra ? { targetInfra } : {}),
	};
	const text = renderPlan(assemblePlan(library, request), request, values.detail === 'outline' ? 'outline' : 'full');
	const dropped = values.capabilities.length - request.capabilities.length;
	return dropped > 0 ? `${text}\n\n${dropped} more capabilities were not planned: at most 12 in one call.` : text;
}

/** `docs/x.md#part` → path and fragment. */
function splitFragment(path: string): [string, string?] {
	const at = path.indexOf('#');
	return at < 0 ? [path] : [path.slice(0, at), path.slice(at)];
}
