import { expect, it } from 'vitest';
import { readRegistry } from '../catalog.ts';
import { figuresOf } from './figures.ts';

it('counts what a registry holds', () => {
	const { patterns } = readRegistry({
		patterns: [
			{
				id: 'a',
				tier: 'deep',
				maturity: 'proven',
				depends_on: ['b'],
				invariants: [{ rule: 'x', pinned_by: 'a.test.ts#x' }, 'y'],
			},
			{ id: 'b', tier: 'light', maturity: 'implemented' },
			{ id: 'c', tier: 'deep', maturity: 'proven', invariants: ['z'] },
		],
	});
	expect(figuresOf(patterns)).toEqual({
		patterns: 3,
		deep: 2,
		light: 1,
		proven: 2,
		provenPercent: 67,
		invariants: 3,
		pinned: 1,
		dependencies: 1,
	});
	expect(figuresOf([]).provenPercent).toBe(0);
});
