import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pageOfFile } from './doc-pages.ts';

/** Markdown files that have a page, by their paths from the repository's root. */
const shown = ['.', 'docs', 'docs/pattern-library', 'mcp', ...readdirSync('library').map((id) => `library/${id}`)]
	.flatMap((folder) => markdownIn(folder))
	.filter((path) => pageOfFile(path) !== undefined);

function markdownIn(folder: string): string[] {
	if (/\.ts$/.test(folder)) return [];
	return readdirSync(folder)
		.filter((name) => /\.mdx?$/.test(name))
		.map((name) => (folder === '.' ? name : `${folder}/${name}`));
}

it('finds the files that the site shows', () => {
	expect(shown).toEqual(expect.arrayContaining(['CONTRIBUTING.md', 'docs/design.md', 'library/bulkhead/README.md']));
});

// The site draws no diagrams, so the reader would get the source; a drawing in characters looks alike everywhere.
it.each(shown)('%s draws its diagrams in characters', (path) => {
	expect(readFileSync(path, 'utf8')).not.toMatch(
		/^[ \t>]*(?:`{3,}|~{3,})[ \t]*\{?\.?(?:mermaid|dot|graphviz|plantuml|d2)\b/im,
	);
});
