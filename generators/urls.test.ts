import { describe, expect, it } from 'vitest';
import { createUrls, encodePath } from './urls.ts';

const repository = 'https://git.example.org/demo';

describe('addresses', () => {
	it.each([
		['https://example.org', 'https://example.org/docs/pattern-library/a/'],
		['https://example.org/', 'https://example.org/docs/pattern-library/a/'],
		['https://example.org/docs', 'https://example.org/docs/docs/pattern-library/a/'],
		['https://example.org/docs/', 'https://example.org/docs/docs/pattern-library/a/'],
		['https://example.org/x//', 'https://example.org/x/docs/pattern-library/a/'],
	])('under %j a page is %s, and its twin lies in it', (url, page) => {
		const urls = createUrls({ url, repository });
		expect(urls.page('a')).toBe(page);
		expect(urls.pageTwin('a')).toBe(`${page}index.html.md`);
		expect(urls.index()).toBe(page.replace(/a\/$/, ''));
		expect(urls.indexTwin()).toBe(page.replace(/a\/$/, 'index.html.md'));
	});

	it.each([
		['its repository', repository, `${repository}/blob/main/`],
		['the root of the repository', '', ''],
	])('without a site lead to the Markdown, from %s', (_where, browser, base) => {
		const urls = createUrls({ url: '', repository: browser });
		expect([urls.page('a'), urls.pageTwin('a')]).toEqual(Array(2).fill(`${base}docs/pattern-library/a.md`));
		expect([urls.index(), urls.indexTwin()]).toEqual(Array(2).fill(`${base}docs/pattern-library/index.md`));
		expect(urls.served('public/corpus.jsonl')).toBe(`${base}public/corpus.jsonl`);
		expect(urls.site('/showcases/a/')).toBeUndefined();
	});

	it('of a published file lie at the root of the site', () => {
		const urls = createUrls({ url: 'https://example.org/base', repository });
		expect(urls.served('public/corpus.jsonl')).toBe('https://example.org/base/corpus.jsonl');
	});

	it.each([['/showcases/a/'], ['showcases/a/'], ['//showcases/a/']])(
		'a route %s stays on the site, with one slash',
		(route) => {
			expect(createUrls({ url: 'https://example.org/base/', repository }).site(route)).toBe(
				'https://example.org/base/showcases/a/',
			);
		},
	);

	it.each([[repository], [`${repository}/`]])('files and folders lie in the repository %s', (base) => {
		const urls = createUrls({ url: '', repository: base });
		expect(urls.repository('a/b.ts', 'file')).toBe(`${repository}/blob/main/a/b.ts`);
		expect(urls.repository('a', 'dir')).toBe(`${repository}/tree/main/a`);
		expect(createUrls({ url: '', repository: '' }).repository('a', 'dir')).toBeUndefined();
	});

	it('names the branch that the library names, slashes and all', () => {
		const urls = createUrls({ url: '', repository, branch: 'release/1#x' });
		expect(urls.repository('a', 'dir')).toBe(`${repository}/tree/release/1%23x/a`);
		expect(urls.page('p')).toBe(`${repository}/blob/release/1%23x/docs/pattern-library/p.md`);
	});

	it('encodes what a URL cannot hold and keeps what a path may', () => {
		expect(encodePath('src/[id]/(app)/+page.ts#How it works')).toBe('src/%5Bid%5D/(app)/+page.ts#How%20it%20works');
		expect(encodePath('a b/50%/c?d#日本')).toBe('a%20b/50%25/c%3Fd#%E6%97%A5%E6%9C%AC');
		expect(encodePath('a\uD800b')).toBe('a%EF%BF%BDb');
	});
});
