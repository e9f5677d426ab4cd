import { oneLine, requiresText } from './card.ts';
import type { Library } from './library.ts';
import { type Hit, type SearchResult, searchPatterns } from './search.ts';
import { ANSWER_BUDGET, approximateTokens } from './tokens.ts';

/** What a search was asked for, for the words of its answer. */
export interface SearchAnswerRequest {
	query: string;
	limit: number;
	/** The greatest limit that can be asked for. */
	maxLimit: number;
	category?: string;
	tier?: string;
	detail: 'compact' | 'full';
}

/**
 * The result of a search as text: ranked rows with the facts that rule a card in or out, how many more there are and
 * how to get them; or an explicit no-match with labelled near misses.
 */
export function renderSearch(library: Library, result: SearchResult, request: SearchAnswerRequest): string {
	const notes = [...guessNotes(result)];
	if (result.empty) {
		return `No match: the query has no word to search by (only stop words, single letters or punctuation). Describe the task or the symptom in a few plain words.`;
	}
	if (result.verdict === 'no-match') return [...noMatch(library, result, request), ...notes].join('\n');
	const rows: string[] = [];
	let spent = 0;
	for (const [at, hit] of result.hits.entries()) {
		const row = request.detail === 'compact' ? compactRow(library, hit, at) : fullRow(library, hit, at);
		spent += approximateTokens(row);
		if (spent > ANSWER_BUDGET && at > 0) break;
		rows.push(row);
	}
	return [
		headline(result, rows.length, request),
		...notes,
		'',
		rows.join(request.detail === 'compact' ? '\n' : '\n\n'),
		...nextStep(result),
	].join('\n');
}

function headline(result: SearchResult, shown: number, request: SearchAnswerRequest): string {
	const found = `${shown} of ${result.total} matching ${result.total === 1 ? 'pattern' : 'patterns'} for "${oneLine(request.query).slice(0, 200)}"${filterText(request)}${result.weak > 0 ? `, ${result.weak} of them weak` : ''}`;
	if (shown >= result.total) return found;
	const more = Math.min(result.total, request.maxLimit);
	const how =
		more > shown
			? `call again with "limit": ${more}${request.detail === 'full' ? ' and "detail": "compact"' : ''}`
			: 'narrow it with "category" or "tier"';
	return `${found}; for the other ${result.total - shown}, ${how}`;
}

function filterText({ category, tier }: SearchAnswerRequest): string {
	const parts = [...(category ? [`category ${category}`] : []), ...(tier ? [`tier ${tier}`] : [])];
	return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function compactRow(library: Library, hit: Hit, at: number): string {
	const { record } = hit;
	return `${at + 1}. [${hit.grade}] ${record.id}: ${oneLine(record.title)} · ${record.tier} · ${record.maturity} · requires ${requiresText(library, record)}`;
}

function fullRow(library: Library, hit: Hit, at: number): string {
	const { record } = hit;
	return [
		`${at + 1}. [${hit.grade}] ${record.id}: ${oneLine(record.title)}`,
		`   ${record.tier} · ${record.maturity} · ${record.category} · requires ${requiresText(library, record)}`,
		`   ${oneLine(record.summary)}`,
		...(record.avoid_when[0] ? [`   Not when: ${oneLine(record.avoid_when[0])}`] : []),
		`   Matched: ${matchText(hit)}`,
	].join('\n');
}

/** Why a card came up: its words by field, and the ask that was nearly what was asked. */
function matchText(hit: Hit): string {
	if (hit.exact) return 'its name';
	const byField = new Map<string, string[]>();
	for (const { word, field, guess } of hit.matched) {
		const shown = guess ? `${word} → ${guess}` : word;
		byField.set(field, [...(byField.get(field) ?? []), shown]);
	}
	const fields = [...byField].map(([field, words]) => `${words.join(', ')} in ${field}`);
	return [...(hit.ask ? [`people ask "${oneLine(hit.ask)}"`] : []), ...fields].join('; ');
}

function noMatch(library: Library, result: SearchResult, request: SearchAnswerRequest): string[] {
	const elsewhere = filterText(request) === '' ? 0 : searchPatterns(library.index, request.query).total;
	if (elsewhere > 0) {
		return [
			`None${filterText(request)}; without the filter ${elsewhere} ${elsewhere === 1 ? 'pattern matches' : 'patterns match'} "${oneLine(request.query).slice(0, 200)}". Ask again without it.`,
		];
	}
	const lines = [
		`No match: no pattern of this library covers "${oneLine(request.query).slice(0, 200)}"${filterText(request)}.`,
	];
	if (result.unknown.length > 0) lines.push(`Words that no card has: ${result.unknown.slice(0, 12).join(', ')}.`);
	if (result.near.length > 0) {
		lines.push('Closest overlaps, which share words but are not recommended:');
		for (const hit of result.near) {
			lines.push(`- [${hit.grade}] ${hit.record.id}: ${oneLine(hit.record.title)} (${matchText(hit)})`);
		}
	}
	lines.push('If other words describe the task, ask once more with them; otherwise build it without this library.');
	return lines;
}

function guessNotes(result: SearchResult): string[] {
	if (result.guesses.length === 0) return [];
	return [`Guessed for a typo: ${result.guesses.map(({ word, taken }) => `"${word}" read as "${taken}"`).join(', ')}.`];
}

function nextStep(result: SearchResult): string[] {
	const best = result.hits[0];
	if (!best) return [];
	return [
		'',
		`Next: get_pattern {"id": "${best.record.id}"} for the card, or with "sections": ["avoid_when", "alternatives"] to decide whether it fits.`,
	];
}
