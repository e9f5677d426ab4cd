import { expect, it } from 'vitest';
import { highlight } from './highlight.ts';

it('marks code by classes, in no style of its own, and keeps its text', async () => {
	const source = "const a = 'b'; // <c> & d\n\nexport const n = 1;\n";
	const html = await highlight('a.ts', source);
	expect(html).toMatch(/<span class="t-k">const<\/span>/);
	expect(html).toMatch(/<span class="t-s">/);
	expect(html).not.toContain('style=');
	const text = html
		.replace(/<[^>]+>/g, '')
		.replaceAll('&#x3C;', '<')
		.replaceAll('&#x26;', '&');
	expect(text).toBe(source.trimEnd());
});

it('leaves nothing in the code that could be taken for an attribute, and no quote of the markup is touched', async () => {
	const html = await highlight('c.ts', `const link = '<a href="#k-ok">x</a>'; // => "y"`);
	expect(html).not.toContain('href="');
	expect(html).toContain('href=&quot;#k-ok&quot;');
	expect(html).toMatch(/<span class="t-k">const<\/span>/);
});

it('gives the lines that are asked for their ids', async () => {
	const html = await highlight('b.ts', 'one\ntwo\nthree', new Map([[2, 'b-ts-L2']]));
	expect(html).toMatch(/id="b-ts-L2"[^>]*>two/);
	expect(html.split(' id=')).toHaveLength(2);
});

it('shows a file of an unknown language as it is', async () => {
	expect(await highlight('notes.xyz', 'a <b>')).toContain('a &#x3C;b>');
});
