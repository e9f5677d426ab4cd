import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../registry/query.ts';
import { axeViolations } from './axe.ts';
import { loadRegistry } from './registry.ts';
import { BUILD_TIMEOUT, describeInBrowser, type OpenSite, openSite } from './site.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const ids = readdirSync(join(root, 'library')).filter((id) => existsSync(join(root, 'library', id, `${id}.demo.ts`)));
const { patterns } = loadRegistry();

/** Long enough for every run at speed 1, in milliseconds of the page's clock. */
const LONGEST_RUN = 25_000;
const ONE = '/showcases/retry-backoff/';

const text = async (page: Page, selector: string) => (await page.locator(selector).first().textContent()) ?? '';
const clock = (page: Page) => text(page, '[data-clock]');
const verdict = (page: Page) => page.locator('[data-showcase]').getAttribute('data-verdict');
const timeline = (page: Page) => page.locator('[data-drawing]');
const query = (page: Page) => new URL(page.url()).searchParams;
const over = (page: Page) =>
	page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Turns the pattern on or off, and waits for the verdict on the new run. */
async function choose(
	page: Page,
	name: 'With the pattern' | 'Without it',
	expected: 'holds' | 'broken',
): Promise<void> {
	await page.getByRole('radio', { name: new RegExp(`^${name}`) }).check();
	await expect.poll(() => verdict(page)).toBe(expected);
}

/** Labels of the timeline that reach out of the drawing. */
const strayLabels = (page: Page) =>
	page
		.locator('svg.timeline')
		.first()
		.evaluate((svg) => {
			const box = svg.getBoundingClientRect();
			return [...svg.querySelectorAll('.ev text')]
				.filter((label) => {
					const { left, right } = label.getBoundingClientRect();
					return left < box.left - 1 || right > box.right + 1;
				})
				.map((label) => label.textContent);
		});

