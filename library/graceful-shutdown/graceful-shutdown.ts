/** A part of the process that must be ended in good order. Register it when it has started, after what it depends on. */
export interface Component {
	name: string;
	/** Takes no new work from here on: close the listener, stop the consumer. Must not wait for the work under way. */
	stopAccepting?(): void | PromiseLike<void>;
	/**
	 * Finishes the work under way and gives resources back. `signal` aborts when the time for it is over.
	 * Components registered earlier are still at its service.
	 */
	drain?(signal: AbortSignal): void | PromiseLike<void>;
	/** Ends at once, without waiting: destroy sockets, drop the pool. Called once, when `drain` failed or was not done in time. */
	force?(): void;
}

export interface ShutdownOptions {
	/** Milliseconds for everything together; some seconds less than the platform waits before it kills the process. */
	budgetMs: number;
	/**
	 * Milliseconds between readiness turning false and listeners closing, so that balancers stop sending first: probe
	 * interval × failure threshold, and a little. Default 0.
	 */
	noticeMs?: number;
	/** Milliseconds of the budget that a component leaves to each one after it, even if it hangs. Default: a twentieth. */
	reserveMs?: number;
	clock?: ShutdownClock;
}

export interface ShutdownClock {
	/** Milliseconds, monotonic. */
	now(): number;
	/** Calls back after `ms`; returns what cancels that. */
	after(ms: number, callback: () => void): () => void;
}

export interface ComponentReport {
	name: string;
	/** `failed`: it threw. `timed out`: it used up its share of the budget. `forced`: the budget ended, or a second signal came. */
	outcome: 'drained' | 'failed' | 'timed out' | 'forced';
	/** What `drain` threw, or else `stopAccepting`, or else `force`. */
	error?: unknown;
}

export interface ShutdownReport {
	/** False when everything was drained without an error: exit with 0, otherwise with 1. */
	clean: boolean;
	ms: number;
	/** In the order in which they were ended. */
	components: ComponentReport[];
}

/** What `process` offers of signals. */
export interface SignalSource {
	on(event: string, listener: () => void): unknown;
	off(event: string, listener: () => void): unknown;
}

const realClock: ShutdownClock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};

/**
 * Ends a process in order: not ready → notice → nobody accepts → drain, last registered first → force what is left.
 * It exits nothing itself: that is for whoever awaits the report.
 */
export class GracefulShutdown {
	readonly #options: Required<ShutdownOptions>;
	readonly #components: Component[] = [];
	/** Aborts when waiting is over, because the budget is spent or somebody insists. */
	readonly #over = new AbortController();
	#ready = true;
	#end: (report: Promise<ShutdownReport>) => void = () => undefined;
	/** Resolves when shutdown has ended, whoever asked for it. Never rejects. */
	readonly ended = new Promise<ShutdownReport>((resolve) => {
		this.#end = resolve;
	});

	/** @throws RangeError when the budget is not positive or too long for a timer, or the notice leaves nothing of it */
	constructor({ budgetMs, noticeMs = 0, reserveMs = budgetMs / 20, clock = realClock }: ShutdownOptions) {
		// Beyond this, setTimeout fires at once.
		if (!(budgetMs > 0 && budgetMs < 2 ** 31))
			throw new RangeError(`budgetMs must be positive and below 2^31, not ${budgetMs}`);
		if (!(noticeMs >= 0 && noticeMs < budgetMs))
			throw new RangeError(`noticeMs must be from 0 to less than the budget of ${budgetMs}, not ${noticeMs}`);
		if (!(reserveMs >= 0 && reserveMs < Number.POSITIVE_INFINITY))
			throw new RangeError(`reserveMs must be at least 0 and finite, not ${reserveMs}`);
		this.#options = { budgetMs, noticeMs, reserveMs, clock };
	}

	/** What the readiness probe answers. False from the moment that shutdown begins. */
	get ready(): boolean {
		return this.#ready;
	}

