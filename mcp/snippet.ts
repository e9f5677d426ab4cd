import { ANSWER_BUDGET, approximateTokens } from '../registry/tokens.ts';
import ruleFile from './snippet-rules.json' with { type: 'json' };
import { type Scan, scanSource } from './source-scan.ts';

/** One convention, as a file of snippet rules declares it. */
export interface SnippetRule {
	id: string;
	/** Of `LANGUAGES`. */
	languages: string[];
	/** Where code breaks the rule; comments and the insides of strings are spaces in what it sees. Flags `gmu`. */
	pattern: string;
	/** When the match ends with the opening quote of a string: what that string holds. */
	string?: string;
	/** A comment inside the match says why the code is right as it is. */
	commentAllows?: boolean;
	message: string;
	fix: string;
	/** Code that the rule must let pass, and code that it must find, with the lines of the findings. */
	pass: string[];
	fail: { code: string; lines: number[] }[];
}

export interface Finding {
	/** 1-based. */
	line: number;
	/** The line itself, trimmed and cut. */
	source: string;
	rule: string;
	message: string;
	fix: string;
}

export type SnippetReport =
	| { kind: 'checked'; language: string; lines: number; rules: number; findings: Finding[] }
	| { kind: 'refused'; reason: string };

/** Rules that hold together, and whose conventions they are. */
export interface RuleSet {
	rules: readonly SnippetRule[];
	/** As an answer names them: "these are …". */
	whose: string;
	/** Longest snippet that they are run over, in characters. */
	maxSnippet: number;
}

export const SNIPPET_RULES: readonly SnippetRule[] = ruleFile.rules;
export const LANGUAGES = ['ts', 'tsx', 'js', 'jsx'] as const;

/** Longest snippet that is checked, in characters. */
export const MAX_SNIPPET = 100_000;
const MAX_SHOWN = 40;
/** What an answer holds beside its findings, in tokens. */
const REST = 500;

/** The rules that come with the server: what holds where a repository has none of its own. */
export const BUILT_IN: RuleSet = {
	rules: SNIPPET_RULES,
	whose: 'the built-in conventions of v10r-patterns; this repository has none of its own (registry/snippet-rules.json)',
	maxSnippet: MAX_SNIPPET,
};

const ALIASES: Readonly<Record<string, string>> = {
	...{ typescript: 'ts', mts: 'ts', cts: 'ts', typescriptreact: 'tsx' },
	...{ javascript: 'js', mjs: 'js', cjs: 'js', javascriptreact: 'jsx' },
};

/** Findings of the snippet rules, or that there are none, as text for an agent; with a set, also whose rules they are. */
export function checkSnippet(snippet: string, language?: string, set?: RuleSet): string {
	return renderReport(inspectSnippet(snippet, language, set?.rules, set?.maxSnippet), set?.whose);
}

/** Runs the rules for `language` (TypeScript when absent) over a snippet. A Markdown fence around it is not part of it. */
export function inspectSnippet(
	snippet: string,
	language?: string,
	rules = SNIPPET_RULES,
	maxSnippet = MAX_SNIPPET,
): SnippetReport {
	const asked = language?.trim().toLowerCase() || 'ts';
	const known = Object.hasOwn(ALIASES, asked) ? ALIASES[asked] : LANGUAGES.find((each) => each === asked);
	if (known === undefined) {
		return refused(
			`there are no rules for ${JSON.stringify(asked.slice(0, 40))}; rules exist for ${LANGUAGES.join(', ')}`,
		);
	}
	const applicable = rules.filter((rule) => rule.languages.includes(known));
	if (applicable.length === 0) {
		const languages = LANGUAGES.filter((each) => rules.some((rule) => rule.languages.includes(each)));
		return refused(`there are no rules for ${known}; rules exist for ${languages.join(', ') || 'no language'}`);
	}
	if (snippet.length > maxSnippet) {
		return refused(
			`the snippet has ${snippet.length} characters and at most ${maxSnippet} are checked at a time; send it in parts, a function or a file each`,
		);
	}
	const lines = withoutFence(snippet.split(/\r\n|\r|\n/));
	const source = lines.join('\n');
	if (source.trim() === '') return refused('the snippet is empty');
	const scan = scanSource(source);
	const lineOf = lineFinder(source);
	const allowed = allowances(source, scan, lineOf);
	const findings = applicable.flatMap((rule) =>
		matches(rule, source, scan)
			.map(lineOf)
			.filter((line) => !allowed.has(`${line} ${rule.id}`))
			.map((line) => ({
				line,
				source: shorten((lines[line - 1] ?? '').trim()),
				rule: rule.id,
				message: rule.message,
				fix: rule.fix,
			})),
	);
	// Stable: findings of one line stay in the order of the rules.
	findings.sort((a, b) => a.line - b.line);
	return { kind: 'checked', language: known, lines: lines.length, rules: applicable.length, findings };
}

