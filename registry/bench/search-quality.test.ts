import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { freezeTexts, thawTexts } from '../concordance.ts';
import { createLibrary } from '../library.ts';
import { readRegistry } from '../read.ts';
import { searchPatterns } from '../search.ts';
import { foldName } from '../text.ts';
import { measure } from './measure.ts';
import { readQuerySet } from './query-set.ts';
import { miniSearchRanker, ownRanker } from './rankers.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const library = createLibrary(readRegistry(read('../registry.json')));
const known = new Set(library.byId.keys());
const own = ownRanker(library.index);

describe.each(['development', 'blind'])('the search of this library on the %s set', (name) => {
	const queries = readQuerySet(read(`./queries/${name}.json`), known);
	const result = measure(own, queries);

	it('has at least 60 covered and 30 uncovered queries to answer', () => {
		expect(result.covered).toBeGreaterThanOrEqual(60);
		expect(result.uncovered).toBeGreaterThanOrEqual(30);
	});

	it('finds the right card first for at least 85 of 100 covered queries, and among three for 95', () => {
		expect(result.accuracyAt1).toBeGreaterThanOrEqual(0.85);
		expect(result.recallAt3).toBeGreaterThanOrEqual(0.95);
	});

	it('refuses at most 8 of 100 covered queries and at least 88 of 100 uncovered ones', () => {
		expect(result.coveredRefused).toBeLessThanOrEqual(0.08);
		expect(result.uncoveredRefused).toBeGreaterThanOrEqual(0.88);
	});

	it('finds more than MiniSearch does, which refuses next to nothing', () => {
		const other = measure(miniSearchRanker(library.patterns), queries);
		expect(result.accuracyAt1).toBeGreaterThan(other.accuracyAt1);
		expect(other.uncoveredRefused).toBeLessThan(0.2);
	});
});

describe('the search of this library on decoys', () => {
	it('refuses most queries that share words with a card and ask for something else', () => {
		const decoys = readQuerySet(read('./queries/decoys.json'), known);
		expect(decoys.every(({ expect }) => expect.length === 0)).toBe(true);
		expect(measure(own, decoys).uncoveredRefused).toBeGreaterThanOrEqual(0.6);
	});
});

describe('the search over frozen texts', () => {
	it('answers every query as the search over the registry itself does, to the last digit', () => {
		const frozen: unknown[] = JSON.parse(JSON.stringify(freezeTexts(library.patterns)));
		const thawed = createLibrary(library.registry, thawTexts(library.patterns, frozen));
		for (const { query } of readQuerySet(read('./queries/development.json'), known)) {
			expect(searchPatterns(thawed.index, query), query).toEqual(searchPatterns(library.index, query));
		}
	});
});

describe('the sets of queries', () => {
	it('share no query', () => {
		const names = ['development', 'blind', 'decoys'];
		const all = names.flatMap((name) => readQuerySet(read(`./queries/${name}.json`), known));
		const folded = all.map(({ query }) => foldName(query));
		expect(folded.filter((query, at) => folded.indexOf(query) !== at)).toEqual([]);
	});
});
