import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { library, others, record, registry } from './fixtures.ts';
import { createLibrary } from './library.ts';
import { searchPatterns } from './search.ts';
import { evidenceOf } from './search-evidence.ts';
import { queryTerms } from './search-terms.ts';

const { index } = library();
const ids = (query: string) => searchPatterns(index, query).hits.map(({ record }) => record.id);

describe('searchPatterns', () => {
	it('finds a card by a task that shares words with one of its asks, and names the ask', () => {
		const { verdict, hits } = searchPatterns(index, 'our payment API is flaky, how do I call it safely?');
		expect(verdict).toBe('match');
		expect(hits[0]).toMatchObject({
			record: { id: 'retry-backoff' },
			grade: 'strong',
			ask: 'call a flaky payment API safely',
		});
	});

	it('says no when nothing covers the query, names the words that no card has and labels what came closest', () => {
		const result = searchPatterns(index, 'protein structure prediction with a budget');
		expect(result).toMatchObject({
			verdict: 'no-match',
			hits: [],
			total: 0,
			unknown: ['protein', 'structure', 'prediction'],
		});
		expect(result.near.map(({ record, grade }) => [record.id, grade])).toEqual([['deadline-propagation', 'weak']]);
	});

	it.each([
		'retry-backoff',
		'Retry-Backoff',
		'retry backoff',
		'Retry with backoff and jitter',
		'jitter, backoff & retries',
	])('takes an id or a title as a look-up that ranks first: %s', (query) => {
		expect(searchPatterns(index, query).hits[0]).toMatchObject({
			record: { id: 'retry-backoff' },
			grade: 'strong',
			exact: true,
		});
	});

	it('does not index ids otherwise', () => {
		const { index } = createLibrary(registry([record({ id: 'architecture-thing', title: 'Something', summary: 'x' })]));
		expect(searchPatterns(index, 'good architecture').verdict).toBe('no-match');
	});

	it('reads symbols, other scripts, plurals and short terms as words of their own', () => {
		expect(ids('C++')).toEqual(['rate-limit']);
		expect(ids('n+1')).toEqual(['rate-limit']);
		expect(ids('検索')).toEqual(['rate-limit']);
		expect(ids('dead letters')).toEqual(['job-queue']);
		expect(ids('skip locks')).toEqual(['job-queue']);
	});

	it('finds the guard of a loop for an agent that loops, rather than any card about agents', () => {
		const guard = record({
			id: 'loop-guard',
			title: 'Loop guard',
			summary: 'Ends a run that repeats itself.',
			asks: ['stop an agent that loops forever'],
		});
		const agents = Array.from({ length: 4 }, (_, n) =>
			record({ id: `agent-${n}`, title: `Agent ${'abcd'[n]}`, summary: 'An agent for agents.' }),
		);
		const { index } = createLibrary(registry([...agents, guard, ...others]));
		expect(searchPatterns(index, 'how do I stop my agent from looping forever').hits[0]?.record.id).toBe('loop-guard');
	});

	it('finds an acronym where a card has it', () => {
		const gate = record({ id: 'approval-gate', title: 'Human in the loop', keywords: ['HITL', 'C#', '.NET'] });
		const { index } = createLibrary(registry([gate, record({ id: 'other', title: 'Net income and c' }), ...others]));
		for (const query of ['HITL', 'hitl', 'c#', '.net', '.NET']) {
			expect(
				searchPatterns(index, query).hits.map(({ record }) => record.id),
				query,
			).toEqual(['approval-gate']);
		}
	});

	it('never finds a short word inside a longer one', () => {
		const { index } = createLibrary(registry([record({ id: 'a', title: 'Maintain a fleet', keywords: ['chain'] })]));
		expect(searchPatterns(index, 'ai').near).toEqual([]);
	});

	it('takes a title with typos for a look-up, and a word that lacks its last letter for the word', () => {
		expect(searchPatterns(index, 'deadlin propagaton').hits[0]).toMatchObject({
			record: { id: 'deadline-propagation' },
			exact: true,
		});
		expect(ids('throttlin')).toEqual(['rate-limit']);
	});

	it('takes a mistyped word for the nearest one, and says so', () => {
		const result = searchPatterns(index, 'throtling');
		expect(result.hits[0]).toMatchObject({
			record: { id: 'rate-limit' },
			matched: [{ word: 'throtling', guess: 'throttling' }],
		});
		expect(result.guesses).toEqual([{ word: 'throtling', taken: 'throttling' }]);
	});

	it('does not guess when the registry has the word, or for a short one', () => {
		expect(searchPatterns(index, 'retry').guesses).toEqual([]);
		expect(searchPatterns(index, 'jobz').guesses).toEqual([]);
	});

	it('lets the other words decide among the words that are as near to a mistyped one', () => {
		const { index } = createLibrary(
			registry([
				record({ id: 'breaker', title: 'Circuit breaker' }),
				record({ id: 'broker', title: 'Message broker', keywords: ['broker'] }),
				record({ id: 'queue', title: 'Queue without broker' }),
				...others,
			]),
		);
		const found = searchPatterns(index, 'circuit braker');
		expect(found.hits[0]).toMatchObject({ record: { id: 'breaker' }, exact: true });
		expect(found.guesses).toEqual([{ word: 'braker', taken: 'breaker' }]);
		expect(searchPatterns(index, 'message braker').guesses).toEqual([{ word: 'braker', taken: 'broker' }]);
		expect(searchPatterns(index, 'braker').guesses).toEqual([{ word: 'braker', taken: 'broker' }]);
	});

	it('takes a mistyped word for none that is farther than the nearest', () => {
		const words = ['connection', 'correction'].map((word) => record({ id: word, title: `${word} pool` }));
		const { index } = createLibrary(registry([...words, ...others]));
		expect(searchPatterns(index, 'corection').guesses).toEqual([{ word: 'corection', taken: 'correction' }]);
		expect(searchPatterns(index, 'corection').hits.map(({ record }) => record.id)).toEqual(['correction']);
	});

	it('believes two typos only after three right letters', () => {
		const { index } = createLibrary(registry([record({ id: 'a', title: 'Production incidents' }), ...others]));
		expect(searchPatterns(index, 'prediction').guesses).toEqual([]);
		expect(searchPatterns(index, 'producshun incidents').guesses).toEqual([]);
		expect(searchPatterns(index, 'prodctin').guesses).toEqual([]);
		expect(searchPatterns(index, 'prodcution').guesses).toEqual([{ word: 'prodcution', taken: 'production' }]);
		expect(searchPatterns(index, 'prodctoin').guesses).toEqual([{ word: 'prodctoin', taken: 'production' }]);
	});

	it('takes a title for named only when the query has all of it', () => {
		expect(searchPatterns(index, 'jitter backoff retry').hits[0]).toMatchObject({ exact: true });
		expect(searchPatterns(index, 'jitter backoff').hits[0]).toMatchObject({ exact: false });
	});

	it('takes a word of four letters for another only when two neighbours have changed places', () => {
		expect(searchPatterns(index, 'lcok skip').guesses).toEqual([]);
		expect(searchPatterns(index, 'skpi locked').guesses).toEqual([{ word: 'skpi', taken: 'skip' }]);
		expect(searchPatterns(index, 'slip locked').guesses).toEqual([]);
	});

	it('takes a word that goes on after one of the registry for half of it, when it is most of it', () => {
		const { index } = createLibrary(registry([record({ id: 'login', title: 'OAuth login' }), ...others]));
		expect(searchPatterns(index, 'oauth2 login').hits[0]?.record.id).toBe('login');
		expect(searchPatterns(index, 'oauth2').unknown).toEqual([]);
		expect(searchPatterns(index, 'oauthentication').unknown).toEqual(['oauthentication']);
	});

	it('takes a word that no card has for no rarer than one that a single card has', () => {
		const weights = queryTerms(index, 'throttle xylophone');
		expect(weights.map(({ word, frequency }) => [word, frequency])).toEqual([
			['throttle', 1],
			['xylophone', 0],
		]);
		expect(weights[1]?.idf).toBe(weights[0]?.idf);
	});

	it('asks for more evidence from a card with more texts, which has more words by chance', () => {
		const few = { coverage: 0.5, ask: 0.3, about: 1, unknown: 0, texts: 10 };
		expect(evidenceOf(few)).toBeGreaterThan(evidenceOf({ ...few, texts: 80 }));
	});

	it('does not hold it against a card that it has no asks', () => {
		const some = { coverage: 0.5, about: 1, unknown: 0, texts: 10 };
		expect(evidenceOf({ ...some, ask: undefined })).toBeGreaterThan(evidenceOf({ ...some, ask: 0.1 }));
		expect(evidenceOf({ ...some, ask: undefined })).toBeLessThan(evidenceOf({ ...some, ask: 0.9 }));
	});

	it('reads a word written as two, and two written as one', () => {
		expect(ids('ratelimit')).toEqual(['rate-limit']);
		expect(ids('time out')).toEqual(['deadline-propagation']);
	});

	it('takes a word for two only where a text has both', () => {
		const { index } = createLibrary(
			registry([
				record({ id: 'tools', title: 'Tools for agents', asks: ['a box of parcels'] }),
				record({ id: 'boxes', title: 'Boxes', asks: ['put a tool into its box'] }),
				...others,
			]),
		);
		expect(searchPatterns(index, 'toolbox').hits.map(({ record }) => record.id)).toEqual(['boxes']);
		expect(searchPatterns(index, 'toolparcel').unknown).toEqual(['toolparcel']);
	});

	it('takes no more than sixteen words of a query for typos', () => {
		const words = Array.from({ length: 17 }, (_, n) => `abcdefg${'hijklmnopqrstuvwx'[n]}zz`);
		const { index } = createLibrary(registry([record({ id: 'a', title: words.join(' ') }), ...others]));
		const mistyped = words.map((word) => word.replace('abc', 'acb'));
		expect(searchPatterns(index, mistyped.join(' ')).guesses).toHaveLength(16);
	});

	it('takes the beginning of a word for half a match', () => {
		const full = searchPatterns(index, 'throttle').hits[0]?.score ?? 0;
		const half = searchPatterns(index, 'thrott').hits[0] ?? searchPatterns(index, 'thrott').near[0];
		expect(half?.record.id).toBe('rate-limit');
		expect(half?.score).toBeLessThan(full);
	});

	it('lets a word of most cards barely count, so that a query of such words is weak', () => {
		const filler = Array.from({ length: 12 }, (_, n) =>
			record({ id: `p${n}`, title: `Data thing ${n}`, summary: 'data' }),
		);
		const { index } = createLibrary(registry([...filler, record({ id: 'rare', title: 'Stampede of data' })]));
		expect(searchPatterns(index, 'data').verdict).toBe('no-match');
		expect(searchPatterns(index, 'data stampede').hits[0]?.record.id).toBe('rare');
	});

	it('counts a term once in a text, however often it is repeated there', () => {
		const once = record({ id: 'once', title: 'Lease holder', summary: 'A lease.' });
		const often = record({ id: 'often', title: 'Lease, lease holder', summary: 'A lease, a lease and a lease.' });
		const { index } = createLibrary(registry([once, often, ...others]));
		const [a, b] = searchPatterns(index, 'lease').hits;
		expect(a?.score).toBe(b?.score);
	});

	it('ranks the card that covers the whole query above one that repeats a word of it in every text', () => {
		const whole = record({ id: 'whole', title: 'Lease', summary: 'renewed by a heartbeat' });
		const loud = record({
			id: 'loud',
			title: 'Lease',
			summary: 'lease',
			when_to_use: 'lease',
			keywords: ['lease', 'lease term'],
			asks: ['a lease', 'the lease'],
		});
		const { index } = createLibrary(registry([loud, whole, ...others]));
		expect(searchPatterns(index, 'lease renewed heartbeat').hits[0]?.record.id).toBe('whole');
	});

	it('ranks a card higher for a term that more of its texts have', () => {
		const one = record({ id: 'one', title: 'Lease holder', asks: ['lease it'] });
		const more = record({
			id: 'more',
			title: 'Lease holder',
			asks: ['lease it'],
			summary: 'a lease',
			category: 'storage',
		});
		const { index } = createLibrary(registry([one, more, ...others]));
		expect(searchPatterns(index, 'lease').hits.map(({ record }) => record.id)).toEqual(['more', 'one']);
	});

	it('settles ties for deep cards, then by the order of every surface', () => {
		const light = record({ id: 'light', title: 'Lease holder', keywords: ['lease'], category: 'calls' });
		const late = record({ id: 'late', title: 'Lease holder', keywords: ['lease'], category: 'storage' });
		const deep = record({ id: 'deep', title: 'Lease holder', keywords: ['lease'], category: 'storage', tier: 'deep' });
		const { index } = createLibrary(registry([late, deep, light, ...others]));
		expect(searchPatterns(index, 'lease').hits.map(({ record }) => record.id)).toEqual(['deep', 'light', 'late']);
	});

	it('filters by category and tier without changing the order of the rest', () => {
		expect(searchPatterns(index, '429', { tier: 'light' }).hits.map(({ record }) => record.id)).toEqual(['rate-limit']);
		expect(searchPatterns(index, '429', { category: 'calls' }).hits.map(({ record }) => record.id)).toEqual([
			'retry-backoff',
		]);
		expect(ids('429')).toHaveLength(2);
	});

	it('puts a strong hit before a partial one whose score is higher', () => {
		const { hits } = searchPatterns(index, 'call table lease repeated lease');
		expect(hits.map(({ record, grade }) => [record.id, grade])).toEqual([
			['job-queue', 'strong'],
			['retry-backoff', 'partial'],
		]);
		expect(hits[1]?.score).toBeGreaterThan(hits[0]?.score ?? 0);
	});

	it('lists a weak hit only after good ones, and only when it comes near to the best', () => {
		const { hits, total, weak } = searchPatterns(index, 'crash call payment');
		expect(hits.map(({ record, grade }) => [record.id, grade])).toEqual([
			['retry-backoff', 'strong'],
			['job-queue', 'weak'],
		]);
		expect([total, weak]).toEqual([2, 1]);
		expect(hits[1]?.score).toBeGreaterThanOrEqual((hits[0]?.score ?? 0) / 2);
		// Its score is higher than that of the second, which is better than weak.
		const late = searchPatterns(index, 'budget network zebra stop clients').hits;
		expect(late.map(({ grade }) => grade)).toEqual(['partial', 'partial', 'weak']);
		expect(late[2]?.score).toBeGreaterThan(late[1]?.score ?? 0);
	});

	it('takes one word or two that hardly any card has for a look-up', () => {
		expect(searchPatterns(index, 'allocator').hits[0]).toMatchObject({ record: { id: 'rate-limit' } });
		expect(searchPatterns(index, 'allocator zebra').verdict).toBe('no-match');
	});

	it('shows at most the limit and counts the rest', () => {
		expect(searchPatterns(index, '429', { limit: 1 })).toMatchObject({ total: 2, hits: { length: 1 } });
	});

	it.each(['', 'the of and', 'a', '?!… —', '🎉'])('says that there is nothing to search by in "%s"', (query) => {
		expect(searchPatterns(index, query)).toMatchObject({ verdict: 'no-match', empty: true, near: [] });
	});

	it('answers a query of five thousand characters', () => {
		const words = Array.from({ length: 700 }, (_, n) => `w${n}x`).join(' ');
		expect(searchPatterns(index, `retry ${words}`).verdict).toBe('no-match');
	});

	it('answers one word of any length, and neither splits nor guesses at it', () => {
		const result = searchPatterns(index, `retry ${'ab'.repeat(100_000)}`);
		expect(result.guesses).toEqual([]);
		expect(result.unknown.join('').length).toBeLessThan(100);
	});

	it('never shows a hidden record', () => {
		const { index } = createLibrary(registry([record({ id: 'secret', title: 'Xylophone', hidden: true })]));
		expect(searchPatterns(index, 'xylophone')).toMatchObject({ hits: [], near: [], unknown: ['xylophone'] });
	});

	it('gives the same answer for any text, without failing, and never more hits than it counts', () => {
		const word = fc.constantFrom(
			'retry',
			'flaky',
			'payment',
			'jobs',
			'crash',
			'zebra',
			'429',
			'c++',
			'__proto__',
			'constructor',
		);
		const query = fc.oneof(
			fc.string({ unit: 'grapheme' }),
			fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
		);
		fc.assert(
			fc.property(query, (text) => {
				const result = searchPatterns(index, text);
				expect(searchPatterns(index, text)).toEqual(result);
				expect(result.hits.length).toBeLessThanOrEqual(result.total);
				expect(result.verdict === 'match').toBe(result.hits.length > 0);
				const order = ['strong', 'partial', 'weak'];
				const grades = result.hits.map(({ grade }) => order.indexOf(grade));
				expect(grades).toEqual(grades.toSorted((a, b) => a - b));
				for (const one of order) {
					const scores = result.hits.filter(({ grade }) => grade === one).map(({ score }) => score);
					expect(scores).toEqual(scores.toSorted((a, b) => b - a));
				}
				expect(result.hits[0]?.grade).not.toBe('weak');
			}),
		);
	});
});
