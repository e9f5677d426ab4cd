import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createSiteServer, listen, portFrom, siteBase } from './serve.ts';

const root = mkdtempSync(join(tmpdir(), 'serve-'));
const site = join(root, 'dist/site');
mkdirSync(join(site, 'docs'), { recursive: true });
writeFileSync(join(site, 'index.html'), 'home');
writeFileSync(join(site, 'docs/index.html'), 'docs');
writeFileSync(join(site, '404.html'), 'lost');
writeFileSync(join(root, 'secret.txt'), 'secret');
afterAll(() => rmSync(root, { recursive: true }));

let server: Server | undefined;
afterEach(() => server?.close());

async function serving(base: string): Promise<(path: string, init?: RequestInit) => Promise<[number, string]>> {
	server = createSiteServer(site, base);
	const port = await listen(server, 0);
	return async (path, init) => {
		const response = await fetch(`http://localhost:${port}${path}`, { redirect: 'manual', ...init });
		return [response.status, response.headers.get('location') ?? (await response.text())];
	};
}

describe('the server of the built site', () => {
	it("serves pages at the root, and the site's own page for what is missing", async () => {
		const get = await serving('/');
		expect(await get('/')).toEqual([200, 'home']);
		expect(await get('/docs/')).toEqual([200, 'docs']);
		expect(await get('/nope')).toEqual([404, 'lost']);
	});

	it('serves under a base, leads there from the root, and answers nothing else outside it', async () => {
		const get = await serving('/lib');
		expect(await get('/')).toEqual([302, '/lib/']);
		expect(await get('/lib')).toEqual([302, '/lib/']);
		expect(await get('/lib/docs/')).toEqual([200, 'docs']);
		expect(await get('/docs/')).toEqual([404, 'lost']);
		expect(await get('/library/')).toEqual([404, 'lost']);
		expect(await get('/xyz/docs/')).toEqual([404, 'lost']);
	});

	it.each([
		['corpus.jsonl', 'application/x-ndjson; charset=utf-8'],
		['llms.txt', 'text/plain; charset=utf-8'],
		['docs/index.html.md', 'text/markdown; charset=utf-8'],
		['registry.json', 'application/json; charset=utf-8'],
		['sitemap.xml', 'application/xml; charset=utf-8'],
		['index.html', 'text/html;charset=utf-8'],
		['font.woff2', 'font/woff2'],
	])('sends %s as %s', async (name, type) => {
		if (!name.endsWith('.html')) writeFileSync(join(site, name), 'x');
		server = createSiteServer(site, '/');
		const port = await listen(server, 0);
		const response = await fetch(`http://localhost:${port}/${name}`);
		expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
	});

	it('gives no file outside the site, and takes no other method', async () => {
		const get = await serving('/');
		expect((await get('/%2e%2e/%2e%2e/secret.txt'))[0]).toBe(404);
		expect((await get('/', { method: 'POST' }))[0]).toBe(405);
	});

	it('says what to do when the port is taken', async () => {
		server = createSiteServer(site, '/');
		const port = await listen(server, 0);
		await expect(listen(createSiteServer(site, '/'), port)).rejects.toThrow(
			`Port ${port} is taken. Try another one: PORT=`,
		);
	});

	it('takes the port from the environment', () => {
		expect([portFrom(undefined), portFrom(''), portFrom('8080')]).toEqual([4321, 4321, 8080]);
		expect(() => portFrom('http')).toThrow('PORT is "http", expected a number');
	});

	it('finds its base in the address of the library', () => {
		expect(siteBase(root, undefined)).toBe('/');
		mkdirSync(join(root, 'public'));
		const freeze = (url: string) =>
			writeFileSync(join(root, 'public/registry.json'), JSON.stringify({ library: { url }, patterns: [] }));
		freeze('https://example.org/docs/lib/');
		expect(siteBase(root, undefined)).toBe('/docs/lib');
		expect(siteBase(root, 'https://preview.example.org/')).toBe('/');
		freeze('https://example.org');
		expect(siteBase(root, undefined)).toBe('/');
	});
});
