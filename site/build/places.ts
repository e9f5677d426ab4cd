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

/** What the configuration needs of a registry before any page is built; empty where the file says nothing. */
export interface LibraryFacts {
	url: string;
	repository: string;
	/** The branch that links into the repository name; undefined when the file names none. */
	branch: string | undefined;
	/** The ids of all patterns that are shown. */
	ids: string[];
}

/** Reads those facts; the pages themselves read the registry through the catalog. @throws Error when it is no JSON */
export function readLibrary(registry: string): LibraryFacts {
	const { library, patterns } = asObject(JSON.parse(readFileSync(registry, 'utf8')));
	const { url, repository, branch } = asObject(library);
	const shown = (Array.isArray(patterns) ? patterns.map(asObject) : []).filter(({ hidden }) => hidden !== true);
	return {
		url: text(url),
		repository: text(repository),
		branch: text(branch) || undefined,
		ids: shown.map(({ id }) => text(id)),
	};
}

function asObject(value: unknown): Record<string, unknown> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
