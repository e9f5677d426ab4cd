/**
 * An estimate of what a text costs a language model: four ASCII characters to a token, and one token for any other
 * character. Close enough to budget by; no tokenizer of a particular model is meant.
 */
export function approximateTokens(text: string): number {
	let ascii = 0;
	let other = 0;
	for (const character of text) {
		if (character <= '\u007f') ascii++;
		else other++;
	}
	return Math.ceil(ascii / 4) + other;
}

/** Every answer of a tool stays under this many tokens, as `approximateTokens` counts them: clients cut longer ones. */
export const ANSWER_BUDGET = 9000;
