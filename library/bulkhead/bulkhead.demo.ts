import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { Bulkhead, BulkheadFullError } from './bulkhead.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	running: 'Never more than maxRunning pieces of work run at once, whatever the order of arrivals, ends and aborts.',
	waiting: 'Never more than maxWaiting calls wait for a slot.',
	full: 'A call that finds every slot and every place in the queue taken is rejected at once, and its work never starts.',
	once: 'A slot is released exactly once, whether the work returns, throws (synchronously too) or is aborted.',
	fifo: 'Waiting is first in, first out: a freed slot goes to the head of the queue, and a newcomer never overtakes it.',
	leave: 'A waiting call that is aborted leaves the queue at once, and its work never starts.',
} as const;

/** How many calls at once the simulated dependency serves at full speed. */
const COMFORT = 4;
const SERVICE_MS = 100;

export const demo: Demo = {
	title: 'A dependency that slows down when crowded',
	about:
		'Calls arrive in a burst at a dependency that serves four at full speed and slows down in proportion beyond that. ' +
		'Some calls fail and some callers give up. With the bulkhead, the surplus waits in a short queue or is refused at once; ' +
		'without it, everybody is let in and everybody is slow.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the bulkhead', value: true },
		{ id: 'running', kind: 'number', label: 'Slots', value: 4, min: 1, max: 8, step: 1 },
		{ id: 'waiting', kind: 'number', label: 'Places in the queue', value: 5, min: 0, max: 12, step: 1 },
		{ id: 'calls', kind: 'number', label: 'Calls in the burst', value: 24, min: 10, max: 32, step: 1 },
	],
	async run(controls, emit, clock) {
		const maxRunning = Math.round(Number(controls.running));
		const maxWaiting = Math.round(Number(controls.waiting));
		const total = Math.round(Number(controls.calls));
		const bulkhead = new Bulkhead({ maxRunning, maxWaiting });
		const random = seededRandom(7);

		const taken = new Set<number>();
		const seen = { running: 0, waiting: 0, slowest: 0, refusedMs: 0, refused: 0 };
		const arrived: number[] = [];
		const started: number[] = [];
		const queued = new Set<number>();
		const neverStart = new Set<number>();

		/** The dependency: 100 ms a call, longer in proportion when more than four are inside; every seventh call fails. */
		const serve = async (call: number, signal: AbortSignal | undefined) => {
			const t = clock.now();
			started.push(call);
			if (queued.delete(call))
				emit({ t: arrived[call] ?? t, until: t, lane: 'queue', kind: 'wait', label: `call ${call}` });
			let slot = 1;
			while (taken.has(slot)) slot++;
			taken.add(slot);
			seen.running = Math.max(seen.running, taken.size);
			const lane = `slot ${slot}`;
			try {
				await clock.sleep(SERVICE_MS * Math.max(1, taken.size / COMFORT) * (0.7 + 0.6 * random()), signal);
				if (call % 7 === 3) throw new Error('the dependency failed');
				emit({ t, until: clock.now(), lane, kind: 'ok', label: `call ${call}` });
			} catch (error) {
				const kind = signal?.aborted ? 'abort' : 'fail';
				emit({ t, until: clock.now(), lane, kind, label: `call ${call} ${signal?.aborted ? 'aborted' : 'failed'}` });
				throw error;
			} finally {
				taken.delete(slot);
				seen.slowest = Math.max(seen.slowest, clock.now() - t);
			}
		};

		const client = async (call: number) => {
			const t = clock.now();
			arrived[call] = t;
			const caller = new AbortController();
			// Every fifth caller gives up early: some of them in the queue, some with their work under way.
			const cancel = call % 5 === 4 ? clock.after(40, () => caller.abort(new Error('gave up'))) : undefined;
			const work = (signal: AbortSignal | undefined) => serve(call, signal);
			const outcome = controls.pattern ? bulkhead.run(work, caller.signal) : work(caller.signal);
			if (!started.includes(call)) queued.add(call);
			try {
				await Promise.race([outcome, Promise.resolve()]);
				seen.waiting = Math.max(seen.waiting, queued.size);
				await outcome;
			} catch (error) {
				if (error instanceof BulkheadFullError) {
					queued.delete(call);
					neverStart.add(call);
					seen.refused++;
					seen.refusedMs = Math.max(seen.refusedMs, clock.now() - t);
					emit({ t: clock.now(), lane: 'door', kind: 'reject', label: `call ${call} refused` });
				} else if (queued.delete(call)) {
					neverStart.add(call);
					emit({ t, until: clock.now(), lane: 'queue', kind: 'abort', label: `call ${call} left the queue` });
				}
			} finally {
				cancel?.();
			}
		};

		const clients: Promise<void>[] = [];
		for (let call = 0; call < total; call++) {
			clients.push(client(call));
			await clock.sleep(Math.round(16 * random()));
		}
		await Promise.all(clients);
		emit({ t: clock.now(), lane: 'door', kind: 'info', label: `slowest call ${Math.round(seen.slowest)} ms` });

		// Afterwards exactly the configured number of calls must fit again: a lost slot shows as fewer, a doubled one as more.
		let inside = 0;
		let most = 0;
		const probe = async () => {
			most = Math.max(most, ++inside);
			await clock.sleep(10);
			inside--;
		};
		const probes = Array.from({ length: maxRunning + 1 }, () =>
			controls.pattern ? bulkhead.run(probe).catch(() => undefined) : probe(),
		);
		await Promise.all(probes);

		const waiters = started.filter((call) => !neverStart.has(call));
		const inOrder = waiters.every((call, index) => index === 0 || (waiters[index - 1] ?? call) < call);
		const ghosts = [...neverStart].filter((call) => started.includes(call)).length;
		emit({
			rule: rules.running,
			ok: seen.running <= maxRunning,
			detail: `${seen.running} ran at once; ${maxRunning} allowed`,
		});
		emit({
			rule: rules.waiting,
			ok: seen.waiting <= maxWaiting,
			detail: `${seen.waiting} waited; ${maxWaiting} allowed`,
		});
		emit({
			rule: rules.full,
			ok: seen.refusedMs === 0 && ghosts === 0,
			detail: `${seen.refused} refused, each within ${seen.refusedMs} ms`,
		});
		emit({
			rule: rules.once,
			ok: most === maxRunning,
			detail: `afterwards ${howMany(most, 'call fits', 'calls fit')} in ${howMany(maxRunning, 'slot')}`,
		});
		emit({
			rule: rules.fifo,
			ok: inOrder,
			detail: `${howMany(waiters.length, 'call')} started, ${inOrder ? 'in' : 'out of'} order of arrival`,
		});
		emit({
			rule: rules.leave,
			ok: ghosts === 0,
			detail: `${howMany(neverStart.size, 'call left or was', 'calls left or were')} refused; ${ghosts} of them started`,
		});
	},
};
