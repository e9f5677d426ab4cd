import { error, type Problem, warning } from '../problem.ts';
import { termsOf, tokenize } from '../text.ts';
import { type Check, eachPattern } from './check.ts';

const MIN_WORDS = 3;
const MAX_WORDS = 14;
const UNSPACED_SCRIPT =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** A keyword, capability or ask that no search can find reads on the card as if it were covered. */
export const checkTerms = eachPattern((record, path) =>
	(['keywords', 'capabilities', 'asks'] as const).flatMap((field) =>
		record[field].flatMap((text, index): Problem[] => {
			if (text.trim() === '' || tokenize(text).length > 0) return [];
			const message = `${JSON.stringify(text)} has no term that search knows: only stop words, single letters or signs.`;
			return [error([...path, field, index], message, 'Use a longer form, or delete it.')];
		}),
	),
);

/** An ask is a short request in the words of someone who does not know the answer. */
export const checkAskLength = eachPattern((record, path) =>
	record.asks.flatMap((ask, index): Problem[] => {
		const words = countWords(ask);
		if (words >= MIN_WORDS && words <= MAX_WORDS) return [];
		const count = `${words} word${words === 1 ? '' : 's'}`;
		const fix =
			words < MIN_WORDS ? 'Say what the person is after; a bare word belongs in keywords.' : 'Shorten it, or split it.';
		return [warning([...path, 'asks', index], `The ask has ${count}, expected ${MIN_WORDS} to ${MAX_WORDS}.`, fix)];
	}),
);

/** An ask that stands on two cards cannot tell them apart. Asks with the same terms in any order are the same. */
export const checkSharedAsks: Check = ({ registry }) => {
	const first = new Map<string, { pattern: number; ask: string }>();
	return registry.patterns.flatMap((record, pattern) =>
		record.asks.flatMap((ask, index): Problem[] => {
			const key = termsOf(ask).sort().join(' ');
			if (key === '') return [];
			const before = first.get(key);
			if (!before) first.set(key, { pattern, ask });
			if (!before || before.pattern === pattern) return [];
			const other = JSON.stringify(registry.patterns[before.pattern]?.id ?? '');
			const message = `The ask means the same to search as ${JSON.stringify(before.ask)} of ${other}.`;
			return [warning(['patterns', pattern, 'asks', index], message, 'Keep it on the card that answers it better.')];
		}),
	);
};

/** Words between blanks; in scripts without blanks, as Unicode segments them. */
function countWords(text: string): number {
	if (!UNSPACED_SCRIPT.test(text)) return text.trim().split(/\s+/).length;
	return [...new Intl.Segmenter('en', { granularity: 'word' }).segment(text)].filter((part) => part.isWordLike).length;
}
