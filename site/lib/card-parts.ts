import type { CardView } from './card.ts';
import type { PatternRecord } from './catalog.ts';

/** A part of a card's page. */
export interface CardPart {
	/** The fragment of the Markdown page's heading, so that links from the corpus lead to the part. */
	id: string;
	/** As the page's contents name it. */
	label: string;
}

/** The parts that a card's page has, in order: those that would be empty are left out. */
export function cardParts(record: PatternRecord, view: CardView): CardPart[] {
	const parts = [
		{ id: 'when', label: 'When', shown: true },
		{ id: 'what-the-target-must-run', label: 'Requirements', shown: true },
		{ id: 'invariants', label: 'Invariants', shown: view.invariants.length > 0 },
		{ id: 'notes-for-porting', label: 'Porting notes', shown: record.emulation_notes.length > 0 },
		{ id: 'read-first', label: 'Read', shown: record.docs.length + record.showcases.length > 0 },
		{ id: 'code', label: 'Code', shown: record.code.length > 0 },
		{ id: 'tests', label: 'Tests', shown: record.tests.length > 0 },
		{ id: 'neighbours', label: 'Neighbours', shown: true },
		{ id: 'proof', label: 'Proof', shown: true },
		{ id: 'asked-for-as', label: 'How people ask', shown: record.asks.length > 0 },
	];
	return parts.filter(({ shown }) => shown);
}

/** How many patterns a card builds on, and how many build on it, in a sentence. */
export function neighboursText({ dependencies, dependents }: CardView): string {
	const below = dependencies.length === 1 ? 'one pattern' : `${dependencies.length} patterns`;
	const above = dependents.length === 1 ? 'one builds' : `${dependents.length} build`;
	return `Builds on ${dependencies.length === 0 ? 'no other pattern' : below}; ${dependents.length === 0 ? 'none builds' : above} on it.`;
}
