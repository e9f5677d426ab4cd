import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { diskFiles } from '../../registry/repository-files.node.ts';
import { siteRoutes } from '../../registry/routes.ts';
import { BUILD_TIMEOUT, builtSite } from './built-site.ts';
import { addressesOf, brokenAddresses, crawledPages } from './crawl.ts';
import { loadRegistry } from './registry.ts';

const SITE = 'https://example.org';
const { registry, patterns } = loadRegistry();
const root = process.cwd();
const scenarios = patterns.map(({ id }) => id).filter((id) => existsSync(`${root}/library/${id}/${id}.demo.ts`));

describe.each(['/', '/repo'])('the site built below %s', (base) => {
	let folder = '';
	const prefix = base === '/' ? '' : base;
	const read = (path: string) => readFileSync(join(folder, path), 'utf8');
	beforeAll(async () => {
		folder = await builtSite(base);
	}, BUILD_TIMEOUT);

	it('has no address that leaves the base, names nothing, or names a fragment that is not there', () => {
		const pages = [...crawledPages(folder).values()];
		expect(pages.flatMap(({ html }) => addressesOf(html)).length).toBeGreaterThan(50 * pages.length);
		const known = [registry.library.repository, 'https://schema.org', ...externalHosts()];
		expect(brokenAddresses(folder, SITE, base, (address) => known.some((start) => address.startsWith(start)))).toEqual(
			[],
		);
	});

	it('has the section that each chunk of the corpus is said to be found at', () => {
		const home = registry.library.url.replace(/\/$/, '');
		const urls = readFileSync(join(root, 'public/corpus.jsonl'), 'utf8')
			.trim()
			.split('\n')
			.map((line) => String(JSON.parse(line).url))
			.filter((url) => url.startsWith(`${home}/`));
		const lost = urls.filter((url) => {
			const [path = '', fragment] = url.slice(home.length).split('#');
			const html = read(join(path, 'index.html'));
			return fragment !== undefined && !html.includes(`id="${fragment}"`);
		});
		expect(urls.length).toBeGreaterThan(10 * patterns.length);
		expect(lost).toEqual([]);
	});

	it('loads nothing from another host', () => {
		const loads =
			/<(?:script|img|source|iframe|link rel="(?:stylesheet|icon|preload|modulepreload)")[^>]*\s(?:src|href)="(https?:)?\/\//;
		for (const page of crawledPages(folder).values()) expect(page.html).not.toMatch(loads);
		for (const file of readdirSync(join(folder, 'assets'))) {
			if (!/\.(?:css|js)$/.test(file)) continue;
			expect(read(`assets/${file}`)).not.toMatch(/(?:url\(|import\(|from\s*|fetch\()["']?https?:\/\//);
		}
	});

	it('builds the pages that validation expects, and says so in its map', () => {
		const routes = siteRoutes(diskFiles(root), registry).list.filter((route) => route !== '/404');
		const pages = crawledPages(folder);
		const missing = routes.filter((route) => !pages.has(route === '/' ? '/' : `${route}/`));
		expect(missing).toEqual([]);
		expect(read('sitemap-index.xml')).toContain(`${SITE}${prefix}/sitemap-0.xml`);
		const mapped = [...read('sitemap-0.xml').matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => match[1] ?? '');
		expect(mapped.toSorted()).toEqual(
			[...pages.keys()]
				.filter((path) => path !== '/404.html')
				.map((path) => `${SITE}${prefix}${path}`)
				.toSorted(),
		);
		expect(read('robots.txt')).toContain(`Sitemap: ${SITE}${prefix}/sitemap-index.xml`);
	});

	it('every page has a title, a description, one heading, an image of its own, llms.txt, and data that parses', () => {
		for (const { path, html } of crawledPages(folder).values()) {
			expect(html, path).toMatch(/<title>[^<]+<\/title>/);
			expect(html, path).toMatch(/<meta name="description" content="[^"]+">/);
			expect(html.split('<h1').length - 1, path).toBe(1);
			expect(addressesOf(html), path).toContain(`${prefix}/llms.txt`);
			for (const [, json = ''] of html.matchAll(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/g)) {
				expect(JSON.parse(json), path).toMatchObject({ '@context': 'https://schema.org' });
			}
			if (path !== '/404.html') expect(html, path).toContain(`<link rel="canonical" href="${SITE}${prefix}${path}">`);
		}
	});

	it('describes each guide by its first sentences, not by a drawing or a listing', () => {
		const guides = [...crawledPages(folder).values()].filter(({ path }) => /^\/docs\/(?!pattern-library)/.test(path));
		expect(guides.length).toBeGreaterThan(20);
		for (const { path, html } of guides) {
			const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? [];
			expect(description, path).toMatch(/^[^─→►{}]+[.…:?”]$/);
		}
	});

	it('every card has its Markdown twin beside it, with links that hold from anywhere', () => {
		for (const { id, title } of patterns) {
			const twin = read(`docs/pattern-library/${id}/index.html.md`);
			expect(read(`docs/pattern-library/${id}/index.html`)).toContain(
				`<link rel="alternate" type="text/markdown" href="${prefix}/docs/pattern-library/${id}/index.html.md"`,
			);
			expect(twin).toContain(`# ${title}`.slice(0, 20));
			expect(twin).not.toMatch(/\]\((?!https?:\/\/|#|<https?:)/);
		}
	});

	it('every page but the one for lost readers has a Markdown twin, which it names', () => {
		for (const { path, html } of crawledPages(folder).values()) {
			if (path === '/404.html') continue;
			const twin = `${path}index.html.md`;
			expect(html, path).toContain(`<link rel="alternate" type="text/markdown" href="${prefix}${twin}"`);
			expect(read(twin), twin).toMatch(/^# \S/m);
		}
		for (const id of scenarios) {
			const twin = read(`showcases/${id}/index.html.md`);
			expect(twin, id).toContain('- `pattern`: ');
			expect(twin, id).toContain(`${SITE}${prefix}/docs/pattern-library/${id}/index.html.md`);
			const [, held = '', broken = ''] = twin.split(/^## With(?:out)? the pattern$/m);
			expect(held, id).toContain('- **Holds**: ');
			expect(held, id).not.toContain('- **Broken**: ');
			expect(broken, id).toContain('- **Broken**: ');
		}
		const frames = [...read('showcases/mcp/index.html.md').matchAll(/^(`{3,})json\n([\s\S]*?)\n\1$/gm)];
		expect(frames.length).toBeGreaterThan(20);
		for (const [, , json = ''] of frames) expect(JSON.parse(json)).toMatchObject({ jsonrpc: '2.0' });
		expect(read('search/index.html.md')).toContain(`${SITE}${prefix}/search/?q=`);
	});

	it('shows each pinned rule with the line of its test', () => {
		for (const { id, invariants } of patterns) {
			const html = read(`docs/pattern-library/${id}/index.html`);
			for (const invariant of invariants) {
				if (typeof invariant === 'string') continue;
				const [file = ''] = invariant.pinned_by.split('#');
				expect(html, invariant.pinned_by).toContain(`/blob/main/${file}#L`);
			}
		}
	});

	it('stays light: compressed sizes of the catalog and of every card', () => {
		const { html, css, script } = weigh('docs/pattern-library/index.html');
		expect(html + css + script).toBeLessThan(60_000);
		expect(script).toBeLessThan(15_000);
		for (const { id } of patterns) expect(weigh(`docs/pattern-library/${id}/index.html`).script).toBeLessThan(10_000);
	});

	it('tells nothing of the machine that built it', () => {
		for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
			if (/\.(?:html|js|css|md|txt|xml|json|svg)$/.test(file))
				expect(read(file).includes(`${root}/`), file).toBe(false);
		}
	});

	/** Compressed bytes of a page with everything that it loads at once. */
	function weigh(path: string): { html: number; css: number; script: number } {
		const html = read(path);
		const size = (text: string) => gzipSync(text).length;
		const load = (address: string) => read(address.slice(prefix.length));
		const total = (pattern: RegExp) =>
			[...html.matchAll(pattern)].reduce((sum, match) => sum + size(load(match[1] ?? '')), 0);
		const inline = [...html.matchAll(/<script(?: type="module")?>([\s\S]*?)<\/script>/g)];
		return {
			html: size(html),
			css: total(/<link rel="stylesheet" href="([^"]+)"/g),
			script:
				total(/<script type="module" src="([^"]+)"/g) + inline.reduce((sum, match) => sum + size(match[1] ?? ''), 0),
		};
	}
});

/** Hosts that hand-written documents link to: whatever their Markdown names. */
function externalHosts(): string[] {
	const files = diskFiles(root);
	const documents = [...files.list('docs'), ...files.list('library'), ...files.list('mcp'), 'CONTRIBUTING.md'];
	const texts = documents.filter((path) => /\.mdx?$/.test(path)).map((path) => files.read(path) ?? '');
	return [
		...new Set(texts.flatMap((text) => [...text.matchAll(/https?:\/\/[^\s)\]>"'`/]+/g)].map((match) => match[0]))),
	];
}
