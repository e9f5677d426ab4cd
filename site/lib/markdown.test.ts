import { describe, expect, it } from 'vitest';
import { blocks, fenced, link, words } from './markdown.ts';

describe('Markdown written for pages', () => {
	it.each([
		['a *b* <c> [d]', String.raw`a \*b\* \<c> \[d\]`],
		['`<a> *b*` and <c>', String.raw`${'`<a> *b*`'} and \<c>`],
		['depends_on and _this_', String.raw`depends_on and \_this\_`],
		['- no list', String.raw`\- no list`],
		['1. no list', String.raw`1\. no list`],
		['two\n# lines', 'two # lines'],
		['one ` alone', 'one \\` alone'],
	])('%j reads as written', (text, markdown) => {
		expect(words(text)).toBe(markdown);
	});

	it('fences a text that holds fences', () => {
		expect(fenced('```ts\n```', 'md')).toBe('````md\n```ts\n```\n````');
		expect(fenced('{}', 'json')).toBe('```json\n{}\n```');
	});

	it('parts blocks with one blank line and leaves out the empty', () => {
		expect(blocks('# a', undefined, '', link('b]', 'https://example.org/'))).toBe(
			'# a\n\n[b\\]](https://example.org/)\n',
		);
	});
});
