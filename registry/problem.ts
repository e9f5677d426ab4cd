import { distance } from 'fastest-levenshtein';
import type { Severity } from './diagnostic.ts';
import type { JsonPath } from './parse.ts';

/** A finding before it is given a place in the file: `validate.ts` turns it into a diagnostic. */
export interface Problem {
	severity: Severity;
	/** Where it lies in the registry, from the root: `['patterns', 3, 'docs', 0, 'path']`. */
	path: JsonPath;
	/** Whether to point at the value (the default) or at its key. */
	at?: 'key' | 'value';
	message: string;
	fix: string;
	/** The fields whose absence or emptiness is the finding. */
	lacks?: readonly JsonPath[];
}

export function error(path: JsonPath, message: string, fix: string): Problem {
	return { severity: 'error', path, message, fix };
}

export function warning(path: JsonPath, message: string, fix: string): Problem {
	return { severity: 'warning', path, message, fix };
}

/** The known name closest to `name`, when it is close enough to be what the author meant. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
	// Two neighbouring letters swapped are two edits.
	const limit = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
	let best: { name: string; distance: number } | undefined;
	for (const candidate of known) {
		const found = { name: candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) };
		if (found.distance <= limit && (!best || found.distance < best.distance)) best = found;
	}
	return best?.name;
}

/** `Did you mean "x"?`, or else the alternative hint. */
export function didYouMean(name: string, known: Iterable<string>, otherwise: string): string {
	const close = nearest(name, known);
	return close === undefined ? otherwise : `Did you mean ${JSON.stringify(close)}?`;
}
