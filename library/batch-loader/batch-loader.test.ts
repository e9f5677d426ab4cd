import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { demo, rules } from './batch-loader.demo.ts';
import { type BatchFetch, BatchLoader, type BatchLoaderOptions } from './batch-loader.ts';

/** A loader that notes each batch; by default the value of a key is `v` and the key. */
function setup<K = number>(
	options: Partial<BatchLoaderOptions<K>> = {},
	fetch: BatchFetch<K, string> = async (keys) => keys.map((key) => `v${key}`),
) {
	const request = new AbortController();
	const batches: K[][] = [];
	const loader = new BatchLoader<K, string>(
		(keys, signal) => {
			batches.push([...keys]);
			return fetch(keys, signal);
		},
		{ request: request.signal, ...options },
	);
	return { loader, batches, request };
}
const message = (outcome: PromiseSettledResult<unknown> | undefined) =>
	outcome?.status === 'rejected' && outcome.reason instanceof Error ? outcome.reason.message : outcome;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('batch-loader', () => {
	it('makes one call of all loads of a tick, those that settling promises ask for in it too', async () => {
		const { loader, batches } = setup();
		const late = async (key: number, steps: number) => {
			for (let step = 0; step < steps; step++) await Promise.resolve();
			return loader.load(key);
		};
		const values = await Promise.all([loader.load(1), late(2, 1), late(3, 5), late(4, 50)]);
		expect(values).toEqual(['v1', 'v2', 'v3', 'v4']);
		expect(batches).toEqual([[1, 2, 3, 4]]);
	});

	it('makes another call for the loads of a later tick, one that begins while the first is under way', async () => {
		const gates: (() => void)[] = [];
		const { loader, batches } = setup({}, async (keys) => {
			await new Promise<void>((resolve) => gates.push(resolve));
			return keys.map((key) => `v${key}`);
		});
		const first = loader.load(1);
		await turn();
		const second = loader.load(2);
		await turn();
		expect(batches).toEqual([[1], [2]]);
		for (const open of gates) open();
		expect(await Promise.all([first, second])).toEqual(['v1', 'v2']);
	});

	it('gives each load the entry of its own key in the order of keys, and fails a batch whose answer has the wrong length', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }),
				fc.integer({ min: 1, max: 7 }),
				async (keys, maxBatch) => {
					const { loader } = setup({ maxBatch });
					const outcomes = await loader.loadMany(keys);
					expect(outcomes).toEqual(keys.map((key) => ({ status: 'fulfilled', value: `v${key}` })));
				},
			),
			{ numRuns: 40 },
		);
		for (const answer of [['v1'], ['v1', 'v2', 'v3', 'v4'], []]) {
			const { loader } = setup({}, async () => answer);
			const outcomes = await loader.loadMany([1, 2, 3]);
			expect(outcomes.map(message)).toEqual(
				Array(3).fill(`fetch must return one entry for each of 3 keys, in their order; it returned ${answer.length}`),
			);
		}
	});

	it('keeps the error of one key to that key', async () => {
		const { loader } = setup({}, async (keys) => keys.map((key) => (key === 2 ? new Error('no 2') : `v${key}`)));
		const outcomes = await loader.loadMany([1, 2, 3]);
		expect(outcomes.map(message)).toEqual([
			{ status: 'fulfilled', value: 'v1' },
			'no 2',
			{ status: 'fulfilled', value: 'v3' },
		]);
	});

	it('does not remember a failure, of a key or of a batch', async () => {
		let broken = true;
		const { loader, batches } = setup({}, async (keys) => {
			if (broken) throw new Error('down');
			return keys.map((key) => `v${key}`);
		});
		await expect(loader.load(1)).rejects.toThrow('down');
		broken = false;
		expect(await loader.load(1)).toBe('v1');
		expect(await loader.load(1)).toBe('v1');
		expect(batches).toEqual([[1], [1]]);
	});

	it('rejects every load of a batch that throws and none of another, and asks again for those that failed', async () => {
		for (const fail of [
			() => {
				throw new Error('at once');
			},
			() => Promise.reject(new Error('later')),
		]) {
			let broken = true;
			const { loader, batches } = setup({ maxBatch: 2 }, (keys) =>
				broken && keys.includes(3) ? fail() : Promise.resolve(keys.map((key) => `v${key}`)),
			);
			const outcomes = await loader.loadMany([1, 2, 3, 4, 5]);
			expect(outcomes.map(({ status }) => status)).toEqual([
				'fulfilled',
				'fulfilled',
				'rejected',
				'rejected',
				'fulfilled',
			]);
			broken = false;
			await loader.loadMany([1, 3, 4]);
			expect(batches.slice(3)).toEqual([[3, 4]]);
		}
	});

	it('splits a batch over the limit without losing or repeating a key', async () => {
		const { loader, batches } = setup({ maxBatch: 3 });
		await loader.loadMany([1, 2, 3, 4, 5, 6, 7]);
		expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
		const exact = setup({ maxBatch: 3 });
		await exact.loader.loadMany([1, 2, 3]);
		expect(exact.batches).toEqual([[1, 2, 3]]);
	});

	it('asks for a key once in a request, in the same tick, while it is under way and afterwards', async () => {
		const { loader, batches } = setup();
		const same = [loader.load(1), loader.load(1)];
		await turn();
		same.push(loader.load(1));
		expect(await Promise.all(same)).toEqual(['v1', 'v1', 'v1']);
		await loader.loadMany([1, 2, 1, 2]);
		expect(batches).toEqual([[1], [2]]);
	});

	it('knows keys that are objects by what identifies them', async () => {
		const { loader, batches } = setup<{ id: number }>({ identify: ({ id }) => id }, async (keys) =>
			keys.map(({ id }) => `v${id}`),
		);
		expect(await Promise.all([loader.load({ id: 1 }), loader.load({ id: 1 })])).toEqual(['v1', 'v1']);
		expect(batches).toEqual([[{ id: 1 }]]);
	});

	it('forgets everything when the request ends, rejects what is pending and refuses what comes later', async () => {
		const signals: AbortSignal[] = [];
		const { loader, batches, request } = setup({}, (keys, signal) => {
			signals.push(signal);
			return keys.includes(2) ? new Promise(() => undefined) : Promise.resolve(keys.map((key) => `v${key}`));
		});
		expect(await loader.load(1)).toBe('v1');
		const underWay = loader.load(2);
		await turn();
		const queued = loader.load(3);
		request.abort(new Error('the request has ended'));
		await expect(underWay).rejects.toThrow('the request has ended');
		await expect(queued).rejects.toThrow('the request has ended');
		await expect(loader.load(1)).rejects.toThrow('the request has ended');
		loader.prime(1, 'primed');
		await expect(loader.load(1)).rejects.toThrow('the request has ended');
		await turn();
		expect(batches).toEqual([[1], [2]]);
		expect(signals.every((signal) => signal.aborted)).toBe(true);
	});

	it('lets go of what it has loaded when the request ends, though the loader itself is kept', async () => {
		const request = new AbortController();
		const loader = new BatchLoader<number, { name: string }>(async (keys) => keys.map((key) => ({ name: `v${key}` })), {
			request: request.signal,
		});
		const value = new WeakRef(await loader.load(1));
		await turn();
		collectGarbage();
		expect(value.deref()).toEqual({ name: 'v1' });
		request.abort();
		const primeLate = () => {
			const late = { name: 'late' };
			loader.prime(2, late);
			return new WeakRef(late);
		};
		const late = primeLate();
		for (let round = 0; round < 10 && (value.deref() || late.deref()); round++) {
			await turn();
			collectGarbage();
		}
		expect([value.deref(), late.deref()]).toEqual([undefined, undefined]);
		expect(loader).toBeInstanceOf(BatchLoader);
	});

	it('asks again after a key was cleared, and an older load under way does not bring the old value back', async () => {
		let version = 1;
		const answers: (() => void)[] = [];
		const { loader, batches } = setup({}, async (keys) => {
			const read = version;
			await new Promise<void>((resolve) => answers.push(resolve));
			return keys.map((key) => `v${key} of ${read}`);
		});
		const old = loader.load(1);
		await turn();
		version = 2;
		loader.clear(1);
		const fresh = loader.load(1);
		await turn();
		for (const answer of answers) answer();
		expect(await Promise.all([old, fresh, loader.load(1)])).toEqual(['v1 of 1', 'v1 of 2', 'v1 of 2']);
		expect(batches).toEqual([[1], [1]]);
	});

	it('keeps what was asked for after a clear when the older load fails', async () => {
		const { loader, batches } = setup({}, async (keys) => {
			if (batches.length === 1) {
				await turn();
				throw new Error('the old one');
			}
			await turn();
			await turn();
			return keys.map((key) => `v${key}`);
		});
		const old = loader.load(1);
		await turn();
		loader.clear(1);
		const fresh = loader.load(1);
		await expect(old).rejects.toThrow('the old one');
		expect(await Promise.all([fresh, loader.load(1)])).toEqual(['v1', 'v1']);
		expect(batches).toEqual([[1], [1]]);
	});

	it('does not put a key into a batch twice when it is cleared before it was sent', async () => {
		const { loader, batches } = setup();
		const first = loader.load(1);
		loader.clear(1);
		expect(await Promise.all([first, loader.load(1)])).toEqual(['v1', 'v1']);
		expect(batches).toEqual([[1]]);
	});

	it('does not ask for what was primed, and does not overwrite what is known', async () => {
		const { loader, batches } = setup();
		loader.prime(1, 'primed');
		loader.prime(1, 'again');
		expect(await loader.loadMany([1, 2])).toMatchObject([{ value: 'primed' }, { value: 'v2' }]);
		expect(batches).toEqual([[2]]);
	});

	it('harms nobody with a load that fails and that nobody awaits', async () => {
		const unhandled: unknown[] = [];
		const listen = (reason: unknown) => void unhandled.push(reason);
		process.on('unhandledRejection', listen);
		const { loader, request } = setup({}, (keys) =>
			keys.includes(1) ? Promise.reject(new Error('down')) : new Promise(() => undefined),
		);
		void loader.load(1);
		await turn();
		await turn();
		void loader.load(2);
		request.abort();
		await turn();
		await turn();
		process.off('unhandledRejection', listen);
		expect(unhandled).toEqual([]);
	});

	it('lets a key that cannot be identified fail alone', async () => {
		const request = new AbortController().signal;
		const identify = (key: { id: number } | null) => {
			if (key === null) throw new TypeError('no key');
			return key.id;
		};
		const loader = new BatchLoader<{ id: number } | null, string>(
			async (keys) => keys.map((key) => `value ${key?.id}`),
			{ request, identify },
		);
		expect(await loader.loadMany([{ id: 1 }, null, { id: 2 }])).toMatchObject([
			{ value: 'value 1' },
			{ reason: { message: 'no key' } },
			{ value: 'value 2' },
		]);
	});

	it('refuses a limit that makes no sense, and loads nothing for a request that has already ended', async () => {
		for (const maxBatch of [0, -1, 1.5, Number.NaN])
			expect(() => setup({ maxBatch })).toThrow('maxBatch must be an integer of at least 1');
		const { loader, batches } = setup({ request: AbortSignal.abort(new Error('gone')) });
		await expect(loader.load(1)).rejects.toThrow('gone');
		expect(batches).toEqual([]);
	});
});

describe('batch-loader scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, { posts: [6, 16, 20], authors: [4, 6, 10], maxBatch: [2, 4, 20] }, 11);
	});

	it('asks once for every post when the pattern is off', async () => {
		expect((await playScenario(demo, { pattern: false })).broken).toEqual(
			expect.arrayContaining([rules.tick, rules.once]),
		);
	});
});
