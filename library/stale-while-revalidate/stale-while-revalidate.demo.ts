import { howMany } from '../how-many.ts';
import type { Demo } from '../scenario.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	fresh: 'A fresh value is served without a call.',
	stale: 'A stale value is served at once within its window, with one revalidation in flight however many ask.',
	wait: 'Past the window callers wait for one new load, shared by all of them.',
	error:
		'A failed revalidation keeps the stale value, which is served when loads fail until stale-if-error ends; then the error is thrown.',
	invalidate:
		'Invalidating during a load discards its result: it is not stored, and later callers start a load of their own.',
} as const;

/** What the source answers: its version, and when the load of it began. */
interface Answer {
	version: number;
	loadedAt: number;
}

/** Without the pattern: a map with an expiry, filled by whoever misses. */
class ExpiringMap {
	#entry: { answer: Answer; until: number } | undefined;
	readonly #ttlMs: number;
	readonly #now: () => number;

	constructor(ttlMs: number, now: () => number) {
		this.#ttlMs = ttlMs;
		this.#now = now;
	}

	async get(load: () => Promise<Answer>): Promise<Answer> {
		if (this.#entry && this.#now() < this.#entry.until) return this.#entry.answer;
		const answer = await load();
		this.#entry = { answer, until: this.#now() + this.#ttlMs };
		return answer;
	}

	invalidate() {
		this.#entry = undefined;
	}
}

const OUTAGE = { from: 1300, to: 2300 };
const END = 3600;

export const demo: Demo = {
	title: 'Two readers, an outage and a write',
	about:
		'Two readers ask for the same page every 200 ms. The source is slow, is down from 1.3 s to 2.3 s, and is written to while a load is under way. ' +
		'With the pattern, readers rarely wait and hardly notice the outage; without it, a map with an expiry makes them wait, fail and see old data after the write.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Serve stale while revalidating', value: true },
		{ id: 'fresh', kind: 'number', label: 'Fresh for', value: 400, min: 100, max: 1000, step: 50, unit: 'ms' },
		{
			id: 'stale',
			kind: 'number',
			label: 'Stale while revalidating for',
			value: 600,
			min: 0,
			max: 1500,
			step: 100,
			unit: 'ms',
		},
		{
			id: 'ifError',
			kind: 'number',
			label: 'Stale if error for',
			value: 1500,
			min: 0,
			max: 3000,
			step: 100,
			unit: 'ms',
		},
		{ id: 'latency', kind: 'number', label: 'Source takes', value: 150, min: 50, max: 400, step: 10, unit: 'ms' },
	],
	async run(controls, emit, clock) {
		const freshMs = Number(controls.fresh);
		const staleMs = Number(controls.stale);
		const staleIfErrorMs = Number(controls.ifError);
		const latency = Number(controls.latency);
		const now = clock.now;
		const cache = new StaleWhileRevalidate<Answer>({ lifetimes: { freshMs, staleMs, staleIfErrorMs }, now });
		const naive = new ExpiringMap(freshMs, now);

		let version = 1;
		let calls = 0;
		let writtenAt = Number.POSITIVE_INFINITY;
		/** What a cache may know: the youngest answer that was not invalidated. And the loads that may still add to it. */
		let known: Answer | undefined;
		let running = new Set<object>();
		const seen = {
			freshCalls: 0,
			fresh: 0,
			staleWaits: 0,
			stale: 0,
			most: 0,
			past: 0,
			hasty: 0,
			failed: 0,
			saved: 0,
			late: 0,
			old: 0,
		};

		const write = () => {
			version++;
			known = undefined;
			running = new Set();
			writtenAt = now();
			if (controls.pattern) cache.invalidate('page');
			else naive.invalidate();
			emit({ t: writtenAt, lane: 'source', kind: 'state', label: `written: version ${version}, invalidated` });
		};

		const load = async (): Promise<Answer> => {
			const answer = { version, loadedAt: now() };
			calls++;
			const generation = running;
			generation.add(answer);
			seen.most = Math.max(seen.most, generation.size);
			if (answer.loadedAt > OUTAGE.to + 300 && writtenAt === Number.POSITIVE_INFINITY) {
				writtenAt = Number.MAX_VALUE;
				clock.after(latency / 2, write);
			}
			await clock.sleep(latency);
			generation.delete(answer);
			const down = answer.loadedAt >= OUTAGE.from && answer.loadedAt < OUTAGE.to;
			const label = `load of version ${answer.version}`;
			emit({
				t: answer.loadedAt,
				until: now(),
				lane: 'source',
				kind: down ? 'fail' : 'ok',
				label: down ? 'down' : label,
			});
			if (down) throw new Error('the source is down');
			if (generation === running) known = answer;
			return answer;
		};

		const read = async (lane: string) => {
			const t = now();
			const age = known ? t - known.loadedAt : Number.POSITIVE_INFINITY;
			const callsBefore = calls;
			const written = t >= writtenAt;
			const reading = controls.pattern ? cache.get('page', load).then(({ value }) => value) : naive.get(load);
			const called = calls > callsBefore;
			const answer = await reading.catch(() => undefined);
			const waited = now() - t;
			if (age < freshMs) {
				seen.fresh++;
				if (called || waited > 0) seen.freshCalls++;
			} else if (age < freshMs + staleMs) {
				seen.stale++;
				if (waited > 0) seen.staleWaits++;
			} else {
				seen.past++;
				if (waited === 0) seen.hasty++;
			}
			const usable = known && now() - known.loadedAt < freshMs + staleIfErrorMs;
			if (!answer && usable) seen.failed++;
			if (answer && waited > 0 && answer === known && now() - answer.loadedAt > waited) {
				if (now() - answer.loadedAt > latency) seen.saved++;
				if (!usable && now() - answer.loadedAt > latency) seen.late++;
			}
			if (written && answer && answer.version < 2) seen.old++;
			const label = answer ? `version ${answer.version}, ${Math.round(now() - answer.loadedAt)} ms old` : 'error';
			emit({ t, until: now(), lane, kind: answer ? (waited > 0 ? 'wait' : 'ok') : 'fail', label });
		};

		const reader = async (lane: string) => {
			for (let at = 0; at < END; at += 200) {
				await clock.sleep(Math.max(0, at - now()));
				if (now() > at) continue;
				await read(lane);
			}
		};
		await Promise.all([reader('reader 1'), reader('reader 2')]);
		await clock.sleep(latency + 1);

		emit({
			rule: rules.fresh,
			ok: seen.freshCalls === 0,
			detail: `${howMany(seen.fresh, 'fresh read')}, ${seen.freshCalls} of them made a call or waited`,
		});
		emit({
			rule: rules.stale,
			ok: seen.staleWaits === 0 && seen.most <= 1,
			detail: `${howMany(seen.stale, 'stale read')}, ${seen.staleWaits} waited; at most ${howMany(seen.most, 'load')} at once`,
		});
		emit({
			rule: rules.wait,
			ok: seen.hasty === 0 && seen.most <= 1,
			detail: `${howMany(seen.past, 'read')} past the window, ${seen.hasty} answered without waiting`,
		});
		emit({
			rule: rules.error,
			ok: seen.failed === 0 && seen.late === 0,
			detail: `${howMany(seen.failed, 'reader')} failed although a usable value was there; ${howMany(seen.saved, 'was served', 'were served')} it; ${seen.late} got it too late`,
		});
		emit({
			rule: rules.invalidate,
			ok: seen.old === 0,
			detail: `${howMany(seen.old, 'read')} after the write saw the version before it`,
		});
	},
};
