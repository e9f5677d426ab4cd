import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { BUILD_TIMEOUT, describeInBrowser, type OpenSite, openSite } from './site.ts';

/** One page of each kind. */
const KINDS = [
	['home', '/'],
	['catalog', '/docs/pattern-library/'],
	['card', '/docs/pattern-library/retry-backoff/'],
	['guides', '/docs/'],
	['guide', '/docs/design/'],
	['description', '/docs/library/retry-backoff/'],
	['search', '/search/'],
	['search with answers', '/search/?q=customer+was+charged+twice'],
	['search without answers', '/search/?q=protein+structure+prediction'],
	['showcases', '/showcases/'],
	['showcase', '/showcases/retry-backoff/'],
	['server showcase', '/showcases/mcp/'],
] as const;

describeInBrowser('every kind of page', () => {
	let site: OpenSite;
	beforeAll(async () => {
		site = await openSite();
	}, BUILD_TIMEOUT);
	afterAll(() => site?.close());

	it.each(KINDS)(
		'%s: axe finds nothing in either theme, and nothing fails',
		{ timeout: 60_000 },
		async (_kind, path) => {
			for (const colorScheme of ['light', 'dark'] as const) {
				const { page, problems, close } = await site.visit(path, { colorScheme, reducedMotion: 'reduce' });
				if (path.includes('?q=')) await page.locator('[data-answered]').waitFor();
				expect(await axeViolations(page)).toEqual([]);
				expect(problems).toEqual([]);
				await close();
			}
		},
	);

	it.each(KINDS)('%s: nothing scrolls sideways at 320 px', { timeout: 60_000 }, async (_kind, path) => {
		const { page, close } = await site.visit(path, { viewport: { width: 320, height: 640 } });
		if (path.includes('?q=')) await page.locator('[data-answered]').waitFor();
		const over = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
		expect(await over()).toBe(0);
		for (const details of await page.locator('details:not([open]) > summary').all()) {
			if (await details.isVisible()) await details.click();
		}
		expect(await over()).toBe(0);
		await close();
	});

	it.each(KINDS)('%s: nothing moves when motion is to be reduced', { timeout: 60_000 }, async (_kind, path) => {
		const { page, close } = await site.visit(path, { reducedMotion: 'reduce' });
		const moving = await page.evaluate(() => {
			const seconds = (value: string) => Math.max(...value.split(',').map((one) => Number.parseFloat(one)));
			const elements = [...document.querySelectorAll('*')];
			const slow = elements.filter((element) => {
				const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
				return seconds(transitionDuration) > 0.01 || (animationName !== 'none' && seconds(animationDuration) > 0.01);
			});
			const smooth = getComputedStyle(document.documentElement).scrollBehavior === 'smooth';
			return [
				...slow.map(({ tagName, className }) => `${tagName}.${String(className)}`),
				...(smooth ? ['scrolling'] : []),
			];
		});
		expect(moving).toEqual([]);
		await close();
	});

	it('a card shows its code from the main declaration on, and all of it on demand, without scripts too', async () => {
		const { page, close } = await site.visit('/docs/pattern-library/circuit-breaker/', { javaScriptEnabled: false });
		const file = readFileSync('library/circuit-breaker/circuit-breaker.ts', 'utf8').trimEnd().split('\n');
		const listing = page.locator('.listing', { hasText: 'circuit-breaker.ts' }).first();
		const lines = listing.locator('.code .line:visible');
		expect(await lines.nth(1).textContent()).toBe('export class CircuitBreaker {');
		const all = await listing.locator('.fold > summary').allInnerTexts();
		const written = file.filter((line) => line !== '');
		expect(await lines.count()).toBeLessThan(written.length);
		expect(all.join(' ')).toMatch(/Lines 1 to \d+\s+\d+ more lines above Lines \d+ to \d+\s+\d+ more lines below/);
		expect(all.join(' ')).toContain(`to ${file.length}`);
		for (const fold of await listing.locator('.fold > summary').all()) await fold.click();
		// Empty lines have nothing that could be visible.
		expect(await lines.allTextContents()).toEqual(written);
		expect(await listing.locator('.code .line').allTextContents()).toEqual(file);
		const box = await listing
			.locator('.code pre')
			.evaluateAll((all) =>
				all.filter((pre) => pre.scrollHeight > pre.clientHeight + 20).map((pre) => pre.clientHeight),
			);
		expect(box).toEqual([]);
		await close();
	});

	it('the theme follows the system, changes by its button, and is kept on the next page before it is painted', async () => {
		const { page, close } = await site.visit('/', { colorScheme: 'dark' });
		const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		const dark = await paper();
		const button = page.getByRole('button', { name: 'Dark theme' });
		expect(await button.getAttribute('aria-pressed')).toBe('true');
		await button.click();
		expect(await button.getAttribute('aria-pressed')).toBe('false');
		const light = await paper();
		expect(light).not.toBe(dark);
		await page.goto(site.url('/docs/'), { waitUntil: 'commit' });
		await page.locator('body').waitFor();
		expect(await paper()).toBe(light);
		await close();
	});

	it('the first stop of the keyboard leads to the content, and every stop is seen', async () => {
		const { page, close } = await site.visit('/docs/pattern-library/retry-backoff/');
		await page.keyboard.press('Tab');
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
		await page.keyboard.press('Enter');
		expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
		for (let stop = 0; stop < 25; stop++) {
			await page.keyboard.press('Tab');
			const seen = await page.evaluate(() => {
				const active = document.activeElement;
				if (!active || active === document.body) return 'nothing';
				const { outlineStyle, outlineWidth } = getComputedStyle(active);
				const after = getComputedStyle(active, '::after');
				const drawn = active.querySelector('rect');
				const marked =
					(outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) ||
					(after.outlineStyle !== 'none' && Number.parseFloat(after.outlineWidth) >= 2) ||
					(drawn !== null && Number.parseFloat(getComputedStyle(drawn).strokeWidth) >= 2);
				return marked ? 'seen' : active.outerHTML.slice(0, 120);
			});
			expect(seen).toBe('seen');
		}
		await close();
	});

	it('a page that is not there is answered by the site, with a way on', async () => {
		const { page, close } = await site.visit('/no/such/page/');
		expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('no page');
		expect(await axeViolations(page)).toEqual([]);
		await page.getByRole('link', { name: 'The catalog' }).click();
		expect(page.url()).toBe(site.url('/docs/pattern-library/'));
		await close();
	});

	it('a card copies its tool call and its Markdown', async () => {
		const { page, close } = await site.visit('/docs/pattern-library/retry-backoff/', {
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
		await page.getByRole('button', { name: 'Copy the tool call' }).click();
		await page.getByText('Copied').waitFor();
		expect(await clipboard()).toBe('get_pattern {"id":"retry-backoff"}');
		await page.getByRole('button', { name: 'Copy as Markdown' }).click();
		await expect.poll(clipboard).toContain('# Retry with backoff');
		await close();
	});

	it('an invariant leads to its test on the page, which opens, and to its line in the repository', async () => {
		const { page, close } = await site.visit('/docs/pattern-library/retry-backoff/');
		const first = page.locator('#invariants li').first();
		const [here, there] = await first.locator('a').all();
		expect(await there?.getAttribute('href')).toMatch(
			/\/blob\/main\/library\/retry-backoff\/retry-backoff\.test\.ts#L\d+$/,
		);
		await here?.click();
		const line = page.locator('.line:target');
		await line.waitFor();
		expect(await line.isVisible()).toBe(true);
		expect(await line.textContent()).toContain(await here?.textContent());
		await close();
	});

	it('prints a card without navigation, light, with all of its rules', async () => {
		const { page, close } = await site.visit('/docs/pattern-library/retry-backoff/', { colorScheme: 'dark' });
		await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
		expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
		expect(await page.locator('#invariants li').first().isVisible()).toBe(true);
		expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
			'rgb(255, 255, 255)',
		);
		await close();
	});
});
