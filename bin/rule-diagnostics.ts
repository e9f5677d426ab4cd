import { join } from 'node:path';
import { RULES_PATH, readRulesText } from '../mcp/repository-rules.ts';
import { fixtureFaults } from '../mcp/rule-fixtures.ts';
import { type RuleFault, readRules } from '../mcp/rule-form.ts';
import type { Diagnostic } from '../registry/diagnostic.ts';
import { formatPath, parseText } from '../registry/parse.ts';
import { slowRules } from './rule-time.ts';
import { shownPath } from './target.ts';

/**
 * Everything that is wrong with a repository's own snippet rules, each at its place, as of the registry: their JSON, their
 * form, examples that do not hold, patterns that take too long. Undefined when the repository has none.
 */
export function ruleDiagnostics(root: string, cwd: string): { file: string; diagnostics: Diagnostic[] } | undefined {
	const file = shownPath(join(root, RULES_PATH), cwd);
	const read = readRulesText(root);
	if (read.kind === 'none') return undefined;
	if (read.kind === 'unreadable') {
		const fix = 'Put a regular file of the repository there, or remove it to have the built-in rules.';
		return { file, diagnostics: [{ ...placed(file, 1, 1), message: `${sentence(read.reason)}.`, fix, field: '' }] };
	}
	const parsed = parseText(read.text, 'file of snippet rules');
	const syntax = parsed.problems.map(({ line, column, message, fix, path }) => ({
		...placed(file, line, column),
		field: formatPath(path),
		message,
		fix,
	}));
	const faults = parsed.data ? ruleFaults(parsed.data.value) : [];
	const located = faults.map(({ path, message, fix }) => {
		const { line, column } = parsed.locate(path);
		return { ...placed(file, line, column), field: formatPath(path), message, fix };
	});
	return { file, diagnostics: [...syntax, ...located].sort((a, b) => a.line - b.line || a.column - b.column) };
}

/** What only running the rules tells is asked of rules that can be run. */
function ruleFaults(value: unknown): RuleFault[] {
	const read = readRules(value);
	if ('faults' in read) return read.faults;
	const slow = slowRules(read.rules);
	return slow.length > 0 ? slow : fixtureFaults(read.rules);
}

function placed(file: string, line: number, column: number) {
	return { severity: 'error' as const, file, line, column };
}

function sentence(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
