import { describe, expect, it } from 'vitest';
import { record, registry } from './fixtures.ts';
import { memoryFiles } from './repository-files.ts';
import { normalizeRoute, siteRoutes } from './routes.ts';

const patterns = [record({ id: 'a' }), record({ id: 'b', hidden: true })];

describe('siteRoutes', () => {
	it('derives the static pages of an Astro site', () => {
		const files = memoryFiles({
			'site/pages/index.astro': '',
			'site/pages/about.md': '',
			'site/pages/guide/index.mdx': '',
			'site/pages/guide/start.astro': '',
			'site/pages/_draft.astro': '',
			'site/pages/_parts/x.astro': '',
			'site/pages/llms.txt.ts': '',
			'site/layouts/base.astro': '',
		});
		expect(siteRoutes(files, registry([])).list).toEqual(['/', '/about', '/guide', '/guide/start']);
	});

	it('expands record pages to the records that readers see, and showcases to those that have a scenario', () => {
		const files = memoryFiles({
			'site/pages/docs/pattern-library/[id].astro': '',
			'site/pages/showcases/[id].astro': '',
			'site/pages/other/[slug].astro': '',
			'library/a/a.demo.ts': '',
			'library/c/c.demo.ts': '',
			'library/d/other.demo.ts': '',
			'library/e/e.ts': '',
		});
		const routes = siteRoutes(files, registry(patterns));
		expect(routes.list).toEqual(['/docs/pattern-library/a', '/showcases/a', '/showcases/c']);
		expect(routes.has('/showcases/[id]')).toBe(false);
	});

	it('takes declared routes, with a star for any rest', () => {
		const routes = siteRoutes(memoryFiles({}), { routes: ['/app/', '/shop/*'], patterns });
		expect(routes.known).toBe(true);
		expect(['/app', '/shop/x/y', '/shop', '/apple'].map((route) => routes.has(route))).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	it('does not care about a slash at the end, a fragment or a query', () => {
		const routes = siteRoutes(memoryFiles({ 'site/pages/x.astro': '' }), registry([]));
		expect(['/x', '/x/', '/x#part', '/x/?a=1', '/x/index.html'].map((route) => routes.has(route))).toEqual(
			Array(5).fill(true),
		);
		expect(normalizeRoute('/')).toBe('/');
	});

	it('says when nothing tells which pages there are', () => {
		expect(siteRoutes(memoryFiles({ 'README.md': '' }), registry([])).known).toBe(false);
	});
});
