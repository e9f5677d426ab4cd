import type { PatternRecord } from './schema.ts';

/** What a term's presence in a field is worth; a term counts in the best field that it stands in, and only there. */
export const FIELD_WEIGHTS = {
	title: 1,
	keywords: 1,
	capabilities: 1,
	asks: 0.8,
	summary: 0.75,
	when_to_use: 0.6,
	invariants: 0.35,
} as const;
export type SearchField = keyof typeof FIELD_WEIGHTS;

/** The fields from the heaviest to the lightest: the first that has a term is the best. */
export const SEARCH_FIELDS = Object.keys(FIELD_WEIGHTS) as readonly SearchField[];

/** Calls back for every text that is searched, in a fixed order: by record, by field as in `SEARCH_FIELDS`, as listed. */
export function eachText(
	patterns: readonly PatternRecord[],
	visit: (text: string, pattern: number, field: number) => void,
): void {
	for (const [pattern, record] of patterns.entries()) {
		for (const [field, name] of SEARCH_FIELDS.entries()) {
			for (const text of fieldTexts(record, name)) visit(text, pattern, field);
		}
	}
}

/** How many texts a record has. */
export function countTexts(record: PatternRecord): number {
	return SEARCH_FIELDS.reduce((sum, field) => sum + fieldTexts(record, field).length, 0);
}

function fieldTexts(record: PatternRecord, field: SearchField): readonly string[] {
	if (field === 'invariants') return record.invariants.map((rule) => (typeof rule === 'string' ? rule : rule.rule));
	const value = record[field];
	return typeof value === 'string' ? [value] : value;
}
