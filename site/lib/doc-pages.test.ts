import { expect, it } from 'vitest';
import { pageOfFile } from './doc-pages.ts';

it.each([
	['docs/design.md', '/docs/design/'],
	['docs/tour.mdx', '/docs/tour/'],
	['docs/pattern-library/retry.md', '/docs/pattern-library/retry/'],
	['docs/pattern-library/index.md', '/docs/pattern-library/'],
	['docs/pattern-library', '/docs/pattern-library/'],
	['library/retry', '/docs/library/retry/'],
	['library/retry/README.md', '/docs/library/retry/'],
	['mcp/README.md', '/docs/mcp/'],
	['CONTRIBUTING.md', '/docs/contributing/'],
])('%s is shown at %s', (file, page) => {
	expect(pageOfFile(file)).toBe(page);
});

it.each(['README.md', 'library/scenario.ts', 'library/retry/retry.ts', 'docs/images/a.md', 'docs/index.md'])(
	'%s has no page',
	(file) => {
		expect(pageOfFile(file)).toBeUndefined();
	},
);
