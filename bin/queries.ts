import type { Library } from '../registry/library.ts';
import { formatPath, parseText } from '../registry/parse.ts';
import { type Hit, type SearchOptions, searchPatterns } from '../registry/search.ts';
import { Refusal } from './exit.ts';

/** A hit as programs read it. */
export interface HitRow {
	id: string;
	grade: string;
	score: number;
}

/** The answer to one query as programs read it. */
export interface SearchRow {
	query: string;
	verdict: 'match' | 'no-match';
	/** Best first; none when the verdict is no-match. */
	hits: HitRow[];
	/** The closest overlaps when there is no match. */
	near: HitRow[];
}

export function searchRow(library: Library, query: string, options: SearchOptions = {}): SearchRow {
	const { verdict, hits, near } = searchPatterns(library.index, query, options);
	return { query, verdict, hits: hits.map(hitRow), near: near.map(hitRow) };
}

export function hitRow({ record, grade, score }: Hit): HitRow {
	return { id: record.id, grade, score: Math.round(score * 1000) / 1000 };
}

/**
 * The queries of a file: a JSON array of `{"query": "…"}`; other members are ignored.
 * @throws Refusal that names the place of everything that is wrong
 */
export function readQueries(text: string, file: string): string[] {
	const parsed = parseText(text, 'list of queries');
	const problems = parsed.problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
	const value = parsed.data?.value;
	const at = (path: (string | number)[], message: string) => {
		const { line, column } = parsed.locate(path);
		problems.push(`${file}:${line}:${column} ${message}`);
	};
	const queries: string[] = [];
	if (Array.isArray(value)) {
		for (const [index, item] of value.entries()) {
			const query: unknown = typeof item === 'object' && item !== null && 'query' in item ? item.query : undefined;
			if (typeof query === 'string') queries.push(query);
			else at([index, 'query'], `${formatPath([index])}: expected an object with a string "query".`);
		}
	} else if (parsed.data) at([], 'Expected an array of {"query": "…"}.');
	if (problems.length > 0) throw new Refusal(problems.join('\n'));
	return queries;
}
