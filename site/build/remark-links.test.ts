import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Root } from 'mdast';
import remarkParse from 'remark-parse';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remarkLinks } from './remark-links.ts';

let root: string;
beforeAll(() => {
	root = mkdtempSync(join(tmpdir(), 'remark-links-'));
	mkdirSync(join(root, 'docs'));
	writeFileSync(join(root, 'docs/a b.png'), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The Markdown of docs/guide.md as its page has it, and what was said about it. */
function transformed(markdown: string): { text: string; warnings: string[] } {
	const warnings: string[] = [];
	const options = { root, base: '/', repository: '', ids: [], warn: (text: string) => warnings.push(text) };
	const tree = unified().use(remarkParse).parse(markdown) as Root;
	remarkLinks(options)(tree, { path: join(root, 'docs/guide.md') });
	return { text: unified().use(remarkStringify, { emphasis: '*' }).stringify(tree), warnings };
}

describe('images of a hand-written document', () => {
	it('stay when they are there, or somewhere else', () => {
		const markdown = '![a](a%20b.png)\n\n![b](./a%20b.png#x)\n\n![c](https://example.org/c.png)\n\n![d](/d.png)\n';
		expect(transformed(markdown)).toEqual({ text: markdown, warnings: [] });
	});

	it('give way to their description when they are lost, and the place is said', () => {
		const { text, warnings } = transformed('# Guide\n\n![the old picture](img/lost.png) and ![](gone.png)\n');
		expect(text).toBe('# Guide\n\n*the old picture* and *gone.png*\n');
		expect(warnings).toEqual([
			'docs/guide.md:3 There is no image img/lost.png; its description stands in its place.',
			'docs/guide.md:3 There is no image gone.png; its description stands in its place.',
		]);
	});
});
