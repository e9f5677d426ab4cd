import fc from 'fast-check';
import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { readFrontMatter, withFrontMatter } from './front-matter.ts';

describe('front matter', () => {
	it.each([
		'say "yes"',
		"it's",
		'a: b',
		'# not a comment',
		'- item',
		'yes',
		'no',
		'null',
		'~',
		'1e3',
		'0o14',
		'1:30',
		'2026-01-01',
		'---',
		'{a}',
		'[x](y)',
		'line\nline',
		' padded ',
		'\\n',
		'\u2028',
		'\u0085\u0000',
		'\u007f',
		'\u0086',
		'\ufeff',
		'\ufffe',
		'\uffff',
		'\ud800',
		'日本 🎉',
	])('reads a title of %j back as the same string', (title) => {
		const page = withFrontMatter({ title, id: 'a' }, '# Body\n');
		expect(matter(page, {}).data).toEqual({ title, id: 'a' });
		expect(matter(page, {}).content).toBe('# Body\n');
	});

	it('escapes what stricter YAML readers refuse', () => {
		expect(withFrontMatter({ title: '\u007f\u0086\u2028\ufeff\ufffe' }, 'x')).toContain(
			'title: "\\u007f\\u0086\\u2028\\ufeff\\ufffe"',
		);
	});

	it('reads any string back', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (title) => {
				expect(readFrontMatter(withFrontMatter({ title }, 'x\n'))).toEqual({ title });
			}),
		);
	});

	it('is read from pages with CRLF, too', () => {
		expect(readFrontMatter('---\r\nid: a\r\n---\r\nx')).toEqual({ id: 'a' });
	});

	it('runs no code from a page', () => {
		const page = '---js\nglobalThis.ran = true\n---\n';
		expect(readFrontMatter(page)).toBeUndefined();
		expect(globalThis).not.toHaveProperty('ran');
	});

	it('is nothing when a page has none or it cannot be parsed', () => {
		expect(readFrontMatter('# Page\n')).toBeUndefined();
		expect(readFrontMatter('---\na: [\n---\n')).toBeUndefined();
	});
});
