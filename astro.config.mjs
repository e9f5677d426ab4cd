import { rehypeHeadingIds } from '@astrojs/markdown-remark';
import mdx from '@astrojs/mdx';
import sitemap from '@astrojs/sitemap';
import { defineConfig } from 'astro/config';
import { siteAddress } from './site/build/address.ts';
import { codeClasses } from './site/build/code-classes.ts';
import { fullTextIndex } from './site/build/pagefind.ts';
import { findPlaces, readLibrary } from './site/build/places.ts';
import { purePackages } from './site/build/pure-packages.ts';
import { rehypeHeadingLinks } from './site/build/rehype-heading-links.ts';
import { remarkLinks } from './site/build/remark-links.ts';
import { shareImages } from './site/build/share-images.ts';
import { tidyOutput } from './site/build/tidy-output.ts';

const { V10R_REGISTRY, V10R_SITE_OUT, V10R_SITE_CACHE, SITE_URL } = process.env;
const places = findPlaces(import.meta.url, process.env);
const library = readLibrary(places.registry);
const { site, base } = siteAddress(library.url, SITE_URL);

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
	integrations: [
		mdx(),
		sitemap(),
		tidyOutput(places.registry, Boolean(V10R_REGISTRY)),
		fullTextIndex(),
		shareImages(base),
	],
	markdown: {
		remarkPlugins: [
			[
				remarkLinks,
				{ root: places.root, base, repository: library.repository, branch: library.branch, ids: library.ids },
			],
		],
		rehypePlugins: [rehypeHeadingIds, rehypeHeadingLinks],
		shikiConfig: { theme: 'css-variables', transformers: [codeClasses] },
	},
	vite: {
		plugins: [purePackages(['@babel/parser'])],
		define: {
			'import.meta.env.V10R_ROOT': JSON.stringify(places.root),
			'import.meta.env.V10R_REGISTRY': JSON.stringify(places.registry),
			// Names of their own: a BASE_URL or SITE in the environment would stand in for Astro's.
			'import.meta.env.V10R_SITE': JSON.stringify(site),
			'import.meta.env.V10R_BASE': JSON.stringify(base),
		},
	},
});
