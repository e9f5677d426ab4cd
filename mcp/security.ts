import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { FileRead } from '../registry/query.ts';
import { DENIED, isDenied, judgePath } from './path-policy.ts';

/**
 * The trust boundary of the server: which bytes of the disk a client may see. Paths from clients are advice; every rule
 * here holds whatever they say.
 */

/** Most bytes of a file that are read. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;

/**
 * The one answer for everything that is not there, not readable, or not inside: a difference would tell what exists
 * outside the root.
 */
const NOT_FOUND = 'no readable file of the repository has this path; paths are relative to its root and exact in case';

/**
 * A reader of the regular text files under `root`, by path from the root.
 *
 * The real path must lie under the real root, compared segment by segment, and pass the denylist under the name asked
 * for and under its real one. Nothing but a regular file is opened, so a FIFO or a device cannot block the server. The
 * text is cut at `limit` bytes, at the end of a line where there is one.
 */
export function createFileReader(root: string, limit = MAX_FILE_BYTES): (path: string) => FileRead {
	return (path) => {
		const verdict = judgePath(path);
		if (!verdict.ok) return verdict;
		try {
			return readInside(root, verdict.segments, limit);
		} catch (error) {
			if (error instanceof Error && 'code' in error) return refuse(NOT_FOUND);
			throw error;
		}
	};
}

/** @throws what the file system throws, with a `code` */
function readInside(root: string, asked: readonly string[], limit: number): FileRead {
	const realRoot = realpathSync(root);
	const real = realpathSync(join(realRoot, ...asked));
	const segments = segmentsInside(realRoot, real);
	if (!segments) return refuse(NOT_FOUND);
	if (isDenied(segments)) return refuse(DENIED);
	const found = lstatSync(real);
	if (found.isDirectory()) return refuse('the path names a folder; name a file in it');
	if (!found.isFile()) return refuse('the path names no regular file');
	const descriptor = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
	try {
		const opened = fstatSync(descriptor);
		// The name may have been given to something else since it was judged.
		if (!opened.isFile() || opened.ino !== found.ino || opened.dev !== found.dev) return refuse(NOT_FOUND);
		return decode(readUpTo(descriptor, Math.min(opened.size, limit)), opened.size);
	} finally {
		closeSync(descriptor);
	}
}

/** The segments of `real` below `realRoot`; nothing when it lies elsewhere or is the root itself. */
function segmentsInside(realRoot: string, real: string): string[] | undefined {
	const segments = relative(realRoot, real).split(sep);
	const inside = segments[0] !== '' && segments[0] !== '..' && join(realRoot, ...segments) === real;
	return inside ? segments : undefined;
}

function readUpTo(descriptor: number, size: number): Uint8Array {
	const bytes = new Uint8Array(size);
	let length = 0;
	while (length < size) {
		const read = readSync(descriptor, bytes, length, size - length, length);
		if (read === 0) break;
		length += read;
	}
	return bytes.subarray(0, length);
}

function decode(bytes: Uint8Array, size: number): FileRead {
	const truncated = bytes.length < size;
	const whole = truncated ? bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1 || bytes.length) : bytes;
	if (isBinary(whole)) return refuse('the file is binary; only text is shown');
	// Streaming, so that a character cut at the limit is dropped instead of shown as damage.
	const text = new TextDecoder().decode(whole, { stream: truncated });
	return { ok: true, text, bytes: size, truncated };
}

/** A NUL anywhere, or more than a tenth of the beginning that is neither UTF-8 nor printable. */
function isBinary(bytes: Uint8Array): boolean {
	if (bytes.includes(0)) return true;
	const sample = new TextDecoder().decode(bytes.subarray(0, 8192), { stream: true });
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	const odd = sample.match(/[\ufffd\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
	return odd * 10 > sample.length;
}

function refuse(reason: string): FileRead {
	return { ok: false, reason };
}
