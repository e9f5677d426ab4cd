import { readRegistry } from '../registry/read.ts';
import type { PatternRecord, Registry } from '../registry/schema.ts';
import { MARKERS } from './regions.ts';

/** A small registry for tests: two groups, three categories, and the records given. */
export function fixtureRegistry(
	records: readonly Partial<PatternRecord>[],
	library: Partial<Registry['library']> = {},
): Registry {
	return readRegistry({
		version: '1.0.0',
		library: {
			name: 'demo',
			title: 'Demo patterns',
			description: 'Patterns for tests.',
			url: 'https://example.org/base',
			repository: 'https://git.example.org/demo',
			...library,
		},
		groups: [
			{ id: 'resilience', title: 'Resilience' },
			{ id: 'storage', title: 'Storage' },
		],
		categories: [
			{ id: 'calls', title: 'Calls', group: 'resilience' },
			{ id: 'load', title: 'Load', group: 'resilience' },
			{ id: 'data', title: 'Data', group: 'storage' },
		],
		requirements: [
			{ id: 'postgres', title: 'PostgreSQL 14 or newer' },
			{ id: 'redis', title: 'Redis' },
		],
		patterns: records.map((record) => ({
			tier: 'light',
			title: `Title of ${record.id}`,
			category: 'calls',
			summary: `Summary of ${record.id}.`,
			when_to_use: `When ${record.id} helps.`,
			maturity: 'implemented',
			...record,
		})),
	});
}

/** The authored bytes of a registry, as JSON of one member a line. */
export function fixtureSource(registry: Registry): { path: string; bytes: Uint8Array } {
	return { path: 'registry/registry.json', bytes: new TextEncoder().encode(JSON.stringify(registry, null, 2)) };
}

/** A README with the pair of markers. */
export const FIXTURE_README = `# Demo\n\nBefore.\n\n${MARKERS.begin}\n${MARKERS.end}\n\nAfter.\n`;

/** A `read` port over files given as text. */
export function fixtureFiles(files: Readonly<Record<string, string>> = {}): (path: string) => Uint8Array | undefined {
	const all = new Map(Object.entries({ 'README.md': FIXTURE_README, ...files }));
	return (path) => {
		const text = all.get(path);
		return text === undefined ? undefined : new TextEncoder().encode(text);
	};
}
