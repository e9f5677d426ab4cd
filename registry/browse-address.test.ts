import { describe, expect, it } from 'vitest';
import { browseAddress } from './browse-address.ts';

describe('browseAddress', () => {
	it.each([
		['git@github.com:acme/shop.git', 'https://github.com/acme/shop'],
		['ssh://git@host.org:2222/acme/shop.git', 'https://host.org/acme/shop'],
		['git+https://gitlab.com/acme/shop.git', 'https://gitlab.com/acme/shop'],
		['git+ssh://git@host.org/acme/shop', 'https://host.org/acme/shop'],
		['git://host.org/acme/shop.git', 'https://host.org/acme/shop'],
		['https://host.org:8443/acme/shop/', 'https://host.org:8443/acme/shop'],
		['http://host.org/acme/shop#readme', 'http://host.org/acme/shop'],
	])('of %s is %s', (text, address) => {
		expect(browseAddress(text)).toBe(address);
	});

	it('keeps no user and no token', () => {
		expect(browseAddress('https://me:secret@host.org/acme/shop.git')).toBe('https://host.org/acme/shop');
	});

	it.each(['/srv/git/shop.git', '../shop', 'file:///srv/shop', 'C:\\shop', 'git@work:acme/shop', ''])(
		'is nothing for %j',
		(text) => {
			expect(browseAddress(text)).toBeUndefined();
		},
	);
});
