import type { PatternRecord } from './catalog.ts';
import { library } from './source.ts';

/** The card that the front page shows as a sample: deep, and with the most rules that tests pin, short ones first. */
export function sample(): PatternRecord | undefined {
	const deep = library.patterns.filter((record) => record.tier === 'deep' && isShown(record));
	const length = (record: PatternRecord) => record.title.length + record.summary.length;
	return deep.toSorted((a, b) => length(a) - length(b))[0] ?? library.patterns[0];
}

function isShown({ showcases }: PatternRecord): boolean {
	return showcases.some(({ kind }) => kind === 'route');
}
