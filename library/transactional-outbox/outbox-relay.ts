/**
 * The relay of the outbox: takes events, tells the broker within a time limit, and reports what became of each. It knows
 * nothing of where the outbox is kept.
 */
import type { OutboxEvent, OutboxStore, Verdict } from './transactional-outbox.ts';

/** Hands an event to the broker; resolves when the broker has it. After `signal` aborts it must not arrive any more. */
export type Publish = (event: OutboxEvent, signal: AbortSignal) => Promise<void>;

export interface RelayOptions {
	/** Events per batch, each of another aggregate; published side by side. */
	limit?: number;
	/** Failures after which an event is parked. */
	maxAttempts?: number;
	/** The pause after failure n is min(capMs, baseMs · 2ⁿ⁻¹) milliseconds. */
	baseMs?: number;
	capMs?: number;
	/** Milliseconds that the broker has for one event. */
	timeoutMs?: number;
	signal?: AbortSignal;
	/** Calls back after `ms` milliseconds; returns the function that cancels it. */
	after?: (ms: number, callback: () => void) => () => void;
}

/**
 * Delivers one batch.
 * @returns how many events it took; 0 means that there is nothing to do now
 * @throws RangeError when an option makes no sense; what the store throws
 */
export async function relayOnce(store: OutboxStore, publish: Publish, options: RelayOptions = {}): Promise<number> {
	const {
		limit = 20,
		maxAttempts = 8,
		baseMs = 500,
		capMs = 60_000,
		timeoutMs = 10_000,
		signal,
		after = timer,
	} = options;
	// A pause that is no number could not be noted down, and would fail the batch each time.
	for (const [name, value, least] of [
		['limit', limit, 1],
		['maxAttempts', maxAttempts, 1],
		['baseMs', baseMs, 0],
		['capMs', capMs, 0],
		['timeoutMs', timeoutMs, 0],
	] as const)
		if (!(value >= least && value < 2 ** 31))
			throw new RangeError(`${name} is ${value}; expected ${least} or more, below 2^31`);
	const deliver = async (event: OutboxEvent, attempts: Set<AbortController>): Promise<Verdict> => {
		const { id } = event;
		const attempt = new AbortController();
		attempts.add(attempt);
		try {
			signal?.throwIfAborted();
			await inTime(attempt, () => publish(event, attempt.signal), timeoutMs, after);
			return { id, outcome: 'delivered' };
		} catch (error) {
			if (signal?.aborted) return { id, outcome: 'interrupted' };
			const failures = event.attempts + 1;
			const retryInMs = Math.min(capMs, baseMs * 2 ** event.attempts);
			return { id, outcome: 'failed', error: readable(error), retryInMs, park: failures >= maxAttempts };
		} finally {
			attempts.delete(attempt);
		}
	};
	return store.take(limit, async (events) => {
		const attempts = new Set<AbortController>();
		// One listener for the batch: Node takes more than ten on one signal for a leak.
		const stop = () => {
			for (const attempt of attempts) attempt.abort(signal?.reason);
		};
		signal?.addEventListener('abort', stop, { once: true });
		try {
			return await Promise.all(events.map((event) => deliver(event, attempts)));
		} finally {
			signal?.removeEventListener('abort', stop);
		}
	});
}

/**
 * Delivers until the signal aborts; resolves when the batch under way has ended. Run as many as you like.
 * @param options.idleMs pause when nothing is due, and after an error of the database, which goes to `onError`
 * @param options.onError must not throw: that ends the relay
 */
export async function runRelay(
	store: OutboxStore,
	publish: Publish,
	options: RelayOptions & { signal: AbortSignal; idleMs?: number; onError?: (error: unknown) => void },
): Promise<void> {
	const { signal, idleMs = 500, onError = () => undefined, after = timer } = options;
	if (!(idleMs >= 0 && idleMs < 2 ** 31)) throw new RangeError(`idleMs is ${idleMs}; expected 0 or more, below 2^31`);
	while (!signal.aborted) {
		const taken = await relayOnce(store, publish, options).catch((error: unknown) => {
			onError(error);
			return 0;
		});
		if (taken === 0) await unlessAborted(signal, (done) => after(idleMs, done));
	}
}

/** Settles as `publish` does; when that takes too long, or `attempt` is aborted, it rejects with the reason of the abort. */
async function inTime(
	attempt: AbortController,
	publish: () => Promise<void>,
	timeoutMs: number,
	after: NonNullable<RelayOptions['after']>,
): Promise<void> {
	const cancel = after(timeoutMs, () => attempt.abort(new Error(`the broker took more than ${timeoutMs} ms`)));
	try {
		// Raced, since a broker's client may not heed its signal.
		const gaveUp = new Promise<never>((_, reject) => {
			attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason), { once: true });
		});
		await Promise.race([publish(), gaveUp]);
	} finally {
		cancel();
	}
}

/** Resolves when `start`'s callback is called or the signal aborts, and leaves neither timer nor listener. */
function unlessAborted(signal: AbortSignal, start: (done: () => void) => () => void): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			cancel();
			signal.removeEventListener('abort', end);
			resolve();
		};
		const cancel = start(end);
		signal.addEventListener('abort', end, { once: true });
		if (signal.aborted) end();
	});
}

/** At most 500 characters, of which PostgreSQL refuses none: an error text must not fail the batch that reports it. */
function readable(error: unknown): string {
	let text = 'an error that cannot be shown';
	try {
		text = String(error instanceof Error ? error.message : error);
	} catch {
		// An object without a prototype, say: JavaScript throws anything.
	}
	return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, 500))).replaceAll('\u0000', '');
}

function timer(ms: number, callback: () => void): () => void {
	const handle = setTimeout(callback, ms);
	return () => clearTimeout(handle);
}
