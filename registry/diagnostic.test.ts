import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Diagnostic, formatDiagnostics } from './diagnostic.ts';

const DIAGNOSTICS: Diagnostic[] = [
	{
		severity: 'error',
		record: 'bulkhead',
		field: 'docs[0].path',
		file: 'registry/registry.json',
		line: 12,
		column: 14,
		message: '"docs/x.md" does not exist.',
		fix: 'Correct the path, or delete the ref.',
	},
	{ severity: 'warning', field: '', file: 'r.json', line: 1, column: 1, message: 'Odd.', fix: 'Look.' },
];

describe('formatDiagnostics', () => {
	it('names place, record, field, what was found and the fix, and counts at the end', () => {
		expect(formatDiagnostics(DIAGNOSTICS, { colour: false })).toBe(
			[
				'registry/registry.json:12:14 error bulkhead · docs[0].path',
				'  "docs/x.md" does not exist.',
				'  fix: Correct the path, or delete the ref.',
				'',
				'r.json:1:1 warning',
				'  Odd.',
				'  fix: Look.',
				'',
				'1 error, 1 warning',
			].join('\n'),
		);
	});

	it('adds colour without changing a word', () => {
		const coloured = formatDiagnostics(DIAGNOSTICS, { colour: true });
		expect(coloured).toContain('\u001b[31merror');
		expect(stripVTControlCharacters(coloured)).toBe(formatDiagnostics(DIAGNOSTICS, { colour: false }));
	});
});
