import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { readRegistry, visiblePatterns } from '../lib/catalog.ts';

/**
 * Leaves in the output what belongs there: Astro forgets modules of its content layer in it, and the search needs the
 * registry that the pages were built from.
 * @param registry the registry file of this build
 * @param named whether it was named for this build, so that the repository's frozen one may be another
 */
export function tidyOutput(registry: string, named: boolean): AstroIntegration {
	return {
		name: 'tidy-output',
		hooks: {
			'astro:build:done': async ({ dir }) => {
				const site = fileURLToPath(dir);
				const left = (await readdir(site)).filter((name) => /^content-\w+\.mjs$/.test(name));
				await Promise.all(left.map((name) => rm(join(site, name))));
				const frozen = join(site, 'registry.json');
				if (!named && existsSync(frozen)) return;
				const read = readRegistry(JSON.parse(readFileSync(registry, 'utf8')));
				await writeFile(frozen, `${JSON.stringify({ ...read, patterns: visiblePatterns(read) })}\n`);
			},
		},
	};
}
