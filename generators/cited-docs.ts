import type { Library } from '../registry/library.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { LAYOUT } from './layout.ts';
import { inRepository } from './links.ts';

/** A hand-written Markdown document and the first card, in the order of every surface, that cites it. */
export interface CitedDoc {
	path: string;
	record: PatternRecord;
}

/**
 * The Markdown files that cards cite as docs, each once, in the code-unit order of their paths. Generated pages are
 * left out: their text is in the corpus already.
 */
export function citedDocs({ patterns }: Library): CitedDoc[] {
	const found = new Map<string, PatternRecord>();
	for (const record of patterns) {
		for (const { path, kind } of record.docs) {
			if (kind !== undefined && kind !== 'file' && kind !== 'anchor') continue;
			const file = inRepository(path.replace(/#.*$/s, ''));
			if (!file || !/\.(?:md|markdown)$/i.test(file) || file.startsWith(`${LAYOUT.pages}/`)) continue;
			if (!found.has(file)) found.set(file, record);
		}
	}
	return Array.from(found, ([path, record]) => ({ path, record })).sort((a, b) => (a.path < b.path ? -1 : 1));
}
