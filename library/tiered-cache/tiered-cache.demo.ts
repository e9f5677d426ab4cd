import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { MemoryTier } from './tiered-cache.memory.ts';
import { type RemoteAnswer, type RemoteTier, TieredCache } from './tiered-cache.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	tiers: 'A read asks this process, then the shared tier, then the source, and fills both on the way up.',
	once: 'Concurrent reads of a key in a process share one way up: the shared tier and the source are asked once.',
	write:
		'A write invalidates both tiers before it is acknowledged, and no read that was under way brings the old value back.',
	miss: 'That there is no such thing is remembered in both tiers, briefly.',
	error: 'Errors are never remembered, in no tier.',
	down: 'A shared tier that is down, hangs or holds nonsense costs its time limit at most; reads are answered by the source.',
} as const;

const SOURCE_MS = 60;
const REMOTE_MS = 3;
const TIMEOUT_MS = 40;
const L2_MS = 5000;

interface Expiring {
	value: string;
	until: number;
}

interface Cache {
	get(key: string, load: () => Promise<string | undefined>): Promise<{ value: string | undefined; tier: string }>;
	write(key: string, commit: () => Promise<void>): Promise<unknown>;
}

/** Without the pattern: two maps in a row, filled by whoever misses, errors and all; a write clears them afterwards. */
function naiveCache(remote: RemoteTier, shared: Map<string, Expiring>, l1Ms: number, now: () => number): Cache {
	const local = new Map<string, Expiring>();
	const never = new AbortController().signal;
	return {
		async get(key, load) {
			const found = local.get(key);
			if (found && now() < found.until) return { value: found.value, tier: 'l1' };
			await remote.get(key, never);
			const stored = shared.get(key);
			const hit = stored && now() < stored.until ? stored.value : undefined;
			const value = hit ?? (await load());
			if (value === undefined) return { value, tier: 'source' };
			local.set(key, { value, until: now() + l1Ms });
			shared.set(key, { value, until: now() + L2_MS });
			return { value, tier: hit === undefined ? 'source' : 'l2' };
		},
		async write(key, commit) {
			await commit();
			// "It need not be waited for."
			void Promise.resolve(remote.delete(key, never)).then(
				() => shared.delete(key),
				() => undefined,
			);
			local.delete(key);
		},
	};
}

