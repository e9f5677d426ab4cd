/** Most repetitions that one quantifier of a rule's pattern may ask for. */
export const MAX_REPETITIONS = 2_000;
/** Most ways in which neighbouring repetitions and choices may share one text out among them. */
export const MAX_WAYS = 100_000;

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;
/** One character of a pattern, or what stands for one: a class, an escape with all that belongs to it. */
const ATOM = /^(?:\[(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[pP]\{[^}]*\}|\\.|.)/su;

/** What is known of the atom that a quantifier would apply to. */
interface Atom {
	/** Its text, when it is one character or stands for one. */
	text?: string;
	/** It can match one text in more than one way: it holds a choice, or a repetition of no fixed count. */
	open: boolean;
}

/**
 * Why a pattern could keep the engine busy without end, or undefined when its form rules that out. A regular expression
 * cannot be interrupted, so one that comes from a file has to be of a form that ends: every repetition bounded, none
 * around a choice or another repetition, no reference back, and neighbours that cannot share out one text in too many
 * ways. Neighbours are parted by a character that has to be there and that none of them matches. The pattern must compile
 * with the flag `u`.
 */
export function unboundedPart(pattern: string): string | undefined {
	const outer: Atom[] = [];
	let group: Atom = { open: false };
	let atom: Atom = { open: false };
	let ways = 1;
	let neighbours: string[] = [];
	const choose = (count: number, text = '[^]') => {
		// What none of them matches ends each of them: it adds to their work and does not multiply it.
		if (text === '[^]' || neighbours.some((other) => overlap(text, other))) ways *= count;
		neighbours.push(text);
	};
	for (let at = 0; at < pattern.length; ) {
		const rest = pattern.slice(at);
		const reference = /^\\(?:[1-9]|k<)/.exec(rest);
		if (reference) return `a reference back, ${reference[0]}`;
		const quantifier = QUANTIFIER.exec(rest);
		if (quantifier) {
			const [text] = quantifier;
			const { least, most } = boundsOf(quantifier);
			if (!(most <= MAX_REPETITIONS)) return `${text} repeats without a bound`;
			if (most > 1 && atom.open) return `${text} repeats what holds a choice or a repetition itself`;
			if (least !== most) {
				group.open = true;
				choose(most - least + 1, atom.text);
			} else if (least > 0) part(atom);
			atom = { open: false };
			at += text.length;
		} else if (rest.startsWith('(')) {
			part(atom);
			outer.push(group);
			group = { open: false };
			atom = { open: false };
			at += /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(rest)?.[0].length ?? 1;
		} else if (rest.startsWith(')')) {
			atom = { open: group.open };
			group = outer.pop() ?? { open: false };
			if (atom.open) group.open = true;
			at++;
		} else if (rest.startsWith('|')) {
			group.open = true;
			if (outer.length > 0) choose(2, undefined);
			else [ways, neighbours] = [1, []];
			atom = { open: false };
			at++;
		} else {
			part(atom);
			const text = ATOM.exec(rest)?.[0] ?? rest.slice(0, 1);
			atom = { text, open: false };
			at += text.length;
		}
		if (ways > MAX_WAYS) return `neighbouring repetitions can share out one text in more than ${MAX_WAYS} ways`;
	}
	return undefined;

	/** A character that has to be there, outside of every group, parts what stands before it from what follows. */
	function part({ text }: Atom): void {
		if (text === undefined || outer.length > 0 || !overlap(text, '[^]')) return;
		if (neighbours.some((other) => overlap(text, other))) return;
		[ways, neighbours] = [1, []];
	}
}

function boundsOf([text, least, comma, most]: RegExpExecArray): { least: number; most: number } {
	if (text?.startsWith('?')) return { least: 0, most: 1 };
	if (least === undefined) return { least: 0, most: Number.POSITIVE_INFINITY };
	return { least: Number(least), most: most ? Number(most) : comma ? Number.POSITIVE_INFINITY : Number(least) };
}

/** Letters, digits and signs of ASCII, and some beyond it: enough to tell two classes apart as rules are written. */
const SAMPLE = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), ...'\u00a0éßЖ検\u2028😀'];

/** Whether some character is matched by both; anchors match none, and `[^]` every one. */
function overlap(one: string, other: string): boolean {
	const [a, b] = [one, other].map((text) => new RegExp(`^(?:${text})$`, 'su'));
	return SAMPLE.some((character) => a?.test(character) && b?.test(character));
}
