import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong on a page, each as `rule: what it is (element, …)`. All its rules run, best practices too. */
export async function axeViolations(page: Page): Promise<string[]> {
	await page.evaluate(source);
	return page.evaluate(async () => {
		const { axe } = globalThis as unknown as {
			axe: { run(): Promise<{ violations: { id: string; help: string; nodes: { target: unknown[] }[] }[] }> };
		};
		const { violations } = await axe.run();
		return violations.map(({ id, help, nodes }) => {
			const where = nodes.slice(0, 4).map(({ target }) => target.join(' '));
			return `${id}: ${help} (${where.join(', ')}${nodes.length > 4 ? `, and ${nodes.length - 4} more` : ''})`;
		});
	});
}
