import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Control } from '../../../library/scenario.ts';
import { readState, writeState } from './url-state.ts';

const controls: Control[] = [
	{ id: 'pattern', kind: 'switch', label: 'Pattern', value: true },
	{ id: 'calls', kind: 'number', label: 'Calls', value: 5, min: 0, max: 10, step: 1 },
	{
		id: 'fault',
		kind: 'select',
		label: 'Fault',
		value: 'none',
		options: ['none', 'all & sundry'].map((value) => ({ value, label: value })),
	},
];
const defaults = { pattern: true, calls: 5, fault: 'none' };

describe('the address of a showcase', () => {
	it('is plain while nothing differs from the defaults', () => {
		expect(writeState(controls, { values: defaults })).toBe('');
		expect(readState(controls, '')).toEqual({ values: defaults });
	});

	it('names what differs, and the place of the playhead', () => {
		const query = writeState(controls, { values: { ...defaults, pattern: false, fault: 'all & sundry' }, at: 12.3456 });
		expect(query).toBe('?pattern=false&fault=all+%26+sundry&t=12.346');
		expect(readState(controls, query)).toEqual({
			values: { pattern: false, calls: 5, fault: 'all & sundry' },
			at: 12.346,
		});
	});

	it('leads back to every state', () => {
		const values = fc.record({
			pattern: fc.boolean(),
			calls: fc.integer({ min: 0, max: 10 }),
			fault: fc.constantFrom('none', 'all & sundry'),
		});
		fc.assert(
			fc.property(values, fc.option(fc.nat(1e6), { nil: undefined }), (given, at) => {
				const state = at === undefined ? { values: given } : { values: given, at };
				expect(readState(controls, writeState(controls, state))).toEqual(state);
			}),
		);
	});

	it.each(['?calls=lots&fault=other&pattern=maybe', '?t=', '?t=-5', '?t=soon', '?nonsense=1'])(
		'makes nothing of %s',
		(query) => {
			expect(readState(controls, query)).toEqual({ values: defaults });
		},
	);

	it('bounds numbers', () => {
		expect(readState(controls, '?calls=999').values.calls).toBe(10);
	});
});
