import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldName, termsOf, tokenize } from './text.ts';

describe('tokenize', () => {
	it.each([
		['c++', ['c++']],
		['C#', ['c#']],
		['.NET', ['.net']],
		['N+1 queries', ['n+1', 'queri']],
		['cmd+k', ['cmd+k']],
		['i/o and Q&A', ['i/o', 'q&a']],
		['検索', ['検索']],
		['全文検索', ['全文', '文検', '検索']],
		['段', ['段']],
		['HITL', ['hitl']],
		['HTTP 429', ['http', '429']],
		['502s', ['502']],
		['node.js', ['node', 'js']],
		['E-mail', ['email']],
		['Поиск', ['поиск']],
	])('keeps what carries the meaning of %s', (text, terms) => {
		expect(termsOf(text)).toEqual(terms);
	});

	it('drops stop words, single letters and punctuation', () => {
		expect(tokenize('How do I do it? — a, b; "the"!!')).toEqual([]);
	});

	it('reads forms and spellings of a word as one term', () => {
		expect(new Set(['normalise', 'normalize', 'normalised', 'normalising'].flatMap(termsOf)).size).toBe(1);
		expect(termsOf('behaviours')).toEqual(termsOf('behavior'));
		expect(termsOf('Café')).toEqual(termsOf('cafe'));
		expect(termsOf("client's")).toEqual(termsOf('clients'));
		expect(termsOf('ﬁle')).toEqual(termsOf('file'));
	});

	it('does not find a short word inside a longer one', () => {
		expect(termsOf('maintain')).not.toContain('ai');
	});

	it('shows the word as it was written', () => {
		expect(tokenize('Retrying')).toEqual([{ term: 'retri', word: 'retrying' }]);
	});

	it('gives the same terms for any letter case, and never an empty one', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (text) => {
				const terms = termsOf(text);
				expect(terms.every((term) => term.length > 0)).toBe(true);
				expect(termsOf(text.toLowerCase())).toEqual(terms);
			}),
		);
	});
});

describe('foldName', () => {
	it('makes an id and a title with the same words equal', () => {
		expect(foldName('Rate  Fusion!')).toBe(foldName('rate-fusion'));
	});
});
