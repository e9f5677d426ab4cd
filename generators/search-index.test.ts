import { describe, expect, it } from 'vitest';
import { freezeTexts } from '../registry/concordance.ts';
import { createLibrary } from '../registry/library.ts';
import { fixtureRegistry, fixtureSource } from './fixture.ts';
import { frozenRegistry } from './frozen.ts';
import { sha256 } from './hash.ts';
import { searchIndex } from './search-index.ts';

describe('search index', () => {
	const registry = fixtureRegistry([{ id: 'b', asks: ['why so slow'] }, { id: 'a', category: 'data' }, { id: 'c' }]);
	const frozen = frozenRegistry(registry, fixtureSource(registry), 'make it');
	const { patterns } = createLibrary(registry);

	it('reads back as the texts of the records, in the order of every surface, with the digest of the frozen registry', () => {
		const { path, text } = searchIndex(patterns, frozen, 'make it');
		expect(path).toBe('public/search-index.json');
		expect(JSON.parse(text)).toEqual({
			format: 1,
			generated: 'make it',
			registry: sha256(frozen.text),
			records: freezeTexts(patterns),
		});
		expect(patterns.map(({ id }) => id)).toEqual(['b', 'c', 'a']);
	});

	it('has each record on a line of its own, and is whole without any', () => {
		const lines = searchIndex(patterns, frozen, 'make it').text.split('\n');
		expect(lines.filter((line) => /^\{"id":"[abc]","texts":/.test(line))).toHaveLength(3);
		expect(JSON.parse(searchIndex([], frozen, 'make it').text)).toMatchObject({ records: [] });
	});
});
