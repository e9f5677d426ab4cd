import type { PatternRecord } from '../catalog.ts';

/** What a registry holds, counted. */
export interface Figures {
	patterns: number;
	deep: number;
	light: number;
	proven: number;
	/** Proven patterns in percent of all, rounded; 0 for none. */
	provenPercent: number;
	invariants: number;
	/** Invariants that name the test which fails when they are broken. */
	pinned: number;
	dependencies: number;
}

/** Counts the patterns that readers see. */
export function figuresOf(patterns: readonly PatternRecord[]): Figures {
	const count = (test: (record: PatternRecord) => boolean) => patterns.filter(test).length;
	const invariants = patterns.flatMap((record) => record.invariants);
	const proven = count(({ maturity }) => maturity === 'proven');
	const deep = count(({ tier }) => tier === 'deep');
	return {
		patterns: patterns.length,
		deep,
		light: patterns.length - deep,
		proven,
		provenPercent: patterns.length === 0 ? 0 : Math.round((proven / patterns.length) * 100),
		invariants: invariants.length,
		pinned: invariants.filter((invariant) => typeof invariant !== 'string').length,
		dependencies: patterns.reduce((sum, { depends_on }) => sum + depends_on.length, 0),
	};
}
