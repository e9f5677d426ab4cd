import { describe, expect, it } from 'vitest';
import { anchorsOf } from './anchors.ts';

describe('anchorsOf', () => {
	it.each([
		['## ⚙️ Tools & RAG\n\n## ⚙️ Tools & RAG', ['️-tools--rag', '️-tools--rag-1']],
		['# C++ / C#', ['c--c']],
		['## 日本語', ['日本語']],
		['## Café `code` **bold** [link](x)', ['café-code-bold-link']],
		['## Foo <sup>2</sup>', ['foo-2']],
		['Setext heading\n---', ['setext-heading']],
		['## a_b-c.d', ['a_b-cd']],
		['# Foo\n# Foo\n# Foo-1', ['foo', 'foo-1', 'foo-1-1']],
	])('slugs the headings of %j as GitHub does', (markdown, anchors) => {
		expect(anchorsOf(markdown)).toEqual(anchors);
	});

	it('takes explicit anchors, and headings written as HTML', () => {
		const markdown = '<a id="here"></a>\n\nText <a name=\'there\'></a>.\n\n<h2 align="center">My <em>title</em></h2>\n';
		expect(anchorsOf(markdown)).toEqual(['here', 'there', 'my-title']);
	});

	it('finds no heading in code, in a comment or in front matter', () => {
		const markdown =
			'---\n# yaml: comment\n---\n\n```md\n# code\n<a id="code"></a>\n```\n\n    # indented\n\n<!-- <a id="no"></a> -->\n';
		expect(anchorsOf(markdown)).toEqual([]);
	});

	it('reads a file that begins with a line of dashes and has no front matter', () => {
		expect(anchorsOf('---\n- a\n- b\n---\n\n# After\n')).toEqual(['after']);
		expect(anchorsOf('---\n\n- ## In a list\n')).toEqual(['in-a-list']);
	});
});
