import { createFrameWriter, type Output } from './frame-writer.ts';
import { encodeFrame, type Line, LineSplitter, MAX_LINE_BYTES } from './framing.ts';
import { ErrorCode, errorReply, RpcError } from './json-rpc.ts';
import type { Answer, Session } from './protocol.ts';

export interface Connection {
	input: AsyncIterable<Uint8Array>;
	output: Output;
	/** Ends reading, as the end of the input would. */
	stop?: AbortSignal;
	/** Most requests in work at a time; beyond it the input waits. */
	maxInFlight?: number;
}

/**
 * Serves one connection until its input ends, `stop` fires or the other side is gone; resolves when everything that was
 * read is answered and handed over. Reads no further while the output is full, so a slow reader costs no memory.
 */
export async function serve(session: Session, connection: Connection): Promise<void> {
	const { input, output, stop, maxInFlight = 64 } = connection;
	const chunks = input[Symbol.asyncIterator]();
	const lines = new LineSplitter();
	const inFlight = new Set<Promise<void>>();
	let last = Promise.resolve();
	let over = false;
	let stopWaiting: () => void = () => undefined;
	const finish = () => {
		over = true;
		stopWaiting();
	};
	const writer = createFrameWriter(output, finish);
	if (stop?.aborted) finish();
	stop?.addEventListener('abort', finish, { once: true });

	for (let chunk = await nextChunk(); chunk; chunk = await nextChunk()) await acceptAll(lines.push(chunk));
	if (!over) await acceptAll(lines.end());
	await Promise.all(inFlight);
	await writer.flushed();

	/** Nothing at the end of the input, whichever way it ends. */
	function nextChunk(): Promise<Uint8Array | undefined> {
		return new Promise((resolve) => {
			stopWaiting = () => resolve(undefined);
			if (over) return stopWaiting();
			chunks.next().then(
				(step) => resolve(step.done ? undefined : step.value),
				() => resolve(undefined),
			);
		});
	}

	/**
	 * Takes the lines of a chunk one after the other without waiting for their replies, so that a cancellation reaches
	 * the request before it; waits only when there is too much to do or the output is full.
	 */
	async function acceptAll(batch: Iterable<Line>): Promise<void> {
		for (const line of batch) {
			const work = send(answer(line), last).finally(() => inFlight.delete(work));
			inFlight.add(work);
			last = work;
			while (inFlight.size >= maxInFlight) await Promise.race(inFlight);
			const full = writer.ready();
			if (full) await full;
		}
	}

	function answer(line: Line): Promise<Answer> {
		return line.kind === 'text' ? session.receive(line.text) : Promise.resolve(unreadable(line.kind));
	}

	/** Replies leave in the order of the messages: nothing here takes long, and an error without an id finds its cause. */
	async function send(answered: Promise<Answer>, earlier: Promise<void>): Promise<void> {
		const reply = await answered;
		await earlier;
		if (reply !== undefined) writer.write(encodeFrame(reply));
	}
}

function unreadable(kind: 'too-long' | 'not-utf8'): Answer {
	return kind === 'too-long'
		? errorReply(null, new RpcError(ErrorCode.invalidRequest, `Invalid request: longer than ${MAX_LINE_BYTES} bytes`))
		: errorReply(null, new RpcError(ErrorCode.parseError, 'Parse error: the line is not UTF-8'));
}
