import { invariantLine, oneLine, refLine, requiresText } from './card.ts';
import type { Library } from './library.ts';
import type { PatternRecord } from './schema.ts';
import { type Hit, searchPatterns } from './search.ts';
import { ANSWER_BUDGET, approximateTokens } from './tokens.ts';

/** A second card is traced only when it is nearly as good as the first. */
const ALSO_SHARE = 0.7;
const MAX_TRACED = 3;

/** What a capability leads to: the cards to trace, best first; the closest overlaps when there are none. */
export interface Trace {
	capability: string;
	hits: Hit[];
	near: Hit[];
}

/** Finds the cards that answer a capability: the best one, and up to two more that come near to it. */
export function traceCapability(library: Library, capability: string): Trace {
	const result = searchPatterns(library.index, capability, { limit: MAX_TRACED });
	const best = result.hits[0];
	return {
		capability,
		hits: result.hits.filter(({ score }) => best && score >= best.score * ALSO_SHARE),
		near: result.near,
	};
}

/** A trace as text: for each card concept → docs → code → tests → proof, with the invariants that hold them together. */
export function renderTrace(library: Library, trace: Trace): string {
	if (trace.hits.length === 0) {
		return [
			`No match: no pattern of this library covers "${oneLine(trace.capability).slice(0, 200)}".`,
			...(trace.near.length > 0 ? ['Closest overlaps, which share words but are not recommended:'] : []),
			...trace.near.map(({ record }) => `- ${record.id}: ${oneLine(record.title)}`),
		].join('\n');
	}
	const blocks: string[] = [];
	const left: string[] = [];
	let spent = 0;
	for (const { record, grade } of trace.hits) {
		const block = traceBlock(library, record, grade);
		spent += approximateTokens(block);
		if (spent > ANSWER_BUDGET && blocks.length > 0) left.push(record.id);
		else blocks.push(block);
	}
	if (left.length > 0)
		blocks.push(`Left out for length: ${left.join(', ')}. See get_pattern {"ids": ${JSON.stringify(left)}}`);
	return blocks.join('\n\n');
}

function traceBlock(library: Library, record: PatternRecord, grade: string): string {
	const stage = (name: string, refs: PatternRecord['docs'], none: string) => [
		`→ ${name}`,
		...(refs.length > 0 ? refs.map(refLine) : [`- ${none}`]),
	];
	return [
		`# ${oneLine(record.title)} (${record.id}) [${grade}]`,
		`${record.tier} · ${record.maturity}${record.verifiedAt ? `, verified ${record.verifiedAt}` : ''} · requires ${requiresText(library, record)}`,
		`Concept: ${oneLine(record.summary)}`,
		...stage('docs', record.docs, 'none'),
		...stage('code', record.code, 'none'),
		...stage('tests', record.tests, 'none: nothing pins it'),
		...stage('proof', record.showcases, 'no showcase'),
		'Invariants, which MUST hold after emulation:',
		...(record.invariants.length > 0
			? record.invariants.map(invariantLine)
			: [record.tier === 'light' ? '- not recorded: this is a light card, an index entry' : '- none recorded']),
	].join('\n');
}
