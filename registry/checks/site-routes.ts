import { didYouMean, error, type Problem, warning } from '../problem.ts';
import { normalizeRoute, siteRoutes } from '../routes.ts';
import { REF_FIELDS } from '../schema.ts';
import type { Check } from './check.ts';

/** Every route that a card names is a page that the site builds. */
export const checkRoutes: Check = ({ registry, files }) => {
	const cited = registry.patterns.flatMap((record, index) =>
		REF_FIELDS.flatMap((field) =>
			record[field].flatMap((ref, at) =>
				ref.kind === 'route' || ref.kind === 'approute'
					? [{ route: ref.path, path: ['patterns', index, field, at, 'path'] }]
					: [],
			),
		),
	);
	if (cited.length === 0) return [];
	const routes = siteRoutes(files, registry);
	if (!routes.known) {
		const count = cited.length === 1 ? '1 route is' : `${cited.length} routes are`;
		const message = `${count} cited, and nothing tells which pages the site builds.`;
		return [
			warning(['patterns'], message, 'List the pages in the root field "routes" ("/showcases/*" covers a section).'),
		];
	}
	return cited.flatMap(({ route, path }): Problem[] => {
		if (!route.startsWith('/')) {
			const fix = 'Write it from the root of the site, without its base: /showcases/…';
			return [error(path, `The route ${JSON.stringify(route)} does not begin with /.`, fix)];
		}
		if (routes.has(route)) return [];
		const page = normalizeRoute(route);
		const otherwise = 'Correct the route, build the page, or list it in the root field "routes".';
		return [error(path, `The site builds no page ${JSON.stringify(page)}.`, didYouMean(page, routes.list, otherwise))];
	});
};
