import { expect, it } from 'vitest';
import { siteAddress } from './address.ts';

it.each([
	['https://example.org', undefined, 'https://example.org', '/'],
	['https://example.org/', undefined, 'https://example.org', '/'],
	['https://example.org/docs', undefined, 'https://example.org', '/docs'],
	['https://example.org/docs/', undefined, 'https://example.org', '/docs'],
	['https://example.org', 'https://other.example/a/b/', 'https://other.example', '/a/b'],
	['', undefined, 'http://localhost:4321', '/'],
])('%s with SITE_URL %s is published at %s below %s', (url, override, site, base) => {
	expect(siteAddress(url, override)).toEqual({ site, base });
});

it.each(['example.org', 'ftp://example.org', '/docs'])('refuses %s and says what it expects', (url) => {
	expect(() => siteAddress(url, undefined)).toThrow(/expected one such as https:\/\/example\.org\/name\. Set SITE_URL/);
});
