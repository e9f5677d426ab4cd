/**
 * Replaces a file so that nobody ever sees half of it, and a crash leaves the old file or the new one.
 *
 * The rename is the moment of change (POSIX rename(2) replaces the target atomically within one file system); the fsync
 * before it makes sure that the name never points at bytes that are not on the disk yet, the fsync of the folder after
 * it that the new name itself outlives a power cut. The disk is a port, so that every step can fail in a test.
 */

/** A file that is being written. `close` reports late write errors, so it is part of the write. */
export interface OpenFile {
	/** Writes all of `data` or rejects. */
	writeFile(data: Uint8Array): Promise<void>;
	chmod(mode: number): Promise<void>;
	/** Resolves when bytes and metadata are on the disk (fsync). */
	sync(): Promise<void>;
	close(): Promise<void>;
}

/** A folder that is held open, so that its entries can be fsynced. */
export interface OpenFolder {
	sync(): Promise<void>;
	close(): Promise<void>;
}

/** The file operations that a replacement needs. Errors carry the system's `code` (`EEXIST`, `ENOSPC`, …). */
export interface Files {
	/** The file behind `path`, symbolic links followed, with its permission bits; undefined when there is none. */
	find(path: string): Promise<{ path: string; mode: number } | undefined>;
	/** Creates `path` for writing with `mode` less the umask; rejects with `EEXIST` when there is something already. */
	create(path: string, mode: number): Promise<OpenFile>;
	openFolder(path: string): Promise<OpenFolder>;
	rename(from: string, to: string): Promise<void>;
	remove(path: string): Promise<void>;
	/** The folder that holds `path`. */
	folderOf(path: string): string;
	/** The path of an entry `name` in `folder`. */
	entry(folder: string, name: string): string;
}

export interface WriteOptions {
	/** Permission bits, e.g. `0o600`. Default: those of the file being replaced, or `0o666` less the umask for a new one. */
	mode?: number;
	/** Stops the write up to the rename; from there on it is carried through. */
	signal?: AbortSignal;
	/** A name part that other writers will not pick. Default: 64 random bits. */
	randomName?: () => string;
}

/**
 * The new file is in place and whole, but the folder could not be fsynced: a power cut now may bring the old file back.
 * Writing again is safe; reporting "nothing was written" would be wrong.
 */
export class UnconfirmedWriteError extends Error {
	override readonly name = 'UnconfirmedWriteError';
	constructor(path: string, cause: unknown) {
		super(`${path} is replaced, but its folder could not be synced: a power cut may bring the old file back`, {
			cause,
		});
	}
}

const NEW_FILE_MODE = 0o666;
const NAME_ATTEMPTS = 8;

/**
 * Replaces the file at `path`, or creates it, with `data` (a string is written as UTF-8). Resolves when the new file is
 * on the disk under its name. The folder must exist.
 *
 * @throws what the failing step threw, with the old file untouched and no temporary file left
 * @throws UnconfirmedWriteError when the last step, the folder's fsync, failed
 */
export async function replaceFile(
	files: Files,
	path: string,
	data: string | Uint8Array,
	options: WriteOptions = {},
): Promise<void> {
	const { signal, randomName = random64 } = options;
	// A copy: the caller may reuse its buffer while the write is under way (and Buffer's own slice would share it).
	const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
	signal?.throwIfAborted();
	const found = await files.find(path);
	const target = found?.path ?? path;
	const mode = options.mode ?? found?.mode;
	const folderPath = files.folderOf(target);
	// Opened first, so that after the rename only the fsync itself can fail.
	const folder = await files.openFolder(folderPath);
	try {
		const temp = await createTemp(files, folderPath, mode ?? NEW_FILE_MODE, randomName);
		try {
			await fill(temp.file, bytes, mode, signal);
			await files.rename(temp.path, target);
		} catch (error) {
			await quietly(files.remove(temp.path));
			throw error;
		}
		await folder.sync().catch((cause: unknown) => {
			throw new UnconfirmedWriteError(target, cause);
		});
	} finally {
		await quietly(folder.close());
	}
}

async function createTemp(files: Files, folder: string, mode: number, randomName: () => string) {
	for (let attempt = 1; ; attempt++) {
		// Not built from the target's name: that may already be as long as a name can be.
		const path = files.entry(folder, `.${randomName()}.tmp`);
		try {
			// Created with the final mode, never wider: a private file's bytes are private from the first one on.
			return { path, file: await files.create(path, mode & 0o777) };
		} catch (error) {
			if (!hasCode(error, 'EEXIST') || attempt === NAME_ATTEMPTS) throw error;
		}
	}
}

/** Writes, sets the mode (writing may clear its set-id bits, creating applied the umask), syncs and closes. */
async function fill(file: OpenFile, bytes: Uint8Array, mode: number | undefined, signal: AbortSignal | undefined) {
	try {
		signal?.throwIfAborted();
		await file.writeFile(bytes);
		signal?.throwIfAborted();
		if (mode !== undefined) await file.chmod(mode);
		await file.sync();
	} catch (error) {
		await quietly(file.close());
		throw error;
	}
	await file.close();
	signal?.throwIfAborted();
}

/** For clean-up whose own failure must not hide the error that led to it. */
async function quietly(work: Promise<void>): Promise<void> {
	await work.catch(() => undefined);
}

function hasCode(error: unknown, code: string): boolean {
	return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function random64(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
