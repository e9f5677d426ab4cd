import type { RuleFault } from './rule-form.ts';
import { inspectSnippet, type SnippetRule } from './snippet.ts';

/** Where the examples of rules do not hold: code that must pass and is found, code whose findings are on other lines. */
export function fixtureFaults(rules: readonly SnippetRule[]): RuleFault[] {
	return rules.flatMap((rule, index) => [
		...rule.pass.flatMap((code, at) => fault(rule, code, [], ['rules', index, 'pass', at])),
		...rule.fail.flatMap(({ code, lines }, at) => fault(rule, code, lines, ['rules', index, 'fail', at])),
	]);
}

function fault(rule: SnippetRule, code: string, expected: readonly number[], path: RuleFault['path']): RuleFault[] {
	const report = inspectSnippet(code, rule.languages[0], [rule]);
	if (report.kind === 'refused') {
		return [{ path, message: `The example cannot be checked: ${report.reason}.`, fix: 'Give code, or delete it.' }];
	}
	const found = report.findings.map(({ line }) => line);
	if (found.join() === expected.join()) return [];
	const message = `${rule.id} finds ${places(found)} in this example, expected ${places(expected)}.`;
	return [{ path, message, fix: 'Mend the pattern, or the example.' }];
}

function places(lines: readonly number[]): string {
	if (lines.length === 0) return 'nothing';
	return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}
