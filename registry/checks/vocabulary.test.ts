import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { findings, fixes } from './testing.ts';
import { checkVocabulary } from './vocabulary.ts';

describe('checkVocabulary', () => {
	it('accepts what is declared', () => {
		const patterns = [record({ id: 'a', requires: ['redis'], depends_on: ['b'] }), record({ id: 'b' })];
		expect(findings(checkVocabulary, { patterns })).toEqual([]);
	});

	it('names each unknown id, and the one that was probably meant', () => {
		const given = {
			patterns: [
				record({ id: 'singleflight', category: 'call', requires: ['redsi', 'kafka'] }),
				record({ id: 'b', depends_on: ['single-flight', 'nothing-like-it'] }),
			],
		};
		expect(findings(checkVocabulary, given)).toEqual([
			'error patterns[0].category: Unknown category "call".',
			'error patterns[0].requires[0]: Unknown requirement "redsi".',
			'error patterns[0].requires[1]: Unknown requirement "kafka".',
			'error patterns[1].depends_on[0]: Unknown pattern "single-flight".',
			'error patterns[1].depends_on[1]: Unknown pattern "nothing-like-it".',
		]);
		expect(fixes(checkVocabulary, given)).toEqual([
			'Did you mean "calls"?',
			'Did you mean "redis"?',
			'Declare it in requirements, or use one of them.',
			'Did you mean "singleflight"?',
			'Declare it in patterns, or use one of them.',
		]);
	});

	it('checks the group of a category', () => {
		const given = { patterns: [], registry: { categories: [{ id: 'calls', title: 'Calls', group: 'resilence' }] } };
		expect(findings(checkVocabulary, given)).toEqual(['error categories[0].group: Unknown group "resilence".']);
		expect(fixes(checkVocabulary, given)).toEqual(['Did you mean "resilience"?']);
	});
});