describeInBrowser('showcases', () => {
	let site: OpenSite;
	beforeAll(async () => {
		site = await openSite();
	}, BUILD_TIMEOUT);
	afterAll(() => site?.close());

	async function open(path: string, options: Parameters<OpenSite['visit']>[1] = {}) {
		const visit = await site.visit(path, options);
		await visit.page.locator('[data-ready]').waitFor();
		return visit;
	}

	describe.each(ids)('%s', (id) => {
		let page: Page;
		let problems: string[];
		let close: () => Promise<void>;
		beforeAll(async () => {
			({ page, problems, close } = await open(`/showcases/${id}/`, { viewport: { width: 1440, height: 800 } }));
		});
		afterAll(() => close?.());

		it('fits any screen, with every label in its place', { timeout: 60_000 }, async () => {
			for (const width of [1440, 768, 320]) {
				await page.setViewportSize({ width, height: 800 });
				await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
				expect(await over(page)).toBe(0);
				expect(await strayLabels(page)).toEqual([]);
			}
			expect(problems).toEqual([]);
		});

		it('plays to the end with every check green, and red without the pattern', { timeout: 60_000 }, async () => {
			await page.clock.install();
			for (const [name, expected] of [
				['With the pattern', 'holds'],
				['Without it', 'broken'],
			] as const) {
				await choose(page, name, expected);
				const end = await clock(page);
				await page.getByRole('button', { name: 'Reset' }).click();
				expect(await clock(page)).toBe('0 ms');
				expect(await page.locator('.log [data-p="future"]').count()).toBeGreaterThan(0);
				const early = await page.locator('.checks .pending').first().innerHTML();
				expect(early).toContain('Not checked yet');
				expect(early).not.toMatch(/v-holds|v-broken/);
				await page.getByRole('button', { name: 'Play' }).click();
				await page.clock.runFor(LONGEST_RUN);
				expect(await clock(page)).toBe(end);
				expect(await page.locator('[data-p]:not([data-p="past"])').count()).toBe(0);
				expect(await page.locator('.checks .pending').count()).toBe(0);
				expect(await verdict(page)).toBe(expected);
				expect(await text(page, '[data-tally]')).toMatch(
					expected === 'holds' ? /^All \d+ rules hold$/ : /rules broken$/,
				);
				const red = await page.locator('[data-checks] [data-verdict="broken"]').count();
				expect(red > 0).toBe(expected === 'broken');
			}
			expect(await page.locator('[data-error]').isHidden()).toBe(true);
			expect(problems).toEqual([]);
		});
	});

	it('loads the code of its own scenario and no other', async () => {
		const { page, close } = await site.visit('/showcases/');
		const loaded: string[] = [];
		page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
		await page.goto(site.url(ONE), { waitUntil: 'networkidle' });
		expect(
			loaded.filter((path) => path.includes('.demo.')).map((path) => path.replace(/.*\/|\.demo\..*/g, '')),
		).toEqual(['retry-backoff']);
		await close();
	});

	it('goes by keyboard: arrows step, Home and End go to the ends, Space plays and pauses', async () => {
		const { page, close } = await open(ONE);
		await timeline(page).focus();
		const end = await clock(page);
		await page.keyboard.press('Home');
		expect(await clock(page)).toBe('0 ms');
		await page.keyboard.press('ArrowRight');
		const first = await clock(page);
		await page.keyboard.press('ArrowRight');
		const second = await clock(page);
		expect(new Set(['0 ms', first, second]).size).toBe(3);
		expect(await text(page, '[data-now]')).toContain(second);
		await page.keyboard.press('ArrowLeft');
		expect(await clock(page)).toBe(first);
		await page.keyboard.press(' ');
		expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(true);
		await page.keyboard.press(' ');
		expect(await page.getByRole('button', { name: 'Play' }).isVisible()).toBe(true);
		await page.keyboard.press('End');
		expect(await clock(page)).toBe(end);
		await page.locator('[data-seek]').focus();
		await page.keyboard.press('Home');
		expect(await clock(page)).toBe('0 ms');
		expect(await page.locator('[data-seek]').getAttribute('aria-valuetext')).toBe(`0 ms of ${end}`);
		await close();
	});

	it('keeps its state in the address, and Back works', async () => {
		const { page, close } = await open(ONE);
		expect([...query(page)]).toEqual([]);
		const lasting = page.getByLabel('Server is down for');
		await lasting.focus();
		await page.keyboard.press('End');
		const most = await lasting.inputValue();
		await choose(page, 'Without it', 'broken');
		await expect.poll(() => query(page).get('pattern')).toBe('false');
		await timeline(page).focus();
		await page.keyboard.press('Home');
		for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
		await expect.poll(() => query(page).has('t')).toBe(true);
		const shown = await clock(page);

		await page.reload();
		await page.locator('[data-ready]').waitFor();
		expect(await clock(page)).toBe(shown);
		expect(await page.getByRole('radio', { name: /^Without it/ }).isChecked()).toBe(true);
		expect(await page.getByLabel('Server is down for').inputValue()).toBe(most);

		await page.goBack();
		await expect.poll(() => verdict(page)).toBe('holds');
		expect(await page.getByRole('radio', { name: /^With the pattern/ }).isChecked()).toBe(true);
		expect(await page.getByLabel('Server is down for').inputValue()).toBe(most);
		await page.goBack();
		await expect.poll(() => page.getByLabel('Server is down for').inputValue()).not.toBe(most);
		await close();
	});

	it('plays on from where it was paused, and follows a pointer', async () => {
		const { page, close } = await open(ONE);
		const box = (await timeline(page).boundingBox()) ?? expect.fail('no timeline');
		await page.mouse.click(box.x + box.width / 2, box.y + 60);
		expect(await clock(page)).toMatch(/^22\d/);
		await page.mouse.move(box.x + box.width / 2, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + 2, box.y + 60);
		await page.mouse.up();
		expect(await clock(page)).toBe('0 ms');
		await page.locator('[data-rows] tr').nth(4).click();
		expect(await page.locator('[data-rows] tr').nth(4).getAttribute('data-p')).toBe('past');
		await close();
	});

	it('tells a screen reader what happens, but not all the time', async () => {
		const { page, close } = await open(ONE);
		await page.clock.install();
		await page.getByRole('button', { name: 'Reset' }).click();
		await page.evaluate(() => {
			const spoken: string[] = [];
			Object.assign(globalThis, { spoken });
			const now = document.querySelector('[data-spoken]');
			if (now) new MutationObserver(() => spoken.push(now.textContent ?? '')).observe(now, { childList: true });
		});
		await page.getByRole('button', { name: 'Play' }).click();
		await page.clock.runFor(LONGEST_RUN);
		const spoken = await page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken);
		expect(await page.locator('[data-spoken]').getAttribute('aria-live')).toBe('polite');
		expect(await page.locator('[data-now]').getAttribute('aria-live')).toBeNull();
		expect(spoken.length).toBeGreaterThan(2);
		expect(spoken.length).toBeLessThanOrEqual(LONGEST_RUN / 2000);
		expect(spoken.at(-1)).toMatch(/^444 ms · client 5: read: succeeds \(answered/);
		await close();
	});

	it('shows at every moment what has just happened, with its own time', async () => {
		const { page, close } = await open('/showcases/circuit-breaker/');
		await page.clock.install();
		await page.getByRole('button', { name: 'Reset' }).click();
		await page.getByRole('button', { name: 'Play' }).click();
		const seen = new Set<string>();
		for (let i = 0; i < 30; i++) {
			await page.clock.runFor(150);
			const { now, times, lane, phase } = await page.evaluate(() => {
				const row = document.querySelector('[data-rows] [aria-current]');
				const cell = (at: number) => row?.children[at]?.textContent ?? '';
				const now = document.querySelector('[data-now]')?.textContent ?? '';
				return { now, times: cell(0).split(' – '), lane: cell(1), phase: row?.getAttribute('data-p') };
			});
			seen.add(now);
			expect(now).toMatch(/^[\d.]+ m?s · /);
			expect(now.startsWith(`${times.at(phase === 'past' ? -1 : 0)} · ${lane}: `)).toBe(true);
		}
		expect(seen.size).toBeGreaterThan(10);
		await close();
	});

	it('only steps when motion is to be reduced', async () => {
		const { page, close } = await open(ONE, { reducedMotion: 'reduce' });
		expect(await page.getByRole('button', { name: 'Play' }).isVisible()).toBe(false);
		expect(await page.getByText('Space plays and pauses').isVisible()).toBe(false);
		expect(await timeline(page).getAttribute('aria-label')).toMatch(/Space and right arrow step forward/);
		await timeline(page).focus();
		await page.keyboard.press('Home');
		await page.keyboard.press(' ');
		const stepped = await clock(page);
		await page.waitForTimeout(400);
		expect(await clock(page)).toBe(stepped);
		expect(stepped).not.toBe('0 ms');
		await close();
	});

	it('shows why a scenario stopped', async () => {
		const { page, close } = await open(ONE);
		const body = `export const demo = { title: 'x', about: 'x', controls: [{ id: 'pattern', kind: 'switch', label: 'x', value: true }],
			async run(_values, emit) { emit({ t: 1, lane: 'a', kind: 'ok', label: 'before' }); throw new Error('<out> of luck'); } };`;
		await page.route(/retry-backoff\.demo\..*\.js$/, (route) =>
			route.fulfill({ contentType: 'text/javascript', body }),
		);
		await page.reload();
		await page.locator('[data-ready]').waitFor();
		expect(await page.getByRole('alert').textContent()).toBe('The scenario stopped: <out> of luck');
		expect(await verdict(page)).toBe('broken');
		expect(await text(page, '[data-rows]')).toContain('before');
		await close();
	});

	it('is complete without JavaScript: both finished runs with their verdicts', async () => {
		const { page, close } = await site.visit(ONE, { javaScriptEnabled: false });
		expect(await page.locator('svg.timeline:visible').count()).toBe(2);
		expect(await page.locator('[data-checks] li:visible').count()).toBeGreaterThan(4);
		expect(await page.locator('.still [data-verdict="broken"]:visible').count()).toBeGreaterThan(0);
		expect(await page.locator('.log tbody tr:visible').count()).toBeGreaterThan(10);
		expect(await page.getByText('With JavaScript this runs live').isVisible()).toBe(true);
		expect(await page.locator('.needs-js:visible').count()).toBe(0);
		await close();
	});

	it('axe finds nothing while a run is under way, with the pattern or without it', { timeout: 60_000 }, async () => {
		for (const path of [`${ONE}?t=100`, `${ONE}?pattern=false`, '/showcases/tool-manifest/?pattern=false']) {
			const { page, close } = await open(path);
			expect(await axeViolations(page)).toEqual([]);
			await close();
		}
	});

	it('links to the card, the README and the code, and to its neighbours', async () => {
		const { page, close } = await open(ONE);
		const targets = await page.locator('main a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
		expect(targets).toEqual(
			expect.arrayContaining([
				'/repo/docs/pattern-library/retry-backoff/',
				'/repo/docs/library/retry-backoff/',
				expect.stringMatching(/\/library\/retry-backoff\/retry-backoff\.ts$/),
				expect.stringMatching(/\/library\/retry-backoff\/retry-backoff\.test\.ts$/),
			]),
		);
		await page.locator('a[rel="next"]').click();
		await page.locator('[data-ready]').waitFor();
		await page.locator('a[rel="prev"]').click();
		await page.waitForURL(site.url(ONE));
		await close();
	});

	it('are all on the index, each with its two runs in small, under the groups of the registry', async () => {
		const { page, problems, close } = await site.visit('/showcases/');
		const cards = await page.locator('main article').evaluateAll((articles) =>
			articles.map((article) => ({
				to: article.querySelector('a')?.getAttribute('href')?.split('/').at(-2),
				previews: article.querySelectorAll('svg.preview path').length > 0,
			})),
		);
		expect(new Set(cards.map(({ to }) => to))).toEqual(new Set(ids));
		expect(cards.filter(({ previews }) => !previews)).toEqual([]);
		const headings = await page.locator('main h2').allInnerTexts();
		expect(headings[0]).toBe('Begin with these');
		const order = patterns.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
		expect(cards.slice(-order.length).map(({ to }) => to)).toEqual(order);
		expect(problems).toEqual([]);
		await close();
	});
});

describeInBrowser('the page of the server', () => {
	const PAGE = '/showcases/mcp/';
	let site: OpenSite;
	beforeAll(async () => {
		site = await openSite();
	}, BUILD_TIMEOUT);
	afterAll(() => site?.close());

	it('draws every pattern, and the keyboard reaches each and follows the lines', async () => {
		const { page, problems, close } = await site.visit(PAGE, { viewport: { width: 1280, height: 900 } });
		const nodes = page.locator('[data-graph] .node');
		const order = await nodes.evaluateAll((all) => all.map((node) => node.getAttribute('data-id') ?? ''));
		expect(order.toSorted()).toEqual(patterns.map(({ id }) => id).toSorted());
		const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-id'));

		await nodes.first().focus();
		for (const id of order.slice(0, 4)) {
			expect(await focused()).toBe(id);
			await page.keyboard.press('Tab');
		}
		const dependent = patterns.find(({ depends_on }) => depends_on.length > 0) ?? expect.fail('no dependency');
		await page.locator(`[data-id="${dependent.id}"]`).focus();
		const lit = page.locator('[data-graph] .node.is-near');
		const near = new Set([
			...dependent.depends_on,
			...patterns.filter(({ depends_on }) => depends_on.includes(dependent.id)).map(({ id }) => id),
		]);
		expect(new Set(await lit.evaluateAll((all) => all.map((node) => node.getAttribute('data-id'))))).toEqual(near);
		expect(await page.locator('[data-graph] .edge.is-near').count()).toBe(near.size);
		await page.keyboard.press('ArrowLeft');
		expect(dependent.depends_on).toContain(await focused());
		await page.keyboard.press('ArrowRight');
		const there = await focused();
		await page.keyboard.press('Enter');
		await page.waitForURL(site.url(`/docs/pattern-library/${there}/`));
		expect(problems).toEqual([]);
		await close();
	});

	it('says the dependencies as a list where there is no room for a drawing', async () => {
		const { page, close } = await site.visit(PAGE, { viewport: { width: 320, height: 640 } });
		expect(await page.locator('[data-graph]').isVisible()).toBe(false);
		const shown = await page.locator('.as-list li:visible').count();
		expect(shown).toBe(patterns.filter(({ depends_on }) => depends_on.length > 0).length);
		expect(await over(page)).toBe(0);
		await close();
	});

	it('counts what the registry holds', async () => {
		const { page, close } = await site.visit(PAGE);
		const figures = await text(page, '.figures');
		expect(figures).toContain(String(patterns.length));
		const pinned = patterns.flatMap(({ invariants }) => invariants).filter((one) => typeof one !== 'string');
		expect(figures).toContain(String(pinned.length));
		await close();
	});

	it('steps through the recorded session, there and back, by button, key and link', async () => {
		const { page, close } = await site.visit(PAGE);
		const steps = page.locator('.step');
		const count = await steps.count();
		const shown = () => page.locator('.step:visible h3').allInnerTexts();
		expect(await shown()).toEqual(['initialize']);
		expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
		await page.getByRole('button', { name: 'Next' }).click();
		expect(await shown()).toEqual(['notifications/initialized']);
		await page.keyboard.press('ArrowRight');
		expect(await shown()).toEqual(['tools/list']);
		await page.keyboard.press('End');
		expect(await text(page, '[data-count]')).toBe(`Step ${count} of ${count}`);
		expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
		await page.keyboard.press('Home');
		await page.locator('.contents').getByText('server/discover').click();
		expect(await shown()).toEqual(['server/discover']);
		expect(page.url()).toMatch(/#step-8$/);
		await page.reload();
		expect(await shown()).toEqual(['server/discover']);
		await close();
	});

	it('shows the frames of the real server in both eras, the long ones folded', async () => {
		const { page, close } = await site.visit(PAGE, { javaScriptEnabled: false });
		const frames = await page.locator('.received code').evaluateAll((all) => all.map((code) => code.textContent ?? ''));
		const replies = frames.map((frame) => JSON.parse(frame));
		expect(replies.map(({ id }) => id)).toEqual(replies.map((_, i) => i + 1));
		const tools = TOOLS.map(({ name }) => name);
		const lists = replies.flatMap(({ result }) =>
			result?.tools ? [result.tools.map(({ name }: { name: string }) => name)] : [],
		);
		expect(lists).toEqual([tools, tools]);
		expect(replies[0].result.protocolVersion).toBe('2025-11-25');
		expect(replies.some(({ result }) => result?.supportedVersions?.includes('2026-07-28'))).toBe(true);
		expect(replies.at(-1)?.error.code).toBe(-32022);
		expect(await page.locator('.step:visible').count()).toBe(await page.locator('.step').count());
		expect(await page.locator('.received details[open]').count()).toBe(0);
		expect(await page.locator('.received details').count()).toBeGreaterThan(5);
		await close();
	});
});
