import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Refusal } from './exit.ts';
import { FROZEN_REGISTRY, REGISTRY } from './places.ts';
import type { Surroundings } from './surroundings.ts';

/** Options that every command has. */
export interface TargetOptions {
	root?: string;
	registry?: string;
}

/** Which library a command works on. */
export interface Target {
	/** The repository, absolute. */
	root: string;
	/** The registry file, absolute. */
	registryFile: string;
	/** The options that named them, as they were typed. */
	flags: readonly string[];
}

/**
 * Finds the library: `--root`, else V10R_ROOT, else the nearest folder upwards that has a registry, else the repository
 * of this program. `--registry` names another file; otherwise it is the authored one, or the frozen one where only that
 * was installed.
 */
export function findTarget(options: TargetOptions, { cwd, env, ownRoot }: Surroundings): Target {
	const named = options.root ?? (env.V10R_ROOT || undefined);
	const root = named === undefined ? (nearestRoot(cwd) ?? ownRoot) : resolve(cwd, named);
	if (!existsSync(root)) throw new Refusal(`There is no folder ${root}. Name the repository with --root DIR.`);
	if (!statSync(root).isDirectory()) throw new Refusal(`${root} is no folder. Name the repository with --root DIR.`);
	const flags = (['root', 'registry'] as const).flatMap((name) => {
		const value = options[name];
		return value === undefined ? [] : [`--${name}`, value];
	});
	if (options.registry !== undefined) return { root, registryFile: resolve(cwd, options.registry), flags };
	const authored = join(root, REGISTRY);
	const frozen = join(root, FROZEN_REGISTRY);
	return { root, registryFile: existsSync(authored) || !existsSync(frozen) ? authored : frozen, flags };
}

function nearestRoot(from: string): string | undefined {
	for (let folder = from; ; folder = dirname(folder)) {
		if (existsSync(join(folder, REGISTRY))) return folder;
		if (dirname(folder) === folder) return undefined;
	}
}

/** The bytes of the registry file. @throws Refusal when it cannot be read */
export function readRegistryBytes({ root, registryFile }: Pick<Target, 'root' | 'registryFile'>): Uint8Array {
	try {
		// A pipe would keep the reader waiting.
		if (!statSync(registryFile).isFile())
			throw new Refusal(`${registryFile} is no regular file. Name one with --registry FILE.`);
		return readFileSync(registryFile);
	} catch (error) {
		if (error instanceof Refusal) throw error;
		const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
		const why = reason === 'ENOENT' ? 'there is no such file' : reason;
		throw new Refusal(
			`Cannot read the registry ${registryFile}: ${why}. Name it with --registry FILE, or begin one with: v10r-patterns init ${root}`,
		);
	}
}

/** A path as messages show it: from the working directory when it lies below it, so that an editor opens it. */
export function shownPath(path: string, cwd: string): string {
	const way = relative(cwd, path);
	return way === '' || way.startsWith('..') ? path : way.split(sep).join('/');
}

/** The registry's path from the root, with `/`. @throws Refusal when it lies elsewhere */
export function registryPath({ root, registryFile }: Target): string {
	const way = relative(root, registryFile).split(sep).join('/');
	if (way === '..' || way.startsWith('../') || resolve(root, way) !== registryFile) {
		throw new Refusal(
			`${registryFile} lies outside ${root}, so nothing can be generated from it there. Name its repository with --root DIR.`,
		);
	}
	return way;
}
