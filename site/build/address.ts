/** Where a site is published: its origin, and the path below which all of it lies (`/` or `/name`). */
export interface Address {
	site: string;
	base: string;
}

/**
 * Splits the address at which a library is published. `SITE_URL` from the environment wins over the registry's own
 * `library.url`; a path in it becomes the base of every link.
 * @throws Error when it is no absolute http(s) URL
 */
export function siteAddress(libraryUrl: string, override: string | undefined): Address {
	const given = override || libraryUrl || 'http://localhost:4321';
	if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
		throw new Error(
			`The site's address is ${JSON.stringify(given)}, expected one such as https://example.org/name. Set SITE_URL, or library.url in the registry.`,
		);
	}
	const { origin, pathname } = new URL(given);
	return { site: origin, base: pathname.replace(/\/+$/, '') || '/' };
}
