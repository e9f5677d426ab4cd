import { createLibrary } from '../registry/library.ts';
import type { Registry } from '../registry/schema.ts';
import type { Artifact } from './artifact.ts';
import { buildCommand } from './build-command.ts';
import { createRenderContext } from './context.ts';
import { corpus } from './corpus.ts';
import { frozenRegistry } from './frozen.ts';
import { jsonSchema } from './json-schema.ts';
import { LAYOUT } from './layout.ts';
import { llmsFull } from './llms-full.ts';
import { llmsTxt } from './llms-txt.ts';
import { patternPage } from './pattern-page.ts';
import { readmeIndex } from './readme-index.ts';
import { MARKERS, replaceRegion } from './regions.ts';
import { searchIndex } from './search-index.ts';
import { sectionIndex } from './section-index.ts';
import { withoutHidden } from './visible.ts';

/** What the generated files are made from; nothing else goes into them. */
export interface PlanInput {
	/** The registry as the tolerant reader gives it. */
	registry: Registry;
	/** The authored file: its path from the root, with `/` between its parts, and its bytes. */
	source: { path: string; bytes: Uint8Array };
	/** Bytes of a hand-written file of the repository by its path from the root; undefined when there is none. */
	read: (path: string) => Uint8Array | undefined;
}

/**
 * All generated files of a library, in full, without touching the disk. The same input gives the same bytes.
 * @throws RegionError when the README lacks one ordered pair of markers
 * @throws PlanError when the README is missing or is no UTF-8, or a record would be written outside its place
 */
export function planArtifacts({ registry, source, read }: PlanInput): Artifact[] {
	const visible = withoutHidden(registry);
	const library = createLibrary(visible);
	const command = buildCommand(read);
	const context = createRenderContext(library, { source: source.path, command });
	const readme = readmeText(read(LAYOUT.readme));
	const readDoc = (path: string): string | undefined => {
		// What the build itself writes into the README must not feed the next build.
		if (path === LAYOUT.readme) return replaceRegion(path, readme, '');
		const bytes = read(path);
		return bytes && new TextDecoder().decode(bytes);
	};
	const frozen = frozenRegistry(visible, source, command);
	return checkPaths([
		jsonSchema(source.path, command),
		readmeIndex(readme, context),
		sectionIndex(context),
		...library.patterns.map((record) => patternPage(record, context)),
		llmsTxt(context),
		llmsFull(context),
		...corpus(context, readDoc),
		frozen,
		searchIndex(library.patterns, frozen, command),
	]);
}

/** Input from which no plan can be made; the message says what to do. */
export class PlanError extends Error {
	override readonly name = 'PlanError';
}

function readmeText(bytes: Uint8Array | undefined): string {
	if (!bytes) {
		throw new PlanError(
			`${LAYOUT.readme} is missing. Create it with these two lines where the index belongs:\n${MARKERS.begin}\n${MARKERS.end}`,
		);
	}
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new PlanError(`${LAYOUT.readme} is not UTF-8, so it cannot be rewritten without loss. Save it as UTF-8.`);
	}
}

/** No two files may share a path, also on a disk that folds case, and none may leave its folder. */
function checkPaths(artifacts: Artifact[]): Artifact[] {
	const taken = new Map<string, string>();
	for (const { path } of artifacts) {
		const folded = path.toLowerCase();
		const other = taken.get(folded);
		if (other !== undefined) {
			throw new PlanError(`${path} would be written twice (as ${other} too). Give one of the records another id.`);
		}
		if (path.startsWith(`${LAYOUT.pages}/`) && !/^[^/\\\0]+$/.test(path.slice(LAYOUT.pages.length + 1))) {
			throw new PlanError(`${path} is no place for a page. Give the record a kebab-case id.`);
		}
		taken.set(folded, path);
	}
	return artifacts;
}