/** @param whose the conventions that the rules are, named in an answer that checked something */
export function renderReport(report: SnippetReport, whose?: string): string {
	if (report.kind === 'refused') return `Nothing was checked: ${report.reason}.`;
	const { language, lines, rules, findings } = report;
	const scope = `${count(rules, 'rule')} for ${language}, ${count(lines, 'line')}`;
	const origin = whose === undefined ? '' : ` Checked against ${whose}.`;
	if (findings.length === 0) {
		return `Clean: no finding (${scope}). The rules know conventions, not behaviour; run the type checker and the tests too.${origin}`;
	}
	const texts = findings
		.slice(0, MAX_SHOWN)
		.map(({ line, source, rule, message, fix }) => `line ${line} [${rule}] ${message}\n  > ${source}\n  Fix: ${fix}`);
	const shown = withinBudget(texts);
	const more = findings.length - shown.length;
	return [
		`${count(findings.length, 'finding')} (${scope})${origin === '' ? '' : `.${origin}`}`,
		...shown,
		...(more > 0 ? [`${count(more, 'more finding')} not shown; mend these first.`] : []),
		`Mend these and call validate_snippet again until it is clean. Where a finding is right as it stands, say so on the line or above it: // allow ${findings[0]?.rule}: the reason`,
	].join('\n\n');
}

/** As many of the texts, from the first, as leave room for the rest of the answer; one in any case. */
function withinBudget(texts: readonly string[]): string[] {
	let spent = 0;
	return texts.filter((text, at) => {
		spent += approximateTokens(text);
		return at === 0 || spent < ANSWER_BUDGET - REST;
	});
}

/** Where the rule's pattern matches, as offsets. */
function matches(rule: SnippetRule, source: string, scan: Scan): number[] {
	const holds = rule.string === undefined ? undefined : new RegExp(rule.string, 'u');
	const strings = new Map(holds ? scan.strings.map(({ start, end }) => [start, source.slice(start + 1, end - 1)]) : []);
	const found: number[] = [];
	for (const match of scan.code.matchAll(new RegExp(rule.pattern, 'gmu'))) {
		const end = match.index + match[0].length;
		if (holds && !holds.test(strings.get(end - 1) ?? '')) continue;
		// Only a comment can be in the source and not in the code here.
		if (rule.commentAllows && source.slice(match.index, end) !== match[0]) continue;
		// From its first character that is to be seen; a match without one is where it begins.
		found.push(match.index + Math.max(0, match[0].search(/\S/)));
	}
	return found;
}

/** `line rule` of what comments allow: a comment speaks for its own line and the next, and must give a reason. */
function allowances(source: string, { comments }: Scan, lineOf: (offset: number) => number): ReadonlySet<string> {
	const allowed = new Set<string>();
	for (const { start, end } of comments) {
		const rule = /\ballow ([a-z0-9-]{1,60}): {0,4}\S/.exec(source.slice(start, end))?.[1];
		const line = lineOf(end - 1);
		if (rule) allowed.add(`${line} ${rule}`).add(`${line + 1} ${rule}`);
	}
	return allowed;
}

/** The 1-based line of an offset. */
function lineFinder(source: string): (offset: number) => number {
	const starts = [0];
	for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
	return (offset) => {
		let low = 0;
		let high = starts.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if ((starts[middle] ?? 0) <= offset) low = middle;
			else high = middle;
		}
		return low + 1;
	};
}

/** Blanks the fence lines of a snippet that is one fenced block, so that lines keep their numbers. */
function withoutFence(lines: readonly string[]): string[] {
	const first = lines.findIndex((line) => line.trim() !== '');
	const fence = /^\s*(`{3,}|~{3,})/.exec(lines[first] ?? '')?.[1];
	if (fence === undefined) return [...lines];
	const last = lines.findLastIndex((line) => line.trim() !== '');
	const closed = last > first && lines[last]?.trim() === fence;
	return lines.map((line, index) => (index === first || (closed && index === last) ? '' : line));
}

function refused(reason: string): SnippetReport {
	return { kind: 'refused', reason };
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function shorten(text: string): string {
	return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
