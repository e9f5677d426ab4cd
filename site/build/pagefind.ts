import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { close, createIndex } from 'pagefind';

/** Builds the full-text index over the finished pages, into `pagefind/` beside them. Main content only is indexed. */
export function fullTextIndex(): AstroIntegration {
	return {
		name: 'full-text-index',
		hooks: {
			'astro:build:done': async ({ dir, logger }) => {
				const site = fileURLToPath(dir);
				// Technical words keep the characters that make them: c++, c#, n+1.
				const { index, errors } = await createIndex({ includeCharacters: '+#', forceLanguage: 'en' });
				if (!index) throw new Error(`Pagefind did not start: ${errors.join('; ')}`);
				try {
					const added = await index.addDirectory({ path: site });
					const written = await index.writeFiles({ outputPath: join(site, 'pagefind') });
					const problems = [...added.errors, ...written.errors];
					if (problems.length > 0) throw new Error(`Pagefind: ${problems.join('; ')}`);
					logger.info(`${added.page_count} pages indexed`);
				} finally {
					await close();
				}
			},
		},
	};
}
