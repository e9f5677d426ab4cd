import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './rank-fusion.demo.ts';
import { byScore, type Fused, fuse, fusedSearch, type Ranking, type Retriever } from './rank-fusion.ts';

const list = (...ids: string[]): Ranking => ({ name: 'list', ids });
const order = (fused: Fused[]) => fused.map(({ id }) => id);
const scoreOf = (fused: Fused[], id: string) => fused.find((hit) => hit.id === id)?.score ?? 0;

/** Few ids, so that lists overlap and ties are common. */
const id = fc.constantFrom(...'abcdefgh', 'B', 'é', 'a1', '10', '9');
const ranking = fc.record({
	name: fc.constantFrom('x', 'y', 'z'),
	ids: fc.array(id, { maxLength: 12 }),
	weight: fc.constantFrom(1, 1, 1, 0.5, 2, 0.1),
});
const rankings = fc.array(ranking, { maxLength: 5 });
const runs = { seed: 23, numRuns: 300 };

describe('rank-fusion', () => {
	it('gives weight / (k + rank) from each list, ranks from 1, with k = 60', () => {
		const fused = fuse([
			{ name: 'keyword', ids: ['a', 'b', 'c'] },
			{ name: 'vector', ids: ['c', 'a'], weight: 2 },
		]);
		expect(order(fused)).toEqual(['c', 'a', 'b']);
		expect(scoreOf(fused, 'a')).toBeCloseTo(1 / 61 + 2 / 62, 10);
		expect(scoreOf(fused, 'b')).toBeCloseTo(1 / 62, 10);
		expect(scoreOf(fused, 'c')).toBeCloseTo(1 / 63 + 2 / 61, 10);
		expect(scoreOf(fuse([list('a')], { k: 0 }), 'a')).toBe(1);
		expect(scoreOf(fuse([list('b', 'a')], { k: 1 }), 'a')).toBeCloseTo(1 / 3, 10);
	});

	it('says which lists put a document where it is', () => {
		const fused = fuse([
			{ name: 'keyword', ids: ['a', 'b'] },
			{ name: 'vector', ids: ['b'] },
		]);
		expect(fused[0]).toMatchObject({
			id: 'b',
			from: [
				{ name: 'keyword', rank: 2 },
				{ name: 'vector', rank: 1 },
			],
		});
	});

	it('adds nothing for a list that lacks the document', () => {
		fc.assert(
			fc.property(rankings, ranking, (lists, extra) => {
				const before = fuse(lists);
				const after = fuse([...lists, extra]);
				for (const hit of before) {
					if (!extra.ids.includes(hit.id)) expect(scoreOf(after, hit.id)).toBe(hit.score);
				}
				expect(new Set(order(after))).toEqual(new Set([...lists, extra].flatMap(({ ids }) => ids)));
			}),
			runs,
		);
		expect(fuse([list('a'), list(), list()])).toEqual(fuse([list('a')]));
		expect(fuse([])).toEqual([]);
	});

	it('orders equal scores by id in code units', () => {
		expect(order(fuse([list('é'), list('b'), list('B'), list('a'), list('9'), list('10')]))).toEqual([
			'10',
			'9',
			'B',
			'a',
			'b',
			'é',
		]);
		expect(order(fuse([list('b', 'a'), list('a', 'b')]))).toEqual(['a', 'b']);
	});

	it('gives the same result to the last bit in whatever order the lists come', () => {
		// Three shares whose float sum depends on the order of adding them.
		const [x, y, z] = [list('q', 'a', 'b'), list('b', 'q', 'a'), list('a', 'b', 'q')];
		for (const lists of [
			[x, y, z],
			[z, y, x],
			[y, x, z],
		])
			expect(order(fuse(lists))).toEqual(['a', 'b', 'q']);
		const shuffled = rankings.chain((lists) =>
			fc.tuple(fc.constant(lists), fc.shuffledSubarray(lists, { minLength: lists.length })),
		);
		const bare = (lists: Ranking[]) => fuse(lists).map(({ id, score }) => [id, score]);
		fc.assert(
			fc.property(shuffled, ([lists, other]) => {
				expect(bare(other)).toEqual(bare(lists));
			}),
			runs,
		);
	});

	it('never lowers a document when a list is added that agrees with the fused order', () => {
		fc.assert(
			fc.property(rankings, fc.nat(12), fc.constantFrom(1, 0.1, 3), (lists, length, weight) => {
				const before = fuse(lists);
				const agreeing = { name: 'agreeing', ids: order(before).slice(0, length), weight };
				const after = fuse([...lists, agreeing]);
				expect(order(after)).toEqual(order(before));
				for (const hit of before) expect(scoreOf(after, hit.id)).toBeGreaterThanOrEqual(hit.score);
			}),
			runs,
		);
	});

	it('never lowers the document that an added list puts first, nor any score', () => {
		fc.assert(
			fc.property(rankings, ranking, (lists, extra) => {
				const before = fuse(lists);
				const after = fuse([...lists, extra]);
				const [first] = extra.ids;
				const place = before.findIndex((hit) => hit.id === first);
				if (place >= 0) expect(after.findIndex((hit) => hit.id === first)).toBeLessThanOrEqual(place);
				for (const hit of before) expect(scoreOf(after, hit.id)).toBeGreaterThanOrEqual(hit.score);
			}),
			runs,
		);
	});

	it('knows only places, so that rescaled scores of a retriever change nothing', () => {
		const hits = fc.uniqueArray(fc.record({ id, score: fc.integer({ min: -50, max: 50 }) }), {
			selector: (hit) => hit.id,
		});
		const rescalings: ((score: number) => number)[] = [(s) => s * 1e6, (s) => s / 3 - 7, (s) => Math.exp(s / 10)];
		fc.assert(
			fc.property(hits, hits, fc.constantFrom(...rescalings), (left, right, rescale) => {
				const fused = (of: typeof left) =>
					fuse([
						{ name: 'keyword', ids: byScore(of, 'higher') },
						{ name: 'vector', ids: byScore(right, 'higher') },
					]);
				expect(fused(left.map(({ id, score }) => ({ id, score: rescale(score) })))).toEqual(fused(left));
			}),
			runs,
		);
	});

	it('orders one retriever by its own score, distances the other way round, not-a-number last', () => {
		const hits = [
			{ id: 'c', score: 0.5 },
			{ id: 'x', score: Number.NaN },
			{ id: 'b', score: 0.5 },
			{ id: 'a', score: -2 },
			{ id: 'd', score: 3 },
		];
		expect(byScore(hits, 'higher')).toEqual(['d', 'b', 'c', 'a', 'x']);
		expect(byScore(hits, 'lower')).toEqual(['a', 'b', 'c', 'd', 'x']);
		expect(hits[0]?.id).toBe('c');
	});

	it('counts a repeated document once, at its first place, and closes the gap behind it', () => {
		expect(fuse([list('a', 'a', 'b', 'a', 'c')])).toEqual(fuse([list('a', 'b', 'c')]));
		fc.assert(
			fc.property(rankings, (lists) => {
				expect(fuse(lists)).toEqual(fuse(lists.map((one) => ({ ...one, ids: [...new Set(one.ids)] }))));
			}),
			runs,
		);
	});

	it('cuts only after fusing, and treats the lists as read-only', () => {
		const lists = [list('a', 'b', 'c'), list('c', 'b')].map((one) =>
			Object.freeze({ ...one, ids: Object.freeze(one.ids) }),
		);
		expect(order(fuse(lists, { limit: 2 }))).toEqual(['c', 'b']);
		expect(fuse(lists, { limit: 0 })).toEqual([]);
	});

	it('refuses a k, a limit and weights that would give nonsense', () => {
		for (const k of [-1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => fuse([], { k })).toThrow(/k must be/);
		for (const limit of [-1, Number.NaN]) expect(() => fuse([], { limit })).toThrow(/limit must be/);
		for (const weight of [0, -1, Number.NaN])
			expect(() => fuse([{ ...list('a'), weight }])).toThrow('list "list": the weight must be above 0');
		for (const weight of [1e9, Number.POSITIVE_INFINITY])
			expect(() => fuse([{ ...list('a'), weight }])).toThrow(/weights add up/);
	});
});

describe('rank-fusion search', () => {
	const clock = () => new VirtualClock();
	const answering = (ms: number, ids: string[], name: string, on: VirtualClock): Retriever => ({
		name,
		search: async (_query, signal) => {
			await on.sleep(ms, signal);
			return ids;
		},
	});

	it('asks all retrievers at once with the query and fuses their answers', async () => {
		const time = clock();
		const seen: string[] = [];
		const retrievers = [answering(50, ['a', 'b'], 'keyword', time), answering(80, ['b'], 'vector', time)];
		const spying = retrievers.map(
			(one): Retriever => ({
				...one,
				search: (query, signal) => {
					seen.push(query);
					return one.search(query, signal);
				},
			}),
		);
		const { hits, missing } = await time.run(fusedSearch('shoes', spying, { timeoutMs: 100, after: time.after }));
		expect([order(hits), missing, seen, time.now(), time.pending]).toEqual([['b', 'a'], [], ['shoes', 'shoes'], 80, 0]);
	});

	it('answers without a retriever that fails, in whatever way, and names it', async () => {
		const failures: Retriever['search'][] = [
			() => Promise.reject(new Error('down')),
			() => {
				throw new Error('down');
			},
			async () => undefined as unknown as string[],
		];
		for (const search of failures) {
			const time = clock();
			const retrievers = [{ name: 'vector', search }, answering(20, ['a'], 'keyword', time)];
			const result = await time.run(fusedSearch('q', retrievers, { timeoutMs: 100, after: time.after }));
			expect(order(result.hits)).toEqual(['a']);
			expect(result.hits).toEqual(fuse([{ name: 'keyword', ids: ['a'] }]));
			expect(result.missing.map(({ name }) => name)).toEqual(['vector']);
			expect(result.missing[0]?.reason).toBeInstanceOf(Error);
		}
	});

	it('answers at the deadline without a retriever that is late, and aborts it', async () => {
		const time = clock();
		const aborted: unknown[] = [];
		const deaf: Retriever = {
			name: 'deaf',
			search: (_query, signal) => {
				signal.addEventListener('abort', () => aborted.push(signal.reason.name));
				return new Promise(() => undefined);
			},
		};
		const retrievers = [answering(99, ['a'], 'keyword', time), answering(500, ['z'], 'slow', time), deaf];
		const result = await time.run(fusedSearch('q', retrievers, { timeoutMs: 100, after: time.after }));
		expect([order(result.hits), time.now(), time.pending]).toEqual([['a'], 100, 0]);
		expect(result.missing.map(({ name, reason }) => [name, (reason as Error).name])).toEqual([
			['slow', 'TimeoutError'],
			['deaf', 'TimeoutError'],
		]);
		expect(aborted).toEqual(['TimeoutError']);
	});

	it('fails only when every retriever fails, with all their reasons', async () => {
		const time = clock();
		const down: Retriever = { name: 'down', search: () => Promise.reject(new Error('no route')) };
		const search = fusedSearch('q', [down, answering(500, ['a'], 'slow', time)], { timeoutMs: 100, after: time.after });
		const error = await time.run(search.catch((reason: unknown) => reason));
		expect(error).toBeInstanceOf(AggregateError);
		expect((error as AggregateError).errors.map(String)).toEqual([
			'Error: no route',
			'TimeoutError: no answer within 100 ms',
		]);
		const none = await fusedSearch('q', [], { timeoutMs: 100, after: time.after });
		expect([none, time.pending]).toEqual([{ hits: [], missing: [] }, 0]);
	});

	it('refuses a time limit that no timer holds, instead of ending at once', async () => {
		const search = vi.fn(async () => ['a']);
		for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, -1, Number.NaN])
			await expect(fusedSearch('q', [{ name: 'x', search }], { timeoutMs })).rejects.toThrow(
				'timeoutMs must be from 0',
			);
		expect(search).not.toHaveBeenCalled();
	});

	it('ends every retriever at once on abort and leaves no timer and no listener', async () => {
		const time = clock();
		const abort = new AbortController();
		const removed = vi.spyOn(abort.signal, 'removeEventListener');
		const reason = new Error('user typed on');
		time.after(30, () => abort.abort(reason));
		const retrievers = [answering(10, ['a'], 'keyword', time), answering(80, ['b'], 'vector', time)];
		const search = fusedSearch('q', retrievers, { timeoutMs: 100, after: time.after, signal: abort.signal });
		await expect(time.run(search)).rejects.toBe(reason);
		expect([time.now(), time.pending]).toEqual([30, 0]);
		expect(removed).toHaveBeenCalledTimes(1);
	});

	it('asks nobody when it is aborted before', async () => {
		const search = vi.fn();
		const signal = AbortSignal.abort(new Error('gone'));
		await expect(fusedSearch('q', [{ name: 'x', search }], { timeoutMs: 10, signal })).rejects.toThrow('gone');
		expect(search).not.toHaveBeenCalled();
	});

	it('works on the real clock and holds no timer after the answer', async () => {
		vi.useFakeTimers();
		try {
			const { hits } = await fusedSearch('q', [{ name: 'x', search: async () => ['a'] }], { timeoutMs: 60_000 });
			expect([order(hits), vi.getTimerCount()]).toEqual([['a'], 0]);
		} finally {
			vi.useRealTimers();
		}
	});
});

describe('rank-fusion scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			scale: [1, 20, 100],
			trouble: ['well', 'slow', 'down'],
			seed: [1, 9, 77],
			queries: [3, 4, 8],
		});
	});

	it('shows the failures without it', async () => {
		for (const trouble of ['well', 'slow'])
			expect((await playScenario(demo, { pattern: false, trouble })).broken.length).toBeGreaterThanOrEqual(4);
	});
});
