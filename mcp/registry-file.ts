import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Concordance, FROZEN_TEXTS, thawTexts } from '../registry/concordance.ts';
import { createLibrary, type Library } from '../registry/library.ts';
import { visiblePatterns } from '../registry/order.ts';
import { readRegistry } from '../registry/read.ts';
import type { Registry } from '../registry/schema.ts';

/** Version of the frozen file's own wrapping; a reader refuses others. */
export const FROZEN_FORMAT = 1;
/** Beside the frozen registry: what is frozen of its words. */
const SEARCH_INDEX = 'search-index.json';

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
		const registry = readRegistry(value);
		return createLibrary(registry, frozenConcordance(file, text, registry));
	} catch (error) {
		throw unreadable(file, error instanceof SyntaxError ? 'it is not valid JSON' : messageOf(error));
	}
}

/**
 * What a build has read of the registry's words, when it lies beside the file and is of this very registry. Anything
 * else is no fault: the words are read again, which gives the same answers a little later, and the gate reports the file.
 */
function frozenConcordance(file: string, text: string, registry: Registry): Concordance | undefined {
	try {
		const frozen: unknown = JSON.parse(readRegular(join(dirname(file), SEARCH_INDEX)));
		const { format, registry: of, records } = frozen as Partial<Record<string, unknown>>;
		if (format !== FROZEN_TEXTS || !Array.isArray(records)) return undefined;
		if (of !== createHash('sha256').update(text).digest('hex')) return undefined;
		return thawTexts(visiblePatterns(registry), records);
	} catch {
		return undefined;
	}
}

function checkFormat(value: unknown): void {
	if (typeof value !== 'object' || value === null || !('format' in value)) return;
	if (value.format !== FROZEN_FORMAT)
		throw new Error(`its format is ${JSON.stringify(value.format)}, this server reads format ${FROZEN_FORMAT}`);
}

function read(file: string): string {
	try {
		return readRegular(file);
	} catch (error) {
		throw unreadable(file, hasCode(error, 'ENOENT') ? 'there is no such file' : messageOf(error));
	}
}

function readRegular(file: string): string {
	// Without O_NONBLOCK, opening a FIFO would wait for a writer for ever.
	const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		if (!fstatSync(descriptor).isFile()) throw new Error('it is not a file');
		return readFileSync(descriptor, 'utf8');
	} finally {
		closeSync(descriptor);
	}
}

function unreadable(file: string, reason: string): RegistryFileError {
	return new RegistryFileError(
		`Cannot read the registry ${file}: ${reason}. Run \`npm run patterns:build\` in the repository (\`v10r-patterns build\` where it has no such script) to build it, or name another with --root DIR or --registry FILE.`,
	);
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof Error && 'code' in error && error.code === code;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
