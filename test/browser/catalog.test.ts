import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadRegistry } from './registry.ts';
import { BUILD_TIMEOUT, describeInBrowser, type OpenSite, openSite } from './site.ts';

const CATALOG = '/docs/pattern-library/';
const { patterns } = loadRegistry();

describeInBrowser('the catalog', () => {
	let site: OpenSite;
	beforeAll(async () => {
		site = await openSite();
	}, BUILD_TIMEOUT);
	afterAll(() => site?.close());

	const shownIds = (page: Awaited<ReturnType<OpenSite['visit']>>['page']) =>
		page
			.locator('[data-item]:visible h4 a')
			.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname.split('/').at(-2)));

	it('lists every pattern, in the order of the registry, also without scripts', async () => {
		for (const javaScriptEnabled of [true, false]) {
			const { page, close } = await site.visit(CATALOG, { javaScriptEnabled });
			expect(await shownIds(page)).toEqual(patterns.map(({ id }) => id));
			expect(await page.getByRole('checkbox').count()).toBe(
				javaScriptEnabled ? await page.getByRole('checkbox').count() : 0,
			);
			for (const { summary } of patterns.slice(0, 3)) expect(await page.getByText(summary).isVisible()).toBe(true);
			await close();
		}
	});

	it('narrows at once, says how many are left, and keeps its state in the address', async () => {
		const { page, problems, close } = await site.visit(CATALOG);
		const wanted = patterns.filter(({ category }) => category === 'calls').map(({ id }) => id);
		await page.locator('input[name="category"][value="calls"]').check();
		expect(await shownIds(page)).toEqual(wanted);
		expect(await page.locator('[data-facet-status]').textContent()).toBe(
			`${wanted.length} of ${patterns.length} patterns`,
		);
		expect(new URL(page.url()).search).toBe('?category=calls');
		await page.reload();
		expect(await shownIds(page)).toEqual(wanted);
		await page.locator('input[name="category"][value="load"]').check();
		expect(new URL(page.url()).search).toBe('?category=calls&category=load');
		expect((await shownIds(page)).length).toBe(
			patterns.filter(({ category }) => ['calls', 'load'].includes(category)).length,
		);
		await page.getByRole('button', { name: 'Show all' }).click();
		expect(await shownIds(page)).toEqual(patterns.map(({ id }) => id));
		expect(new URL(page.url()).search).toBe('');
		expect(problems).toEqual([]);
		await close();
	});

	it('has a choice for each requirement, and one for patterns that need nothing with all they build on', async () => {
		const { page, close } = await site.visit(`${CATALOG}?requires=postgres`);
		const withPostgres = await shownIds(page);
		expect(withPostgres).toContain('job-queue');
		for (const { id, requires } of patterns) if (requires.includes('postgres')) expect(withPostgres).toContain(id);
		await page.goto(site.url(`${CATALOG}?requires=nothing`), { waitUntil: 'networkidle' });
		const withNothing = await shownIds(page);
		expect(withNothing).toContain('retry-backoff');
		expect(withNothing.filter((id) => withPostgres.includes(id))).toEqual([]);
		await close();
	});

	it('counts what each choice would show, and says when nothing is left', async () => {
		const { page, close } = await site.visit(`${CATALOG}?group=resilience`);
		const count = await page.locator('label:has(input[name="requires"][value="postgres"]) [data-count]').textContent();
		await page.locator('input[name="requires"][value="postgres"]').check();
		expect((await shownIds(page)).length).toBe(Number(count));
		if (Number(count) === 0) expect(await page.locator('[data-facet-none]').isVisible()).toBe(true);
		await close();
	});

	it('works by keyboard, and ignores what is no choice of its own in the address', async () => {
		const { page, close } = await site.visit(`${CATALOG}?group=no-such-group&utm=1`);
		expect((await shownIds(page)).length).toBe(patterns.length);
		await page.locator('input[name="group"]').first().focus();
		await page.keyboard.press('Space');
		expect((await shownIds(page)).length).toBeLessThan(patterns.length);
		await close();
	});

	it('folds its facets behind a button on small screens', async () => {
		const { page, close } = await site.visit(CATALOG, { viewport: { width: 320, height: 640 } });
		const box = page.locator('input[name="group"]').first();
		expect(await box.isVisible()).toBe(false);
		await page.getByText('Filter', { exact: true }).click();
		expect(await box.isVisible()).toBe(true);
		await close();
	});
});
