import type { PatternRecord } from './catalog.ts';
import { groups, library } from './source.ts';

/** What the registry amounts to. */
export interface Figures {
	patterns: number;
	proven: number;
	invariants: number;
	pinned: number;
	showcases: number;
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
		showcases: patterns.filter(isShown).length,
	};
}

/** Patterns with a showcase, one of each group in turn, so that few of them show the breadth of the library. */
export function featured(count: number): PatternRecord[] {
	const queues = groups.map(({ categories }) => categories.flatMap(({ patterns }) => patterns.filter(isShown)));
	const chosen: PatternRecord[] = [];
	for (let turn = 0; chosen.length < count && queues.some((queue) => queue.length > turn); turn++) {
		for (const queue of queues) {
			const record = queue[turn];
			if (record && chosen.length < count) chosen.push(record);
		}
	}
	return chosen;
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
