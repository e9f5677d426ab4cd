import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a build of the site reads. */
export interface Places {
	/** The repository whose library is shown, absolute. */
	root: string;
	/** The registry file, absolute. */
	registry: string;
}

/**
 * The repository and the registry that a build shows: `V10R_ROOT` and `V10R_REGISTRY` from the environment, else this
 * repository, its authored registry, and where only that was installed the frozen one.
 * @throws Error when there is no registry
 */
export function findPlaces(configUrl: string, env: Readonly<Record<string, string | undefined>>): Places {
	const own = fileURLToPath(new URL('.', configUrl));
	const root = resolve(env.V10R_ROOT || own);
	const named = env.V10R_REGISTRY && resolve(env.V10R_REGISTRY);
	const candidates = named ? [named] : [join(root, 'registry/registry.json'), join(root, 'public/registry.json')];
	const registry = candidates.find((path) => existsSync(path));
	if (registry) return { root, registry };
	throw new Error(`There is no registry at ${candidates.join(' or ')}. Name it with V10R_REGISTRY.`);
}

/** The address that a registry file gives its library; empty when it gives none. */
export function libraryUrl(registry: string): string {
	const parsed: unknown = JSON.parse(readFileSync(registry, 'utf8'));
	const library = typeof parsed === 'object' && parsed !== null && 'library' in parsed ? parsed.library : undefined;
	const url = typeof library === 'object' && library !== null && 'url' in library ? library.url : undefined;
	return typeof url === 'string' ? url : '';
}
