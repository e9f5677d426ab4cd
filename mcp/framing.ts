/** What one line of input turned out to be. */
export type Line =
	| { kind: 'text'; text: string }
	/** Longer than the limit. Reported once, as soon as it is known; its rest is dropped up to the next newline. */
	| { kind: 'too-long' }
	/** Not UTF-8. */
	| { kind: 'not-utf8' };

/** Longest line that is read, in bytes without the newline. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits a stream of bytes into lines, whatever its chunks. Bytes are split first and decoded afterwards, since a chunk
 * may end inside a character. A trailing carriage return and a leading byte order mark are dropped, blank lines skipped.
 */
export class LineSplitter {
	readonly #limit: number;
	#parts: Uint8Array[] = [];
	#length = 0;
	#skipping = false;

	/** @param limit longest line in bytes, newline not counted */
	constructor(limit = MAX_LINE_BYTES) {
		this.#limit = limit;
	}

	/** The lines that `chunk` completes, in order. Consume them all before the next call. */
	*push(chunk: Uint8Array): Generator<Line, void, undefined> {
		let start = 0;
		while (start < chunk.length) {
			const newline = chunk.indexOf(NEWLINE, start);
			const end = newline === -1 ? chunk.length : newline;
			if (!this.#skipping && !this.#keep(chunk.subarray(start, end))) {
				this.#skipping = true;
				yield { kind: 'too-long' };
			}
			if (newline === -1) return;
			yield* this.#finish();
			start = newline + 1;
		}
	}

	/** The last line when the input ended without a newline. */
	*end(): Generator<Line, void, undefined> {
		yield* this.#finish();
	}

	/** False when the line has become too long. */
	#keep(part: Uint8Array): boolean {
		if (part.length === 0) return true;
		this.#length += part.length;
		if (this.#length > this.#limit) {
			this.#parts = [];
			this.#length = 0;
			return false;
		}
		// A copy: whoever owns the chunk may reuse it before the line is complete.
		this.#parts.push(part.slice());
		return true;
	}

	*#finish(): Generator<Line, void, undefined> {
		const bytes = join(this.#parts, this.#length);
		this.#parts = [];
		this.#length = 0;
		this.#skipping = false;
		// Of a line that was too long nothing is left, so it reads as a blank one.
		const line = decode(bytes);
		if (line) yield line;
	}
}

/** A message as a frame: JSON on one line. JSON escapes every newline inside, so the frame has only its own. */
export function encodeFrame(message: unknown): string {
	return `${JSON.stringify(message)}\n`;
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
	const [only] = parts;
	if (parts.length === 1 && only) return only;
	const bytes = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

function decode(bytes: Uint8Array): Line | undefined {
	const line = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true }).decode(line);
	} catch {
		return { kind: 'not-utf8' };
	}
	return /^[ \t\r]*$/.test(text) ? undefined : { kind: 'text', text };
}
