import { runInNewContext } from 'node:vm';
import { OWN_RULES_MAX_SNIPPET } from '../mcp/repository-rules.ts';
import type { RuleFault } from '../mcp/rule-form.ts';
import { inspectSnippet, type SnippetRule } from '../mcp/snippet.ts';

/** How long one rule may take over all hostile snippets together, in milliseconds; what is well made takes a tenth. */
const TIME_LIMIT = 5_000;

/** Pieces that patterns stumble over when they come again and again. */
const PIECES = [' ', '\n', 'a', '(', '{', ',', '`', "'", 'a, ', 'a.', '=', ' a', '${', 'import ', '() => '];

/**
 * Rules whose patterns take too long on the longest snippet, made of their own examples and of pieces that patterns
 * stumble over. A regular expression cannot be interrupted from within, so it runs where the runtime can end it.
 */
export function slowRules(rules: readonly SnippetRule[], limit = TIME_LIMIT): RuleFault[] {
	return rules.flatMap((rule, index) => {
		const examples = [...rule.pass, ...rule.fail.map(({ code }) => code)];
		const own = new Set(rule.pattern.match(/[\p{L}\p{N}_]/gu));
		const hostile = [...new Set([...PIECES, ...own, ...examples.map((code) => `${code}\n`)])];
		const run = () => {
			for (const piece of hostile) {
				inspectSnippet(piece.repeat(OWN_RULES_MAX_SNIPPET / piece.length), rule.languages[0], [rule]);
			}
		};
		try {
			runInNewContext('run()', { run }, { timeout: limit });
			return [];
		} catch (error) {
			if (!isTimeout(error)) throw error;
			const message = `${rule.id} takes more than ${limit / 1000} s on long snippets, and nothing could end it.`;
			const fix = 'Let neighbouring repetitions match different characters, or lower their bounds.';
			return [{ path: ['rules', index, 'pattern'], message, fix }];
		}
	});
}

/** The error is one of the other context, so it is no instance of this one's. */
function isTimeout(error: unknown): boolean {
	return (
		typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
	);
}
