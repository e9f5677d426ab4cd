import { posix } from 'node:path';

/** Where each surface lies in a library's repository; all paths are relative to its root. */
export const LAYOUT = {
	readme: 'README.md',
	/** Holds one page per record and the index; every file in it belongs to the generator. */
	pages: 'docs/pattern-library',
	llmsTxt: 'public/llms.txt',
	llmsFull: 'public/llms-full.txt',
	corpus: 'public/corpus.jsonl',
	corpusManifest: 'public/corpus.manifest.json',
	frozen: 'public/registry.json',
	searchIndex: 'public/search-index.json',
} as const;

/** The page of a record. */
export function pagePath(id: string): string {
	return `${LAYOUT.pages}/${id}.md`;
}

/** The JSON Schema stands beside the registry, so that a relative `$schema` in it is short. */
export function schemaPath(registryPath: string): string {
	return posix.join(posix.dirname(registryPath), `${posix.basename(registryPath, '.json')}.schema.json`);
}

/** The name under which the site serves a file of `public/`. */
export function servedName(path: string): string {
	return path.replace(/^public\//, '');
}