	/** @throws Error when shutdown has begun: what starts now would never be ended */
	register(component: Component): void {
		if (!this.ready) throw new Error(`cannot register ${component.name}: shutdown has begun`);
		this.#components.push(component);
	}

	/** Begins, or joins what has begun. Never rejects. */
	shutdown(): Promise<ShutdownReport> {
		if (this.#ready) {
			this.#ready = false;
			this.#end(this.#run());
		}
		return this.ended;
	}

	/** Begins if need be, and ends all waiting now. */
	force(): Promise<ShutdownReport> {
		this.#over.abort(new Error('shutdown was forced'));
		return this.shutdown();
	}

	/**
	 * The first of `signals` begins the shutdown; every further one forces it.
	 * @returns what removes the listeners. Keep them until the process exits: without one, the next signal kills.
	 */
	listen(source: SignalSource, signals: readonly string[] = ['SIGTERM', 'SIGINT']): () => void {
		const onSignal = () => void (this.ready ? this.shutdown() : this.force());
		for (const signal of signals) source.on(signal, onSignal);
		return () => {
			for (const signal of signals) source.off(signal, onSignal);
		};
	}

	async #run(): Promise<ShutdownReport> {
		const { budgetMs, noticeMs, reserveMs, clock } = this.#options;
		const began = clock.now();
		const cancelBudget = clock.after(budgetMs, () => this.#over.abort(new Error('the shutdown budget is spent')));
		/** What a step may use while `after` more follow it: all but their reserves, and never less than an even share. */
		const share = (after: number) => {
			const left = Math.max(0, began + budgetMs - clock.now());
			return Math.max(left - reserveMs * after, left / (after + 1));
		};
		const components = this.#components.toReversed();
		const reports: ComponentReport[] = [];

		if (noticeMs > 0) await this.#within(noticeMs, () => new Promise(() => undefined));
		const stopMs = share(components.length);
		const stops = await Promise.all(
			components.map((component) => this.#within(stopMs, () => component.stopAccepting?.())),
		);
		for (const [index, component] of components.entries()) {
			const drain = this.#over.signal.aborted
				? forced
				: await this.#within(share(components.length - index - 1), (signal) => component.drain?.(signal));
			const stop = stops[index] ?? drained;
			const ending = drain.outcome === 'drained' ? stop : drain;
			if (ending.outcome === 'drained') reports.push({ name: component.name, ...ending });
			else reports.push({ name: component.name, ...forceErrors(component), ...stop, ...ending });
		}
		cancelBudget();
		return {
			clean: reports.every(({ outcome }) => outcome === 'drained'),
			ms: clock.now() - began,
			components: reports,
		};
	}

	/** Runs `work` until it settles, `ms` have passed or all waiting is over; in the last two cases its signal aborts. */
	#within(ms: number, work: (signal: AbortSignal) => unknown): Promise<Ending> {
		return new Promise((resolve) => {
			const over = this.#over.signal;
			const step = new AbortController();
			const end = (ending: Ending) => {
				cancel();
				over.removeEventListener('abort', onOver);
				resolve(ending);
			};
			const onOver = () => {
				end(forced);
				step.abort(over.reason);
			};
			const cancel = this.#options.clock.after(ms, () => {
				end({ outcome: 'timed out' });
				step.abort(new Error(`not done in ${Math.round(ms)} ms`));
			});
			over.addEventListener('abort', onOver);
			// The executor turns a synchronous throw into a rejection. A late one, after the end, is heard here too.
			new Promise((settle) => settle(work(step.signal))).then(
				() => end(drained),
				(error: unknown) => end({ outcome: 'failed', error }),
			);
			if (over.aborted) onOver();
		});
	}
}

type Ending = Omit<ComponentReport, 'name'>;
const drained: Ending = { outcome: 'drained' };
const forced: Ending = { outcome: 'forced' };

/** Forces the component; what that throws is reported unless something earlier is. */
function forceErrors(component: Component): { error?: unknown } {
	try {
		component.force?.();
		return {};
	} catch (error) {
		return { error };
	}
}
