import { describe, expect, it } from 'vitest';
import { inRepository, repositoryLinks, siteLinks } from './links.ts';
import { createUrls } from './urls.ts';

const urls = createUrls({ url: 'https://example.org/base', repository: 'https://git.example.org/demo' });
const nowhere = createUrls({ url: '', repository: '' });

describe('links', () => {
	it('of the README are relative to the root', () => {
		const links = repositoryLinks(urls, 'README.md');
		expect(links.pattern('a')).toBe('docs/pattern-library/a.md');
		expect(links.ref({ path: 'docs/x.md#part' })).toBe('docs/x.md#part');
	});

	it('of a page are relative to the page', () => {
		const links = repositoryLinks(urls, 'docs/pattern-library/b.md');
		expect(links.pattern('a')).toBe('a.md');
		expect(links.ref({ path: 'src/lib/', kind: 'dir' })).toBe('../../src/lib');
		expect(links.ref({ path: './docs/x.md#part', kind: 'anchor' })).toBe('../x.md#part');
	});

	it('of a text that is read elsewhere are absolute', () => {
		const links = siteLinks(urls);
		expect(links.pattern('a')).toBe('https://example.org/base/docs/pattern-library/a/index.html.md');
		expect(links.ref({ path: 'src/lib', kind: 'dir' })).toBe('https://git.example.org/demo/tree/main/src/lib');
		expect(links.ref({ path: 'a.ts' })).toBe('https://git.example.org/demo/blob/main/a.ts');
	});

	it('of a showcase lead to the site, or nowhere from a repository without one', () => {
		const route = { path: '/showcases/a/', kind: 'route' } as const;
		expect(siteLinks(urls).ref(route)).toBe('https://example.org/base/showcases/a/');
		expect(repositoryLinks(urls, 'README.md').ref(route)).toBe('https://example.org/base/showcases/a/');
		expect(repositoryLinks(nowhere, 'README.md').ref(route)).toBeUndefined();
	});

	it('never leave the repository', () => {
		for (const path of ['../x.md', 'a/../../x', '/etc/passwd', '..']) {
			expect(inRepository(path)).toBeUndefined();
			expect(siteLinks(urls).ref({ path })).toBeUndefined();
			expect(repositoryLinks(urls, 'README.md').ref({ path })).toBeUndefined();
		}
		expect(inRepository('a/../b//c/')).toBe('b/c');
	});

	it('to a file whose name looks like a scheme stay relative', () => {
		expect(repositoryLinks(urls, 'README.md').ref({ path: 'javascript:x' })).toBe('javascript%3Ax');
	});
});
