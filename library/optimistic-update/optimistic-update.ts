/**
 * Shows a change before the server has it. The view is never edited: it is the confirmed state with all open changes
 * applied again, in order. So a failure needs no undo code, it only leaves the list. The idea is that of pending operations
 * over a replicated state (Bayou: Terry et al., "Managing Update Conflicts in Bayou", SOSP 1995).
 */

/** What the server holds. Its version grows with every write to the entity: a row version, never a date of the client. */
export interface Snapshot<S> {
	readonly state: S;
	readonly version: number;
}

export interface Change<S> {
	/**
	 * The state with the change in it. Must not modify its argument, and runs again whenever the state beneath changes.
	 * Throws when the change makes no sense any more (the item is gone).
	 */
	readonly apply: (state: S) => S;
	/** Writes the change and resolves with what the server holds then. Runs at most once. */
	readonly send: (signal: AbortSignal) => Promise<Snapshot<S>>;
	/** How long the change can be undone before it is sent, in milliseconds. 0 by default. */
	readonly undoMs?: number;
}

/** How a change ended. After `failed` by a timeout, and after `closed`, the server may have it: read to know. */
export type Outcome =
	| { readonly status: 'saved' | 'undone' | 'closed' }
	| { readonly status: 'failed'; readonly error: unknown };

export interface PendingChange {
	/** Never rejects. */
	readonly done: Promise<Outcome>;
	/** Takes the change back while it has not been sent; false when it is too late. */
	undo(): boolean;
}

/** Monotonic milliseconds, and a timer that returns its cancellation. */
export interface Clock {
	now(): number;
	after(ms: number, callback: () => void): () => void;
}

export interface EntityOptions {
	readonly clock?: Clock;
	/** Receives what a listener throws. Must not throw itself. */
	readonly onListenerError?: (error: unknown) => void;
}

interface Open<S> {
	readonly change: Change<S>;
	readyAt: number;
	readonly end: (outcome: Outcome) => void;
}

const realClock: Clock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};

/** setTimeout counts in 32 bits, and fires at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** One entity: its view, and the one queue of its changes. */
export class OptimisticEntity<S> {
	readonly #clock: Clock;
	readonly #onListenerError: (error: unknown) => void;
	readonly #abort = new AbortController();
	readonly #listeners = new Set<(view: S) => void>();
	#confirmed: Snapshot<S>;
	#view: S;
	#queue: Open<S>[] = [];
	#inFlight: Open<S> | undefined;
	/** The newest snapshot that came while a write was in flight. */
	#parked: Snapshot<S> | undefined;
	#cancelTimer: () => void = () => undefined;

	constructor(snapshot: Snapshot<S>, options: EntityOptions = {}) {
		this.#clock = options.clock ?? realClock;
		this.#onListenerError = options.onListenerError ?? console.error;
		this.#confirmed = snapshot;
		this.#view = snapshot.state;
	}

	/** What to show now. */
	get view(): S {
		return this.#view;
	}

	/** How many changes are not confirmed yet. */
	get pending(): number {
		return this.#queue.length;
	}

	/** Calls `listener` after every change of the view; returns the function that ends it. */
	subscribe(listener: (view: S) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/**
	 * Shows the change at once and sends it when its undo window is over and all earlier ones have ended.
	 * @throws what `apply` throws, or Error when the entity is closed or the window no number; then nothing has changed
	 */
	change(change: Change<S>): PendingChange {
		if (this.#abort.signal.aborted) throw new Error('the entity is closed');
		const { undoMs = 0 } = change;
		if (Number.isNaN(undoMs)) throw new RangeError('undoMs is not a number');
		const view = change.apply(this.#view);
		let end: (outcome: Outcome) => void = () => undefined;
		const done = new Promise<Outcome>((resolve) => {
			end = resolve;
		});
		const open: Open<S> = { change, readyAt: this.#clock.now() + undoMs, end };
		this.#queue.push(open);
		this.#show(view);
		this.#pump();
		return { done, undo: () => this.#undo(open) };
	}

	/** Takes what the server pushed or a read returned. Anything not newer than the confirmed state is ignored. */
	receive(snapshot: Snapshot<S>): void {
		if (this.#abort.signal.aborted) return;
		if (this.#inFlight) {
			// It may or may not hold the write in flight; the reply will tell, so it waits.
			if (snapshot.version > (this.#parked?.version ?? this.#confirmed.version)) this.#parked = snapshot;
		} else if (this.#adopt(snapshot)) this.#rebase();
	}

	/** Ends all undo windows now: when the page is hidden, say. */
	flush(): void {
		for (const open of this.#queue) open.readyAt = Number.NEGATIVE_INFINITY;
		this.#pump();
	}

	/** Aborts the write in flight, drops what was not sent and forgets the listeners. The view stays as it is. */
	close(): void {
		this.#listeners.clear();
		this.#cancelTimer();
		for (const { end } of this.#queue.splice(0)) end({ status: 'closed' });
		this.#abort.abort();
	}

	#undo(open: Open<S>): boolean {
		if (open === this.#inFlight || !this.#queue.includes(open)) return false;
		this.#remove(open, { status: 'undone' });
		this.#rebase();
		return true;
	}

	#remove(open: Open<S>, outcome: Outcome): void {
		this.#queue = this.#queue.filter((other) => other !== open);
		open.end(outcome);
	}

	#adopt(snapshot: Snapshot<S>): boolean {
		// Also when it has no version that can be compared: what cannot be called newer is not.
		if (!(snapshot.version > this.#confirmed.version)) return false;
		this.#confirmed = snapshot;
		return true;
	}

	/**
	 * Computes the view anew and goes on. What does not apply any more fails here, unsent: it is never the write in flight,
	 * which is first in the queue and whose confirmed state stands still.
	 */
	#rebase(): void {
		let view = this.#confirmed.state;
		for (const open of this.#queue) {
			try {
				view = open.change.apply(view);
			} catch (error) {
				this.#remove(open, { status: 'failed', error });
			}
		}
		this.#show(view);
		this.#pump();
	}

	#show(view: S): void {
		if (Object.is(view, this.#view)) return;
		this.#view = view;
		for (const listener of [...this.#listeners]) {
			try {
				listener(this.#view);
			} catch (error) {
				this.#onListenerError(error);
			}
		}
	}

	#pump(): void {
		const [open] = this.#queue;
		if (this.#inFlight || this.#abort.signal.aborted) return;
		this.#cancelTimer();
		if (!open) return;
		const wait = open.readyAt - this.#clock.now();
		if (wait > 0) {
			this.#cancelTimer = this.#clock.after(Math.min(wait, LONGEST_TIMER), () => this.#pump());
			return;
		}
		this.#inFlight = open;
		(async () => open.change.send(this.#abort.signal))().then(
			(snapshot) => this.#settle(open, { status: 'saved' }, snapshot),
			(error: unknown) => this.#settle(open, { status: 'failed', error }),
		);
	}

	#settle(open: Open<S>, outcome: Outcome, reply?: Snapshot<S>): void {
		if (this.#abort.signal.aborted) return;
		this.#inFlight = undefined;
		for (const snapshot of [reply, this.#parked]) if (snapshot) this.#adopt(snapshot);
		this.#parked = undefined;
		this.#remove(open, outcome);
		this.#rebase();
	}
}
