import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { createLibrary, type Library } from '../registry/library.ts';
import { readRegistry } from '../registry/read.ts';

/** Version of the frozen file's own wrapping; a reader refuses others. */
export const FROZEN_FORMAT = 1;

/** A registry file that cannot be served; the message says why and what to do. */
export class RegistryFileError extends Error {
	override readonly name = 'RegistryFileError';
}

/**
 * Loads the frozen registry, or an authored one, from `file`.
 * @throws RegistryFileError when the file is missing, unreadable or no registry
 */
export function loadLibrary(file: string): Library {
	const text = read(file);
	try {
		const value: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
		checkFormat(value);
		return createLibrary(readRegistry(value));
	} catch (error) {
		throw unreadable(file, error instanceof SyntaxError ? 'it is not valid JSON' : messageOf(error));
	}
}

function checkFormat(value: unknown): void {
	if (typeof value !== 'object' || value === null || !('format' in value)) return;
	if (value.format !== FROZEN_FORMAT)
		throw new Error(`its format is ${JSON.stringify(value.format)}, this server reads format ${FROZEN_FORMAT}`);
}

function read(file: string): string {
	let descriptor: number | undefined;
	try {
		// Without O_NONBLOCK, opening a FIFO would wait for a writer for ever.
		descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		if (!fstatSync(descriptor).isFile()) throw new Error('it is not a file');
		return readFileSync(descriptor, 'utf8');
	} catch (error) {
		throw unreadable(file, hasCode(error, 'ENOENT') ? 'there is no such file' : messageOf(error));
	} finally {
		if (descriptor !== undefined) closeSync(descriptor);
	}
}

function unreadable(file: string, reason: string): RegistryFileError {
	return new RegistryFileError(
		`Cannot read the registry ${file}: ${reason}. Run \`npm run patterns:build\` in the repository to build it, or start the server with --root DIR or --registry FILE.`,
	);
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof Error && 'code' in error && error.code === code;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
