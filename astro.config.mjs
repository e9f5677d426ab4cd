import mdx from '@astrojs/mdx';
import sitemap from '@astrojs/sitemap';
import { defineConfig } from 'astro/config';
import { siteAddress } from './site/build/address.ts';
import { findPlaces, libraryUrl } from './site/build/places.ts';

const { V10R_SITE_OUT, V10R_SITE_CACHE, SITE_URL } = process.env;
const places = findPlaces(import.meta.url, process.env);
const { site, base } = siteAddress(libraryUrl(places.registry), SITE_URL);

export default defineConfig({
	srcDir: './site',
	publicDir: `${places.root}/public`,
	outDir: V10R_SITE_OUT || './dist/site',
	cacheDir: V10R_SITE_CACHE || './node_modules/.astro',
	site,
	base,
	output: 'static',
	trailingSlash: 'always',
	build: { format: 'directory', assets: 'assets' },
	compressHTML: true,
	prefetch: false,
	devToolbar: { enabled: false },
	integrations: [mdx(), sitemap()],
	vite: {
		define: {
			'import.meta.env.V10R_ROOT': JSON.stringify(places.root),
			'import.meta.env.V10R_REGISTRY': JSON.stringify(places.registry),
		},
	},
});
