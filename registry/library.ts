import type { Concordance } from './concordance.ts';
import { visiblePatterns } from './order.ts';
import type { PatternRecord, Registry } from './schema.ts';
import { buildIndex, type SearchIndex } from './search-index.ts';

/** A registry made ready for queries: what readers see of it, and the look-ups that every query needs. */
export interface Library {
	registry: Registry;
	/** The patterns that readers see, in the order of every surface. */
	patterns: readonly PatternRecord[];
	byId: ReadonlyMap<string, PatternRecord>;
	index: SearchIndex;
}

/**
 * Prepares a registry for queries. Pure; hidden records are not in it.
 * @param concordance that of the visible patterns, when it is at hand; else their texts are read
 * @throws Error when the concordance is that of other patterns
 */
export function createLibrary(registry: Registry, concordance?: Concordance): Library {
	const patterns = visiblePatterns(registry);
	return {
		registry,
		patterns,
		byId: new Map(patterns.map((pattern) => [pattern.id, pattern])),
		index: buildIndex(patterns, concordance),
	};
}
