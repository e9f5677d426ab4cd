/** Most repetitions that one quantifier of a rule's pattern may ask for. */
export const MAX_REPETITIONS = 2_000;

/** What is known of an atom when its quantifier is read. */
interface Atom {
	/** It can match one text in more than one way: it holds a choice, or a repetition of no fixed count. */
	open: boolean;
}

/**
 * Why a pattern could keep the engine busy without end, or undefined when its form rules that out. A regular expression
 * cannot be interrupted, so one that comes from a file has to be of a form that ends: every repetition bounded, none
 * around a choice or another repetition, no reference back. The pattern must compile with the flag `u`.
 */
export function unboundedPart(pattern: string): string | undefined {
	const outer: Atom[] = [];
	let group: Atom = { open: false };
	let atom: Atom = { open: false };
	for (let at = 0; at < pattern.length; ) {
		const rest = pattern.slice(at);
		const reference = /^\\(?:[1-9]|k<)/.exec(rest);
		if (reference) return `a reference back, ${reference[0]}`;
		const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
		if (quantifier) {
			const [text, least, comma, most] = quantifier;
			const max = text.startsWith('?') ? 1 : Number(most || (comma === '' ? least : Number.NaN));
			if (!(max <= MAX_REPETITIONS)) return `${text} repeats without a bound`;
			if (max > 1 && atom.open) return `${text} repeats what holds a choice or a repetition itself`;
			if (Number(least) !== max) group.open = true;
			at += text.length;
			continue;
		}
		if (rest.startsWith('(')) {
			outer.push(group);
			group = { open: false };
			at += /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(rest)?.[0].length ?? 1;
			continue;
		}
		if (rest.startsWith(')')) {
			atom = group;
			group = outer.pop() ?? { open: false };
			if (atom.open) group.open = true;
			at++;
			continue;
		}
		if (rest.startsWith('|')) group.open = true;
		atom = { open: false };
		at += /^(?:\[(?:\\.|[^\]\\])*\]|\\.|.)/su.exec(rest)?.[0].length ?? 1;
	}
	return undefined;
}
