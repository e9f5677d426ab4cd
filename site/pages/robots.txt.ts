import type { APIRoute } from 'astro';
import { absoluteHref } from '../lib/links.ts';

/** Everyone may read everything; the map of the site is named. */
export const GET: APIRoute = () =>
	new Response(`User-agent: *\nAllow: /\n\nSitemap: ${absoluteHref('/sitemap-index.xml')}\n`);
