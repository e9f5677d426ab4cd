import { describe, expect, it } from 'vitest';
import { record, registry } from './fixtures.ts';
import { sections, visiblePatterns } from './order.ts';

describe('visiblePatterns', () => {
	it('follows the groups and categories, then the order of the file', () => {
		const patterns = ['storage', 'load', 'calls', 'storage', 'calls'].map((category, n) =>
			record({ id: `p${n}`, category }),
		);
		expect(visiblePatterns(registry(patterns)).map(({ id }) => id)).toEqual(['p2', 'p4', 'p1', 'p0', 'p3']);
	});

	it('leaves hidden records out and keeps planned ones', () => {
		const patterns = [record({ id: 'a', hidden: true }), record({ id: 'b', maturity: 'planned' })];
		expect(visiblePatterns(registry(patterns)).map(({ id }) => id)).toEqual(['b']);
	});

	it('loses no record of an unknown category', () => {
		const patterns = [record({ id: 'a', category: 'nowhere' }), record({ id: 'b' })];
		expect(visiblePatterns(registry(patterns)).map(({ id }) => id)).toEqual(['b', 'a']);
	});
});

describe('sections', () => {
	it('has no empty group and no empty category', () => {
		const found = sections(registry([record({ id: 'a', category: 'storage' })]));
		expect(found.map(({ group, categories }) => [group.id, categories.map(({ category }) => category.id)])).toEqual([
			['data', ['storage']],
		]);
	});
});
