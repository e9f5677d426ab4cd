import { requiresClosure } from './graph.ts';
import type { Library } from './library.ts';
import type { Invariant, PatternRecord, Ref } from './schema.ts';
import { approximateTokens } from './tokens.ts';

/** The sections of a card that can be asked for, in the order in which a card shows them. */
export const CARD_SECTIONS = [
	'summary',
	'when_to_use',
	'avoid_when',
	'alternatives',
	'capabilities',
	'docs',
	'code',
	'tests',
	'showcases',
	'invariants',
	'emulation_notes',
	'asks',
	'keywords',
] as const;
export type CardSection = (typeof CARD_SECTIONS)[number];

/** What the header of every card holds: asking for one of these as a section is no mistake, and adds nothing. */
export const HEADER_FIELDS = ['requires', 'depends_on', 'risk'] as const;

/** Sections that only serve the search: shown when asked for by name, and not missed otherwise. */
const FOR_SEARCH: ReadonlySet<CardSection> = new Set(['asks', 'keywords']);

const TITLES: Readonly<Record<CardSection, string>> = {
	summary: 'Summary',
	when_to_use: 'When to use',
	avoid_when: 'When not to use',
	alternatives: 'Alternatives',
	capabilities: 'Capabilities',
	docs: 'Docs: read first',
	code: 'Code: the canonical implementation',
	tests: 'Tests: what pins it',
	showcases: 'Showcases: where it runs',
	invariants: 'Invariants: MUST hold after emulation',
	emulation_notes: 'Emulation notes',
	asks: 'How people ask for it',
	keywords: 'Keywords',
};

export interface CardOptions {
	/** The sections to show; all that serve a reader when absent. The header is always shown. */
	sections?: readonly CardSection[];
	/** Most tokens to spend; whole sections that do not fit are withheld, and named. */
	budget?: number;
}

/**
 * A card as Markdown for an agent: a header that settles whether the pattern fits (tier, maturity, risk, dependencies,
 * requirements), then the sections. What is not shown is counted and named at the end, invariants as MUST-hold, so that
 * a partial card never reads as a card without rules.
 */
export function renderCard(library: Library, record: PatternRecord, options: CardOptions = {}): string {
	const budget = options.budget ?? Number.POSITIVE_INFINITY;
	const blocks = [cardHeader(library, record)];
	let spent = approximateTokens(blocks[0] ?? '');
	const withheld: CardSection[] = [];
	for (const section of CARD_SECTIONS) {
		const lines = sectionLines(record, section);
		if (lines.length === 0) {
			if (options.sections?.includes(section)) blocks.push(`## ${TITLES[section]}\n(the card has none)`);
			continue;
		}
		const asked = options.sections ? options.sections.includes(section) : !FOR_SEARCH.has(section);
		const block = [`## ${TITLES[section]}`, ...lines].join('\n');
		const cost = approximateTokens(block);
		if (asked && spent + cost <= budget) {
			blocks.push(block);
			spent += cost;
		} else if (asked || !FOR_SEARCH.has(section)) {
			withheld.push(section);
		}
	}
	if (withheld.length > 0) blocks.push(withheldLine(record, withheld));
	return blocks.join('\n\n');
}

/** What every view of a card begins with. */
function cardHeader(library: Library, record: PatternRecord): string {
	const category = library.registry.categories.find(({ id }) => id === record.category)?.title ?? record.category;
	const verified = record.verifiedAt
		? ` (verified ${record.verifiedAt}${record.verifiedSha ? ` at ${record.verifiedSha}` : ''})`
		: '';
	return [
		`# ${oneLine(record.title)}`,
		`id: ${record.id} · tier: ${record.tier} · maturity: ${record.maturity}${verified} · category: ${category}`,
		`Requires: ${requiresText(library, record)}`,
		`Depends on: ${record.depends_on.join(', ') || 'no other pattern'}`,
		`Risk: ${oneLine(record.risk ?? 'not stated')}`,
	].join('\n');
}

/** The infrastructure that a pattern and everything it builds on need, each with the dependency that brings it. */
export function requiresText(library: Library, record: PatternRecord): string {
	const closure = requiresClosure(record, library.byId);
	if (closure.length === 0) return 'nothing';
	return closure.map(({ id, via }) => (via.length > 0 ? `${id} (via ${via.join(', ')})` : id)).join(', ');
}

function sectionLines(record: PatternRecord, section: CardSection): string[] {
	switch (section) {
		case 'summary':
		case 'when_to_use':
			return [oneLine(record[section])].filter(Boolean);
		case 'avoid_when':
		case 'emulation_notes':
			return record[section].map((item) => `- ${oneLine(item)}`);
		case 'asks':
			return record.asks.map((ask) => `- ${oneLine(ask)}`);
		case 'alternatives':
			return record.alternatives.map(
				({ approach, prefer_when }) => `- ${oneLine(approach)}. Prefer it when: ${oneLine(prefer_when)}`,
			);
		case 'capabilities':
		case 'keywords':
			return record[section].length > 0 ? [record[section].map(oneLine).join(' · ')] : [];
		case 'invariants':
			return record.invariants.map(invariantLine);
		default:
			return record[section].map(refLine);
	}
}

/** One invariant as a numbered line, with the test that pins it. */
export function invariantLine(invariant: Invariant, index: number): string {
	if (typeof invariant === 'string') return `${index + 1}. ${oneLine(invariant)}`;
	return `${index + 1}. ${oneLine(invariant.rule)}\n   pinned by: ${oneLine(invariant.pinned_by)}`;
}

/** A ref as a list item: path, kind when it is not a file, and what is found there. */
export function refLine(ref: Ref): string {
	const kind = ref.kind && ref.kind !== 'file' ? ` (${ref.kind})` : '';
	return `- ${ref.path}${kind}${ref.note ? `: ${oneLine(ref.note)}` : ''}`;
}

function withheldLine(record: PatternRecord, withheld: readonly CardSection[]): string {
	const named = withheld.map((section) => {
		const count = Array.isArray(record[section]) ? ` (${record[section].length})` : '';
		const must = section === 'invariants' ? ', which MUST hold in any port' : '';
		return `${section}${count}${must}`;
	});
	return `Withheld: ${named.join('; ')}. To see them: get_pattern {"id": "${record.id}", "sections": ${JSON.stringify(withheld)}}`;
}

/** Text of a card on one line: a newline in it must not start a list item or a heading. */
export function oneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
