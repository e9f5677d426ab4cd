import type { ScenarioClock } from './scenario.ts';

interface Timer {
	at: number;
	order: number;
	callback: () => void;
}

/** How many real milliseconds `run` waits, at least, for work that has no timer before it gives up. */
const PATIENCE = 250;

/**
 * A clock that only `run` and `advance` move, for tests and scenarios: timers fire in order of time, then of creation,
 * and every promise that a timer settles has run to its end before the next timer fires.
 */
export class VirtualClock implements ScenarioClock {
	#now: number;
	#order = 0;
	#timers: Timer[] = [];
	#external = 0;

	/** @param start the first reading of `now()`, in milliseconds */
	constructor(start = 0) {
		this.#now = start;
	}

	now = (): number => this.#now;

	after = (ms: number, callback: () => void): (() => void) => {
		// Compared with NaN no time comes next, and the clock would stand on it.
		if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
		const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
		this.#timers.push(timer);
		return () => {
			this.#timers = this.#timers.filter((other) => other !== timer);
		};
	};

	sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
		new Promise((resolve, reject) => {
			if (signal?.aborted) {
				reject(signal.reason);
				return;
			}
			const onAbort = () => {
				cancel();
				reject(signal?.reason);
			};
			const cancel = this.after(ms, () => {
				signal?.removeEventListener('abort', onAbort);
				resolve();
			});
			signal?.addEventListener('abort', onAbort, { once: true });
		});

	external = async <T>(work: Promise<T>): Promise<T> => {
		this.#external++;
		try {
			return await work;
		} finally {
			this.#external--;
		}
	};

	/** How many timers wait. Zero after a test means that nothing was left behind. */
	get pending(): number {
		return this.#timers.length;
	}

	/** Moves time forward by `ms`, firing every timer that is due on the way. */
	async advance(ms: number): Promise<void> {
		const end = this.#now + ms;
		await this.#settle();
		for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
			this.#fire(next);
			await this.#settle();
		}
		this.#now = Math.max(this.#now, end);
	}

	/**
	 * Runs `work`, moving time whenever nothing else can happen, until it settles; returns or throws as it does.
	 * @throws Error when `work` waits for something that no timer will bring
	 */
	async run<T>(work: Promise<T>): Promise<T> {
		let settled = false;
		const outcome = work.finally(() => {
			settled = true;
		});
		outcome.catch(() => undefined);
		await this.#settle();
		let patience = PATIENCE;
		while (!settled) {
			const next = this.#next();
			if (next) {
				patience = PATIENCE;
				this.#fire(next);
			} else if (patience-- > 0) {
				// Real work that nobody announced (WebCrypto, say) may be about to end.
				await new Promise((resolve) => setTimeout(resolve, 1));
			} else {
				throw new Error(`virtual clock: nothing left to wait for at ${this.#now} ms, but the work has not ended`);
			}
			await this.#settle();
		}
		return outcome;
	}

	#next(): Timer | undefined {
		let first: Timer | undefined;
		for (const timer of this.#timers) {
			if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
		}
		return first;
	}

	#fire(timer: Timer): void {
		this.#timers = this.#timers.filter((other) => other !== timer);
		this.#now = Math.max(this.#now, timer.at);
		timer.callback();
	}

	/** Lets every promise run that can: a turn of the event loop starts only when the microtask queue is empty. */
	async #settle(): Promise<void> {
		do await turn();
		while (this.#external > 0);
	}
}

/** One turn of the event loop. A message channel, since browsers stretch nested zero timeouts to 4 ms. */
function turn(): Promise<void> {
	return new Promise((resolve) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => {
			port1.close();
			resolve();
		};
		port2.postMessage(null);
	});
}
