import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLibrary, readRegistry, sections } from './catalog.ts';

/**
 * The library that this site is built for, and the files of its repository, read while building. Nothing that runs in
 * the browser imports this module.
 */

/** The repository whose library is shown, absolute. */
export const root: string = import.meta.env.V10R_ROOT;

export const library = createLibrary(readRegistry(JSON.parse(readFileSync(import.meta.env.V10R_REGISTRY, 'utf8'))));

/** Groups, categories and patterns in the order of every surface. */
export const groups = sections(library.registry);

const texts = new Map<string, string | undefined>();

/** The text of a file by its path from the root; undefined when there is no such file in the repository. */
export function readText(path: string): string | undefined {
	if (!texts.has(path)) texts.set(path, read(path));
	return texts.get(path);
}

function read(path: string): string | undefined {
	if (/(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]/.test(path)) return undefined;
	const file = join(root, path);
	return existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : undefined;
}
