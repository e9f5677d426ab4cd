/** The writable half of a process's stdout, as far as the server uses it. */
export interface Output {
	/** Calls `done` when the bytes are handed over or lost; false means that the buffer is full until `drain`. */
	write(text: string, done: (error?: Error | null) => void): boolean;
	on(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
}

/** Writes frames and tells when to wait. Waits are `undefined` when there is nothing to wait for. */
export interface FrameWriter {
	/** Queues one frame; drops it when nobody reads any more. */
	write(frame: string): void;
	/** Resolves when there is room again. */
	ready(): Promise<void> | undefined;
	/** Resolves when every byte is handed over, or nobody reads any more. */
	flushed(): Promise<void> | undefined;
}

/** @param onGone called once when the other side is gone (EPIPE and the like) */
export function createFrameWriter(output: Output, onGone: () => void): FrameWriter {
	let gone = false;
	let full: Deferred | undefined;
	let unwritten = 0;
	let empty: Deferred | undefined;

	const lose = () => {
		if (gone) return;
		gone = true;
		full?.resolve();
		empty?.resolve();
		onGone();
	};
	output.on('error', lose);
	output.on('close', lose);
	output.on('drain', () => {
		full?.resolve();
		full = undefined;
	});

	return {
		write(frame) {
			if (gone) return;
			unwritten++;
			const more = output.write(frame, () => {
				unwritten--;
				if (unwritten === 0) empty?.resolve();
			});
			if (!more) full ??= defer();
		},
		ready: () => (gone ? undefined : full?.promise),
		flushed() {
			if (gone || unwritten === 0) return undefined;
			empty ??= defer();
			return empty.promise;
		},
	};
}

interface Deferred {
	promise: Promise<void>;
	resolve: () => void;
}

function defer(): Deferred {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}
