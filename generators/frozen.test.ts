import { describe, expect, it } from 'vitest';
import { readRegistry } from '../registry/read.ts';
import { fixtureRegistry, fixtureSource } from './fixture.ts';
import { frozenRegistry } from './frozen.ts';
import { sha256 } from './hash.ts';
import { withoutHidden } from './visible.ts';

describe('frozen registry', () => {
	const registry = fixtureRegistry([
		{ id: 'b', keywords: ['x'] },
		{ id: 'a', category: 'data' },
	]);
	const source = fixtureSource(registry);

	it('reads back as the registry, in the order of the file, with the digest of its source', () => {
		const { path, text } = frozenRegistry(registry, source, 'make it');
		expect(path).toBe('public/registry.json');
		const frozen = JSON.parse(text) as Record<string, unknown>;
		expect(frozen).toMatchObject({
			format: 1,
			generated: 'make it',
			source: { path: 'registry/registry.json', sha256: sha256(source.bytes) },
		});
		expect(readRegistry(frozen)).toEqual(registry);
	});

	it('has each record on a line of its own', () => {
		const lines = frozenRegistry(registry, source, 'make it').text.split('\n');
		expect(lines.filter((line) => line.startsWith('{"id":"b"'))).toHaveLength(1);
		expect(lines.filter((line) => /^\{"id":"[ab]","tier"/.test(line))).toHaveLength(2);
	});
});

describe('the registry as readers see it', () => {
	const registry = fixtureRegistry([
		{ id: 'a', depends_on: ['secret', 'unknown'], requires: ['redis'] },
		{ id: 'secret', category: 'data', requires: ['postgres', 'redis'], hidden: true },
	]);

	it('has no hidden record, nor what only hidden records use', () => {
		const visible = withoutHidden(registry);
		expect(visible.patterns.map(({ id, depends_on }) => [id, depends_on])).toEqual([['a', ['unknown']]]);
		expect(visible.categories.map(({ id }) => id)).toEqual(['calls', 'load']);
		expect(visible.groups.map(({ id }) => id)).toEqual(['resilience']);
		expect(visible.requirements.map(({ id }) => id)).toEqual(['redis']);
	});

	it('keeps groups, categories and requirements that nothing uses yet', () => {
		const plain = fixtureRegistry([{ id: 'a' }]);
		expect(withoutHidden(plain)).toEqual(plain);
	});
});
