import type { PatternRecord } from './catalog.ts';
import { library } from './source.ts';

/** What the registry amounts to. */
export interface Figures {
	patterns: number;
	proven: number;
	invariants: number;
	pinned: number;
}

/** Counts over all patterns that readers see. */
export function figures(): Figures {
	const { patterns } = library;
	const invariants = patterns.flatMap((record) => record.invariants);
	return {
		patterns: patterns.length,
		proven: patterns.filter(({ maturity }) => maturity === 'proven').length,
		invariants: invariants.length,
		pinned: invariants.filter((invariant) => typeof invariant !== 'string').length,
	};
}

/** The card that the front page shows as a sample: deep, and with the most rules that tests pin, short ones first. */
export function sample(): PatternRecord | undefined {
	const deep = library.patterns.filter((record) => record.tier === 'deep' && isShown(record));
	const length = (record: PatternRecord) => record.title.length + record.summary.length;
	return deep.toSorted((a, b) => length(a) - length(b))[0] ?? library.patterns[0];
}

function isShown({ showcases }: PatternRecord): boolean {
	return showcases.some(({ kind }) => kind === 'route');
}
