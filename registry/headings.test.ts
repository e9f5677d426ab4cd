import fc from 'fast-check';
import GithubSlugger from 'github-slugger';
import { describe, expect, it } from 'vitest';
import { fragmentMaker, markdownHeadings } from './headings.ts';

describe('fragmentMaker', () => {
	it('gives the fragments that GitHub gives', () => {
		const fragment = fragmentMaker();
		const texts = [
			'⚙️ Tools & RAG',
			'⚙️ Tools & RAG',
			'C++ / C#',
			'日本語',
			'Setup',
			'Setup',
			'Setup-1',
			'Setup',
			'x_y',
			'Ünïcode',
		];
		const slugger = new GithubSlugger();
		expect(texts.map(fragment)).toEqual(texts.map((text) => slugger.slug(text)));
	});

	it('treats every character of Latin, Greek, Cyrillic, Hebrew, Arabic, CJK and Hangul as github-slugger does', () => {
		const blocks = [
			[0x20, 0x86f],
			[0x3040, 0x30ff],
			[0x4e00, 0x9fa5],
			[0xac00, 0xd7a3],
			[0x1f300, 0x1f64f],
		] as const;
		for (const [first, last] of blocks) {
			for (let code = first; code <= last; code++) {
				const text = String.fromCodePoint(code);
				expect(fragmentMaker()(text), text).toBe(new GithubSlugger().slug(text));
			}
		}
	});

	it('numbers repeats as github-slugger does in any document', () => {
		const title = fc.oneof(fc.string(), fc.constantFrom('a', 'a-1', 'A', 'a 1', 'constructor', '__proto__'));
		fc.assert(
			fc.property(fc.array(title), (texts) => {
				const fragment = fragmentMaker();
				const slugger = new GithubSlugger();
				expect(texts.map(fragment)).toEqual(texts.map((text) => slugger.slug(text)));
			}),
		);
	});
});

describe('markdownHeadings', () => {
	it('finds ATX and setext headings with their lines and depths', () => {
		const text = '# One\n\nTwo\n---\n\n### Three ###\ntext\n***\n';
		expect(markdownHeadings(text).map(({ line, depth, text }) => [line, depth, text])).toEqual([
			[1, 1, 'One'],
			[3, 2, 'Two'],
			[6, 3, 'Three'],
		]);
	});

	it('takes no heading from fenced code, an unclosed fence, a table, a list or front matter', () => {
		const text =
			'---\ntitle: x\n---\n# Real\n```md\n# no\n~~~\n```\n~~~\n# no\n~~~~\n| a |\n---\n- item\n---\n````\n# no\n```\n# no\n';
		expect(markdownHeadings(text).map(({ text }) => text)).toEqual(['Real']);
	});

	it('reads the text of a heading as it is shown', () => {
		expect(
			markdownHeadings('## The `fetch()` [guide](x.md), **bold** and *soft* <a id="x"></a>snake_case_name').map(
				({ fragment }) => fragment,
			),
		).toEqual(['the-fetch-guide-bold-and-soft-snake_case_name']);
	});
});
