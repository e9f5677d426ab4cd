import type { RepositoryFiles } from './repository-files.ts';
import type { PatternRecord, Registry } from './schema.ts';

/** Pages that a site serves, by their path without base, fragment or trailing slash. */
export interface SiteRoutes {
	/** False when nothing tells which pages exist: no site/pages and no `routes` in the registry. */
	known: boolean;
	has(route: string): boolean;
	/** All exact routes, in code-unit order; those declared with `*` are not among them. */
	list: readonly string[];
}

const PAGES = 'site/pages';

/**
 * The pages that the site of a repository builds: static ones from `site/pages/**` as Astro routes them, one per record
 * for `docs/pattern-library/[id]`, one per scenario (`library/<id>/<id>.demo.ts`) for `showcases/[id]`, and those that
 * the registry declares in `routes`, where a `*` at the end matches any rest.
 */
export function siteRoutes(files: RepositoryFiles, registry: Pick<Registry, 'routes' | 'patterns'>): SiteRoutes {
	const pages = files.list(PAGES).filter((path) => /\.(?:astro|md|mdx)$/.test(path));
	const built = pages.flatMap((path) => routesOf(path, files, registry.patterns));
	const declared = registry.routes.map(normalizeRoute);
	const prefixes = declared.filter((route) => route.endsWith('*')).map((route) => route.slice(0, -1));
	const exact = new Set([...built, ...declared.filter((route) => !route.endsWith('*'))]);
	return {
		known: pages.length > 0 || declared.length > 0,
		has(route) {
			const asked = normalizeRoute(route);
			return exact.has(asked) || prefixes.some((prefix) => asked.startsWith(prefix));
		},
		list: [...exact].sort(),
	};
}

/** A route as it is compared: without fragment and query, without a slash or `index.html` at the end. */
export function normalizeRoute(route: string): string {
	const path = route.replace(/[?#].*$/s, '').replace(/\/index\.html$/, '/');
	return path === '/' ? '/' : path.replace(/\/+$/, '');
}

function routesOf(page: string, files: RepositoryFiles, patterns: readonly PatternRecord[]): string[] {
	const steps = page
		.slice(PAGES.length + 1)
		.replace(/\.\w+$/, '')
		.split('/');
	// Astro builds no page from a file or a folder whose name begins with an underscore.
	if (steps.some((step) => step.startsWith('_'))) return [];
	if (steps.at(-1) === 'index') steps.pop();
	const route = `/${steps.join('/')}`;
	if (!route.includes('[')) return [route];
	const ids = idsFor(route, files, patterns);
	return ids.map((id) => route.replace('[id]', id));
}

/** What the `[id]` of a route stands for. Any other dynamic route has to be declared, since only its code knows. */
function idsFor(route: string, files: RepositoryFiles, patterns: readonly PatternRecord[]): string[] {
	if (route === '/docs/pattern-library/[id]') return patterns.filter(({ hidden }) => !hidden).map(({ id }) => id);
	if (route !== '/showcases/[id]') return [];
	return files.list('library').flatMap((path) => {
		const [, folder, file] = path.split('/');
		return folder !== undefined && file === `${folder}.demo.ts` ? [folder] : [];
	});
}
