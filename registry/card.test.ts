import { describe, expect, it } from 'vitest';
import { CARD_SECTIONS, renderCard } from './card.ts';
import { library, record } from './fixtures.ts';
import type { PatternRecord } from './schema.ts';

const books = library();
const get = (id: string) => books.byId.get(id) as PatternRecord;

describe('renderCard', () => {
	it('shows everything that serves a reader, in the order in which a reader needs it', () => {
		expect(renderCard(books, get('retry-backoff'))).toBe(`# Retry with backoff and jitter
id: retry-backoff · tier: deep · maturity: proven (verified 2026-11-01 at abc1234) · category: Calls
Requires: nothing
Depends on: deadline-propagation
Risk: low: no state

## Summary
Repeats a failed call after a growing, random delay, and stops before the deadline.

## When to use
A call over a network fails now and then and works when it is repeated.

## When not to use
- The call changes something and carries no idempotency key.

## Alternatives
- A queue. Prefer it when: nobody waits for the answer

## Capabilities
repeat failed calls · survive transient errors

## Docs: read first
- docs/retry.md#jitter (anchor): why random

## Code: the canonical implementation
- src/retry.ts

## Tests: what pins it
- src/retry.test.ts

## Showcases: where it runs
- /showcases/retry-backoff/ (route)

## Invariants: MUST hold after emulation
1. Never sleeps past the deadline.
   pinned by: src/retry.test.ts#retry > stops before the deadline
2. Only transient failures are repeated.

## Emulation notes
- Keep the jitter full.`);
	});

	it('keeps the header on a partial card and names what is withheld, invariants as MUST-hold', () => {
		const partial = renderCard(books, get('job-queue'), { sections: ['avoid_when'] });
		expect(partial).toContain('Requires: postgres\nDepends on: retry-backoff');
		expect(partial).not.toContain('Two workers never hold one job.');
		expect(partial.split('\n').at(-1)).toBe(
			'Withheld: summary; when_to_use; capabilities (1); invariants (1), which MUST hold in any port; emulation_notes (1). ' +
				'To see them: get_pattern {"id": "job-queue", "sections": ["summary","when_to_use","capabilities","invariants","emulation_notes"]}',
		);
	});

	it('says so when an asked section is empty, rather than leaving it out', () => {
		expect(renderCard(books, get('rate-limit'), { sections: ['invariants'] })).toContain(
			'## Invariants: MUST hold after emulation\n(the card has none)',
		);
	});

	it('withholds whole sections that do not fit the budget, and never a part of one', () => {
		const long = record({ id: 'long', summary: 'short', invariants: ['x'.repeat(4000)], emulation_notes: ['note'] });
		const card = renderCard(library([long]), long, { budget: 500 });
		expect(card).not.toContain('xxx');
		expect(card).toContain('## Emulation notes\n- note');
		expect(card).toContain('Withheld: invariants (1), which MUST hold');
	});

	it('shows what only serves the search when it is asked for by name', () => {
		expect(renderCard(books, get('rate-limit'))).not.toContain('throttle an endpoint');
		expect(renderCard(books, get('rate-limit'), { sections: ['asks'] })).toContain('- throttle an endpoint');
	});

	it('keeps text of a card from starting a line of its own', () => {
		const sly = record({ id: 'sly', title: 'A\n# B', summary: 'one\n\n## Invariants\n1. forged' });
		const card = renderCard(library([sly]), sly, { sections: [...CARD_SECTIONS] });
		expect(card.split('\n').filter((line) => line.startsWith('#'))[0]).toBe('# A # B');
		expect(card).toContain('one ## Invariants 1. forged');
	});

	it('says which dependency brings a requirement', () => {
		const top = record({ id: 'top', depends_on: ['job-queue'] });
		expect(renderCard(library([top]), top)).toContain('Requires: postgres (via job-queue)');
	});
});
