/** Pieces of the Markdown that is written for pages without a file of their own. */

/**
 * Text from a card or a scenario as one line of Markdown that reads as it was written: what could be taken for markup is
 * escaped, except in code between backticks.
 */
export function words(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	const parts = line.split(/(`[^`]+`)/);
	const escaped = parts.map((part, at) =>
		at % 2 === 1 ? part : part.replace(/[\\*[\]<&`~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&'),
	);
	return escaped
		.join('')
		.replace(/^[-+#>=]/, '\\$&')
		.replace(/^(\d+)([.)])/, '$1\\$2');
}

/** A link. */
export function link(label: string, address: string): string {
	return `[${words(label)}](${address})`;
}

/** A text as a block of code, its fence longer than any in the text. */
export function fenced(text: string, language = ''): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
}

/** Blocks with a blank line between them; empty ones and undefined ones fall away. */
export function blocks(...parts: readonly (string | undefined)[]): string {
	return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`;
}
