import type { PatternRecord } from './catalog.ts';

/** A figure of the front page, and the words that say what it counts. */
export interface Tile {
	value: string;
	label: string;
}

/**
 * The figures of the front page. Each counts what its words say and no more: a proven card without tests is not in the
 * share that tests prove, and what runs live are scenarios, not every page that a card calls its showcase.
 * @param patterns those that readers see
 * @param live how many of them have a scenario on the site
 */
export function tiles(patterns: readonly PatternRecord[], live: number): Tile[] {
	const proven = patterns.filter(({ maturity, tests }) => maturity === 'proven' && tests.length > 0).length;
	const invariants = patterns.flatMap((record) => record.invariants);
	const pinned = invariants.filter((invariant) => typeof invariant !== 'string').length;
	return [
		{ value: String(patterns.length), label: patterns.length === 1 ? 'pattern' : 'patterns' },
		{ value: `${Math.floor((100 * proven) / Math.max(1, patterns.length))} %`, label: 'proven by their tests' },
		{ value: String(pinned), label: `of ${invariants.length} rules pinned to a test` },
		...(live > 0 ? [{ value: String(live), label: 'run live in the browser' }] : []),
	];
}
