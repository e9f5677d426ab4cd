import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLibrary } from '../../registry/library.ts';
import { readRegistry } from '../../registry/read.ts';
import { searchPatterns } from '../../registry/search.ts';
import { loadRegistry } from './registry.ts';
import { BUILD_TIMEOUT, describeInBrowser, type OpenSite, openSite, type Visit } from './site.ts';

const { patterns } = loadRegistry();
const frozen = readRegistry(JSON.parse(readFileSync(new URL('../../public/registry.json', import.meta.url), 'utf8')));

describeInBrowser('the search page', () => {
	let site: OpenSite;
	beforeAll(async () => {
		site = await openSite();
	}, BUILD_TIMEOUT);
	afterAll(() => site?.close());

	async function asked(query: string): Promise<Visit & { hits: string[]; pages: string[]; status: string[] }> {
		const visit = await site.visit(`/search/?q=${encodeURIComponent(query)}`);
		const { page } = visit;
		await page.locator('[data-answered]').waitFor();
		return {
			...visit,
			hits: await page
				.locator('[data-hit]')
				.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-hit') ?? '')),
			pages: await page.locator('.pages a').allTextContents(),
			status: await page.locator('[data-status]').allTextContents(),
		};
	}

	it('finds the card for a problem in plain words, with its grade, the reason against it and why it came up', async () => {
		const { page, hits, problems, close } = await asked('our customer was charged twice');
		expect(hits[0]).toBe('idempotency-key');
		const first = page.locator('[data-hit]').first();
		expect(await first.locator('.grade').textContent()).toMatch(/^(?:strong|partial)$/);
		expect(await first.locator('.avoid').textContent()).toContain('Not when');
		expect(await first.locator('.why').textContent()).toContain('People ask “');
		await first.getByRole('link').click();
		expect(page.url()).toBe(site.url('/docs/pattern-library/idempotency-key/'));
		expect(problems).toEqual([]);
		await close();
	});

	it.each(['our customer was charged twice', 'exponetial backoff', 'n+1', 'cache a slow endpoint', '段简'])(
		'ranks and grades %j as the server does',
		async (query) => {
			const { page, hits, status, close } = await asked(query);
			const { hits: expected, total, weak } = searchPatterns(createLibrary(frozen).index, query, { limit: 8 });
			const near = weak > 0 ? `, ${weak} more come` : 'this$';
			if (expected.length > 0) expect(status[0]).toMatch(new RegExp(`^${total - weak} patterns? covers? .*${near}`));
			expect(hits).toEqual(expected.map(({ record }) => record.id));
			expect(await page.locator('.grade').allTextContents()).toEqual(expected.map(({ grade }) => grade));
			await close();
		},
	);

	it('says no to what the library does not cover, and labels what came closest', async () => {
		const { page, hits, status, close } = await asked('protein structure prediction');
		expect(hits).toEqual([]);
		expect(status[0]).toContain('No match');
		expect(await page.locator('.no-match').textContent()).toContain('No pattern of this library covers that');
		expect(await page.locator('[data-near] .grade').count()).toBe(0);
		await close();
	});

	it.each([
		'c++',
		'n+1',
		'段简',
		'.net',
		'',
		'   ',
		'?!',
		'the of and',
		'x'.repeat(400),
		'<img src=x onerror=alert(1)>',
	])('answers %j without failing, and runs nothing of it', async (query) => {
		const visit = await site.visit(`/search/?q=${encodeURIComponent(query)}`);
		if (query.trim() !== '') await visit.page.locator('[data-answered]').waitFor();
		expect(await visit.page.locator('[data-results] img').count()).toBe(0);
		expect(visit.problems).toEqual([]);
		await visit.close();
	});

	it('finds n+1 in both searches', async () => {
		const { hits, pages, close } = await asked('n+1');
		expect(hits).toContain('batch-loader');
		expect(pages.length).toBeGreaterThan(0);
		await close();
	});

	it('looks for the words of a sentence that carry meaning, and says on each page which of them it lacks', async () => {
		const { page, pages, status, close } = await asked('our customer was charged twice when the payment timed out');
		expect(status[1]).toMatch(/^\d+ pages? ha(?:s|ve) all 5 words, \d+ more have most$/);
		expect(await page.locator('[data-full-text] .note').first().textContent()).toBe(
			'Looked for customer, charged, twice, payment, timed.',
		);
		expect(pages.slice(0, 2)).toContain('Idempotency keys for requests that may be repeated');
		expect(await page.locator('.pages li').first().locator('.lacks').count()).toBe(0);
		expect(await page.locator('.pages li').last().locator('.lacks').textContent()).toMatch(/^Without \w+/);
		await close();
	});

	it('finds pages by fewer words when one is on no page, and never by a part of that one', async () => {
		const partly = await asked('jobs lost when worker crashes xyzzy');
		expect(partly.status[1]).toMatch(/^No page has all of these words; \d+ pages have (?:most|some)$/);
		expect(await partly.page.locator('[data-full-text]').textContent()).toContain('On no page: xyzzy.');
		expect(partly.pages).toContain('Job queue');
		await partly.close();
		const none = await asked('xyzzy qqqqq');
		expect(none.status[1]).toBe('No page has any of these words');
		expect(none.pages).toEqual([]);
		await none.close();
	});

	it('finds a word that is not typed to its end, and a phrase in quotation marks as it stands', async () => {
		const begun = await asked('idempotenc');
		expect(begun.pages[0]).toMatch(/^Idempotency keys/);
		await begun.close();
		const phrase = await asked('"charged twice"');
		expect(phrase.status[1]).toMatch(/^\d+ pages have this phrase$/);
		await phrase.close();
		const parted = await asked('"backoff charged twice"');
		expect(parted.status[1]).toBe('No page has this phrase');
		await parted.close();
	});

	it('says that a mistyped word was read as another', async () => {
		const { page, hits, close } = await asked('exponetial backoff');
		expect(hits[0]).toBe('retry-backoff');
		expect(await page.locator('[data-ask] .note').first().textContent()).toContain(
			'“exponetial” was read as “exponential”',
		);
		await close();
	});

	it('answers while one types, and keeps the query in the address', async () => {
		const { page, problems, close } = await site.visit('/search/');
		await page.getByLabel('Describe your problem').fill('exponential backoff');
		await page.locator('[data-answered="exponential backoff"]').waitFor();
		expect(await page.locator('[data-hit]').first().getAttribute('data-hit')).toBe('retry-backoff');
		expect(new URL(page.url()).searchParams.get('q')).toBe('exponential backoff');
		await page.getByLabel('Describe your problem').fill('');
		await page.locator('[data-examples]').waitFor();
		expect(new URL(page.url()).search).toBe('');
		expect(problems).toEqual([]);
		await close();
	});

	it('has loaded what both searches need before anything is typed', async () => {
		const { page, close } = await site.visit('/search/');
		const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
		expect(loaded).toContain(site.url('/registry.json'));
		expect(loaded).toContain(site.url('/pagefind/pagefind.js'));
		await close();
	});

	it('is asked from the front page', async () => {
		const { page, close } = await site.visit('/');
		await page.getByLabel('Describe your problem').fill('thundering herd after an outage');
		await page.keyboard.press('Enter');
		await page.locator('[data-hit]').first().waitFor();
		expect(new URL(page.url()).pathname).toBe(new URL(site.url('/search/')).pathname);
		await close();
	});

	it('says without scripts that it needs them, and where the list is', async () => {
		const { page, close } = await site.visit('/search/', { javaScriptEnabled: false });
		expect(await page.getByText('Searching needs scripts').isVisible()).toBe(true);
		expect(await page.getByRole('searchbox').count()).toBe(0);
		await close();
	});

	it('the full text has every page but the one for lost readers, and no footer', async () => {
		const entry = JSON.parse(readFileSync(join(site.folder, 'pagefind/pagefind-entry.json'), 'utf8'));
		const map = readFileSync(join(site.folder, 'sitemap-0.xml'), 'utf8');
		expect(entry.languages.en.page_count).toBe(map.split('<loc>').length - 1);
		const footer = await asked('corpus.jsonl llms-full');
		expect(
			footer.pages.filter((title) =>
				patterns.some((pattern) => pattern.title === title && pattern.id === 'retry-backoff'),
			),
		).toEqual([]);
		await footer.close();
	});

	it('the full text finds the title of every card', { timeout: 120_000 }, async () => {
		const { page, problems, close } = await site.visit('/search/');
		// As text: the test runner would rewrite an import() in a function.
		const given = {
			script: site.url('/pagefind/pagefind.js'),
			base: new URL(site.url('/')).pathname,
			titles: patterns.map(({ id, title }) => ({ id, title })),
		};
		const lost = await page.evaluate(`(async ({ script, base, titles }) => {
			const pagefind = await import(script);
			await pagefind.options({ baseUrl: base });
			const missing = [];
			for (const { id, title } of titles) {
				const { results } = await pagefind.search(title);
				const found = await Promise.all(results.slice(0, 8).map((result) => result.data()));
				if (!found.some(({ url }) => url === base + 'docs/pattern-library/' + id + '/')) missing.push(title);
			}
			return missing;
		})(${JSON.stringify(given)})`);
		expect(lost).toEqual([]);
		expect(problems).toEqual([]);
		await close();
	});
});
