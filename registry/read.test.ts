import { describe, expect, it } from 'vitest';
import { record, registry } from './fixtures.ts';
import { readRegistry } from './read.ts';
import { patternSchema, registrySchema } from './schema.ts';

describe('readRegistry', () => {
	it('fills every list that an older registry lacks', () => {
		const { patterns } = readRegistry({ patterns: [{ id: 'a', tier: 'deep', title: 'A' }] });
		expect(patterns).toEqual([record({ id: 'a', tier: 'deep', title: 'A', category: '', maturity: 'planned' })]);
	});

	it('ignores fields from the future and values of the wrong type', () => {
		const read = readRegistry({
			patterns: [{ id: 'a', horoscope: 'x', asks: [1, 'ok'], docs: [{ path: 'd.md', kind: 'hologram' }, 7] }],
			novelty: 1,
		});
		expect(read.patterns[0]).toMatchObject({ asks: ['ok'], docs: [{ path: 'd.md' }] });
		expect(JSON.stringify(read)).not.toMatch(/horoscope|novelty|hologram/);
	});

	it('gives back a full registry unchanged, so that reading a frozen file loses nothing', () => {
		const full = registry([
			record({
				id: 'a',
				tier: 'deep',
				invariants: ['one', { rule: 'two', pinned_by: 'a.test.ts#two' }],
				docs: [{ path: 'a.md#x', kind: 'anchor', note: 'n' }],
				alternatives: [{ approach: 'b', prefer_when: 'c' }],
				risk: 'low',
				maturity: 'proven',
				verifiedAt: '2026-01-01',
				verifiedSha: 'abcdef1',
				hidden: true,
			}),
		]);
		expect(readRegistry(JSON.parse(JSON.stringify(full)))).toEqual(full);
	});

	it('keeps the branch of a library, and leaves it out where there is none', () => {
		const read = (library: object) => readRegistry({ library, patterns: [] }).library;
		expect(read({ branch: 'trunk' }).branch).toBe('trunk');
		expect(read({ branch: 7 })).not.toHaveProperty('branch');
	});

	it('knows every field that the schema declares', () => {
		const fields = Object.keys(patternSchema.shape);
		const sample = Object.fromEntries(fields.map((field) => [field, 'x']));
		const [read] = readRegistry({
			patterns: [{ ...sample, hidden: true, risk: 'x', verifiedAt: 'x', verifiedSha: 'x' }],
		}).patterns;
		expect(Object.keys(read ?? {}).sort()).toEqual(fields.sort());
		expect(
			Object.keys(readRegistry({ patterns: [] }))
				.concat('$schema')
				.sort(),
		).toEqual(Object.keys(registrySchema.shape).sort());
	});

	it.each([
		[null, 'expected a registry object, found null'],
		[[], 'expected a registry object, found a list'],
		[{}, 'expected a list "patterns", found nothing'],
		[{ patterns: [{}] }, 'patterns[0] is no record with an id'],
	])('refuses what is no registry: %j', (value, message) => {
		expect(() => readRegistry(value)).toThrow(message);
	});
});
