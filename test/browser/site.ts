import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe } from 'vitest';
import { createSiteServer } from '../../bin/serve.ts';
import { builtSite } from './built-site.ts';

export { BUILD_TIMEOUT } from './built-site.ts';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** The system's browser, or `CHROMIUM` from the environment; undefined where there is none. */
export const chromiumPath: string | undefined = [process.env.CHROMIUM ?? '', ...CANDIDATES].find(
	(path) => path !== '' && existsSync(path),
);

/**
 * A block of tests that need a browser. Without one they are skipped, and it is said so; where `CI` is set they run all
 * the same and fail, so that nothing is skipped unseen.
 */
export function describeInBrowser(name: string, tests: () => void): void {
	const skipped = chromiumPath === undefined && !process.env.CI;
	if (skipped) process.stderr.write(`No Chromium here, so "${name}" is skipped. Install it, or name it in CHROMIUM.\n`);
	describe.skipIf(skipped)(name, tests);
}

/** A page of the site, and what went wrong while it was open. */
export interface Visit {
	page: Page;
	/** Console errors, exceptions, failed or foreign requests, in order. */
	problems: string[];
	close(): Promise<void>;
}

/** The built site, served and open in a browser. */
export interface OpenSite {
	/** The folder of the build. */
	folder: string;
	/** The address of a path of the site, below its base: `/docs/` → `http://…/repo/docs/`. */
	url(path: string): string;
	/** Opens a page of the site by its path, in a context of its own. */
	visit(path: string, options?: BrowserContextOptions): Promise<Visit>;
	close(): Promise<void>;
}

/** Serves the site built below a base, as its host would, and opens a browser for it. */
export async function openSite(base = '/repo'): Promise<OpenSite> {
	const folder = await builtSite(base);
	const server = createSiteServer(folder, base);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const browser = await launch();
	const url = (path: string) => `${origin}${base === '/' ? '' : base}${path}`;
	return {
		folder,
		url,
		async visit(path, options = {}) {
			const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
			const page = await context.newPage();
			const problems = watch(page, url('/'));
			await page.goto(url(path), { waitUntil: 'networkidle' });
			return { page, problems, close: () => context.close() };
		},
		async close() {
			await browser.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function launch(): Promise<Browser> {
	if (chromiumPath === undefined) throw new Error('There is no Chromium. Install it, or name it in CHROMIUM.');
	return chromium.launch({ executablePath: chromiumPath, args: ARGUMENTS });
}

function watch(page: Page, home: string): string[] {
	const problems: string[] = [];
	page.on('console', (message) => {
		if (message.type() === 'error' || message.type() === 'warning')
			problems.push(`${message.type()}: ${message.text()}`);
	});
	page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
	page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
	page.on('request', (request) => {
		const address = request.url();
		if (!address.startsWith(home) && !/^(?:data|blob):/.test(address)) problems.push(`left the site: ${address}`);
	});
	page.on('response', (response) => {
		if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
	});
	return problems;
}
