import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { checkRoutes } from './site-routes.ts';
import { findings, fixes } from './testing.ts';

const cites = (...routes: string[]) => [
	record({ id: 'a', showcases: routes.map((path) => ({ path, kind: 'route' as const })) }),
];

describe('checkRoutes', () => {
	it('accepts pages that the site builds', () => {
		const files = { 'site/pages/showcases/[id].astro': '', 'library/a/a.demo.ts': '' };
		expect(findings(checkRoutes, { patterns: cites('/showcases/a', '/showcases/a/#x'), files })).toEqual([]);
	});

	it('refuses a page that it does not build, and one that is no route', () => {
		const given = { patterns: cites('/showcases/b', 'showcases/a'), registry: { routes: ['/showcases/a'] } };
		expect(findings(checkRoutes, given)).toEqual([
			'error patterns[0].showcases[0].path: The site builds no page "/showcases/b".',
			'error patterns[0].showcases[1].path: The route "showcases/a" does not begin with /.',
		]);
		expect(fixes(checkRoutes, given)[0]).toBe('Did you mean "/showcases/a"?');
	});

	it('warns once when nothing tells which pages there are, and not when none is cited', () => {
		expect(findings(checkRoutes, { patterns: cites('/a', '/b') })).toEqual([
			'warning patterns: 2 routes are cited, and nothing tells which pages the site builds.',
		]);
		expect(findings(checkRoutes, { patterns: cites() })).toEqual([]);
	});
});
