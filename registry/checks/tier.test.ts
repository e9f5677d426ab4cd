import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import type { PatternRecord } from '../schema.ts';
import { findings, fixes } from './testing.ts';
import { checkTier } from './tier.ts';

const ASKS = ['ask one', 'ask two', 'ask three', 'ask four', 'ask five', 'ask six'];
const DEEP: PatternRecord = record({
	id: 'a',
	tier: 'deep',
	asks: ASKS,
	avoid_when: ['x'],
	invariants: ['x'],
	emulation_notes: ['x'],
	capabilities: ['x'],
	keywords: ['x'],
	docs: [{ path: 'x.md' }],
});

describe('checkTier', () => {
	it('accepts a full deep card and a light index row', () => {
		expect(findings(checkTier, { patterns: [DEEP] })).toEqual([]);
		expect(
			findings(checkTier, { patterns: [record({ id: 'a', asks: ASKS.slice(0, 3), docs: [{ path: 'x.md' }] })] }),
		).toEqual([]);
	});

	it('names every field that a deep record lacks', () => {
		expect(findings(checkTier, { patterns: [record({ id: 'a', tier: 'deep', asks: ASKS.slice(0, 5) })] })).toEqual([
			'error patterns[0].asks: A deep record needs at least 6 asks; this one has 5.',
			...['avoid_when', 'invariants', 'emulation_notes', 'capabilities', 'keywords', 'docs'].map(
				(field) => `error patterns[0].${field}: A deep record needs ${field}; there is none.`,
			),
		]);
	});

	it('refuses a light record without asks or doc, and one that carries depth', () => {
		const light = record({ id: 'a', asks: ASKS.slice(0, 2), invariants: ['x', 'y'], emulation_notes: ['z'] });
		expect(findings(checkTier, { patterns: [light] })).toEqual([
			'error patterns[0].asks: A light record needs at least 3 asks; this one has 2.',
			'error patterns[0].docs: A light record needs at least one doc; there is none.',
			'error patterns[0].invariants: A light record has no invariants; found 2.',
			'error patterns[0].emulation_notes: A light record has no emulation_notes; found 1.',
		]);
	});

	it('says how many asks to add', () => {
		const patterns = [{ ...DEEP, asks: ASKS.slice(0, 4) }];
		expect(fixes(checkTier, { patterns })).toEqual([expect.stringMatching(/^Add 2: /)]);
	});
});
