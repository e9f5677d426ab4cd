import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { visiblePatterns } from '../../registry/order.ts';
import { readRegistry } from '../../registry/read.ts';
import type { PatternRecord, Registry } from '../../registry/schema.ts';

/** The registry that the site is built from, and the patterns that readers see, in the order of every surface. */
export function loadRegistry(): { registry: Registry; patterns: PatternRecord[] } {
	const [authored, frozen] = ['registry/registry.json', 'public/registry.json'].map((path) =>
		fileURLToPath(new URL(`../../${path}`, import.meta.url)),
	);
	const file = authored !== undefined && existsSync(authored) ? authored : (frozen ?? '');
	const registry = readRegistry(JSON.parse(readFileSync(file, 'utf8')));
	return { registry, patterns: visiblePatterns(registry) };
}