export const demo: Demo = {
	title: 'Two processes, one shared cache',
	about:
		'Two processes read a product that one of them changes while a slow read is under way; both look for a product that does not exist, the source fails once, and later the shared tier ' +
		'is in trouble. Watch which tier answers, and whether anything old comes back. With the pattern off, two plain maps in a row take its place.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the tiered cache', value: true },
		{
			id: 'l1',
			kind: 'number',
			label: 'Lifetime in the process',
			value: 200,
			min: 120,
			max: 500,
			step: 20,
			unit: 'ms',
		},
		{ id: 'readers', kind: 'number', label: 'Readers at once', value: 3, min: 2, max: 5, step: 1 },
		{
			id: 'trouble',
			kind: 'select',
			label: 'The shared tier later',
			value: 'down',
			options: [
				{ value: 'none', label: 'works' },
				{ value: 'down', label: 'is down' },
				{ value: 'hangs', label: 'hangs for a second' },
			],
		},
	],
	async run(controls, emit, clock) {
		const l1Ms = Number(controls.l1);
		const readers = Math.round(Number(controls.readers));
		const missMs = 150;
		const store = new MemoryTier(clock.now);
		const shared = new Map<string, Expiring>();
		let trouble = 'none';
		let remoteGets = 0;
		const travel = async (label: string) => {
			const t = clock.now();
			if (trouble === 'down') {
				emit({ t, lane: 'shared tier', kind: 'fail', label: `${label}: refused` });
				throw new Error('connection refused');
			}
			await clock.sleep(trouble === 'hangs' ? 1000 : REMOTE_MS);
			emit({ t, until: clock.now(), lane: 'shared tier', kind: 'info', label });
		};
		const remote: RemoteTier = {
			async get(key): Promise<RemoteAnswer> {
				remoteGets++;
				await travel(`get ${key}`);
				return store.get(key);
			},
			async set(key, text, ttlMs, lease) {
				await travel(`set ${key}`);
				return store.set(key, text, ttlMs, lease);
			},
			async delete(key) {
				await travel(`delete ${key}`);
				return store.delete(key);
			},
		};
		const random = seededRandom(11);
		const cache = (): Cache =>
			controls.pattern
				? new TieredCache<string>({
						remote,
						l1Ms,
						l2Ms: L2_MS,
						missMs,
						random,
						clock: { now: clock.now, after: clock.after },
						remoteTimeoutMs: TIMEOUT_MS,
					})
				: naiveCache(remote, shared, l1Ms, clock.now);
		const processes = { 'process A': cache(), 'process B': cache() };
		type Lane = keyof typeof processes;

		const rows = new Map([['lamp', 'lamp at 10 €']]);
		let sourceDown = false;
		let calls = 0;
		const load = async (key: string) => {
			const t = clock.now();
			calls++;
			const value = rows.get(key);
			const failing = sourceDown;
			await clock.sleep(SOURCE_MS);
			emit({ t, until: clock.now(), lane: 'source', kind: failing ? 'fail' : 'ok', label: `select ${key}` });
			if (failing) throw new Error('the source is down');
			return value;
		};
		const read = async (lane: Lane, key: string) => {
			const t = clock.now();
			const before = calls;
			const result = await processes[lane]
				.get(key, () => load(key))
				.then(
					({ value, tier }) => ({ value, tier, error: undefined }),
					(error: Error) => ({ value: undefined, tier: 'none', error }),
				);
			const ms = clock.now() - t;
			const label = result.error
				? `${key}: ${result.error.message}`
				: `${result.value ?? `no ${key}`} (${result.tier})`;
			emit({ t, until: clock.now(), lane, kind: result.error ? 'fail' : 'ok', label });
			return { ...result, ms, calls: calls - before };
		};
		const settle = () => clock.sleep(10);

		// Cold start: several readers at once, then the same process, then the other one.
		const crowd = await Promise.all(Array.from({ length: readers }, () => read('process A', 'lamp')));
		const crowdCalls = { source: calls, remote: remoteGets };
		await settle();
		const again = await read('process A', 'lamp');
		const elsewhere = await read('process B', 'lamp');
		await settle();
		const path = [crowd[0], again, elsewhere].map((result) => result?.tier).join(' → ');

		// A product that does not exist, asked for by both, created, and asked for when the memory of its absence has ended.
		const absent = calls;
		await read('process A', 'vase');
		await settle();
		await read('process A', 'vase');
		await read('process B', 'vase');
		const absentCalls = calls - absent;
		rows.set('vase', 'vase at 5 €');
		await clock.sleep(missMs);
		const created = await read('process B', 'vase');

		// The source fails once.
		rows.set('desk', 'desk at 90 €');
		sourceDown = true;
		const failed = await read('process A', 'desk');
		sourceDown = false;
		await settle();
		const recovered = await read('process A', 'desk');

		// Both have let the lamp expire; B reads slowly while A changes it.
		await clock.sleep(L2_MS);
		const slow = read('process B', 'lamp');
		await clock.sleep(SOURCE_MS / 2);
		const t = clock.now();
		await processes['process A'].write('lamp', async () => {
			await clock.sleep(15);
			rows.set('lamp', 'lamp at 12 €');
		});
		emit({ t, until: clock.now(), lane: 'process A', kind: 'state', label: 'write of the lamp acknowledged' });
		await slow;
		const after = await read('process A', 'lamp');
		await clock.sleep(l1Ms + 1);
		const later = [await read('process A', 'lamp'), await read('process B', 'lamp')];
		const old = [after, ...later].filter(({ value }) => value !== 'lamp at 12 €').length;

		// The shared tier gets into trouble when nothing is left in the processes.
		await clock.sleep(L2_MS);
		trouble = String(controls.trouble);
		emit({ t: clock.now(), lane: 'shared tier', kind: 'state', label: trouble === 'none' ? 'works on' : trouble });
		const troubled = [await read('process A', 'lamp'), await read('process B', 'desk')];
		trouble = 'none';
		await clock.sleep(1000 + REMOTE_MS);

		const slowest = Math.max(...troubled.map(({ ms }) => ms));
		emit({ rule: rules.tiers, ok: path === 'source → l1 → l2', detail: path });
		emit({
			rule: rules.once,
			ok: crowdCalls.source === 1 && crowdCalls.remote === 1,
			detail: `${howMany(readers, 'reader')} asked the shared tier ${howMany(crowdCalls.remote, 'time')} and the source ${howMany(crowdCalls.source, 'time')}`,
		});
		emit({ rule: rules.write, ok: old === 0, detail: `${old} of 3 reads after the write saw the old price` });
		emit({
			rule: rules.miss,
			ok: absentCalls === 1 && created.value !== undefined,
			detail: `3 reads of what is not there asked the source ${howMany(absentCalls, 'time')}; ${created.value ? 'found' : 'not found'} once created`,
		});
		emit({
			rule: rules.error,
			ok: failed.error !== undefined && recovered.error === undefined && recovered.value !== undefined,
			detail: recovered.error ? 'the error was remembered' : 'the next read succeeded',
		});
		emit({
			rule: rules.down,
			ok: troubled.every(({ value }) => value !== undefined) && slowest <= TIMEOUT_MS + SOURCE_MS,
			detail: `${troubled.filter(({ value }) => value !== undefined).length} of 2 reads answered, the slower one in ${slowest} ms`,
		});
	},
};
