import { describe, expect, it } from 'vitest';
import { registry } from '../fixtures.ts';
import { checkAddresses } from './addresses.ts';
import { findings, fixes } from './testing.ts';

const given = (url: string, repository: string) => ({
	patterns: [],
	registry: { library: { ...registry([]).library, url, repository } },
});

describe('checkAddresses', () => {
	it('warns of each placeholder and says which address belongs there', () => {
		const both = given('https://example.org/shop', 'https://code.example.com');
		expect(findings(checkAddresses, both)).toEqual([
			'warning library.url: "https://example.org/shop" is a placeholder, and links are made of it.',
			'warning library.repository: "https://code.example.com" is a placeholder, and links are made of it.',
		]);
		expect(fixes(checkAddresses, both)).toEqual([
			'Put the real address: where the site is published; empty when there is none.',
			'Put the real address: where the code can be browsed; empty when that is nowhere.',
		]);
	});

	it.each([
		['https://code.dev/acme/shop/tree/master', 'master'],
		['https://code.dev/acme/shop/blob/trunk/README.md', 'trunk'],
		['https://code.dev/acme/shop/-/tree/dev/src', 'dev'],
	])('warns of %s, which is not the address of the repository as a whole', (repository, branch) => {
		const inside = given('', repository);
		expect(findings(checkAddresses, inside)).toEqual([
			`warning library.repository: "${repository}" leads into the repository, and links add their own branch and path.`,
		]);
		expect(fixes(checkAddresses, inside)).toEqual([
			`Write "https://code.dev/acme/shop", and the branch as "branch": "${branch}" when it is not main.`,
		]);
	});

	it('takes a repository that is called tree for what it is', () => {
		expect(findings(checkAddresses, given('', 'https://code.dev/acme/tree'))).toEqual([]);
	});

	it.each(['https://myexample.org', 'https://example.organic/x', 'https://shop.dev/example.org/'])(
		'takes %s for a real address',
		(url) => {
			expect(findings(checkAddresses, given(url, 'https://shop.dev/code'))).toEqual([]);
		},
	);
});
