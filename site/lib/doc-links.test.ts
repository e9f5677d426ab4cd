import { describe, expect, it } from 'vitest';
import { docLink, type LinkTargets } from './doc-links.ts';

const files = new Set(['library/a/a.ts', 'library/a/README.md', 'docs/design.md', 'public/llms.txt', 'LICENSE']);
const targets: LinkTargets = {
	page: (path) => `/base${path}`,
	kind: (path) =>
		files.has(path) ? 'file' : [...files].some((file) => file.startsWith(`${path}/`)) ? 'dir' : undefined,
	repository: (path, kind) => `https://code.example/${kind === 'dir' ? 'tree' : 'blob'}/main/${path}`,
	hasPage: (path) => ['/docs/design/', '/docs/library/a/', '/docs/pattern-library/'].includes(path),
};

describe('links of a document that became a page', () => {
	it.each([
		['../../docs/design.md', '/base/docs/design/'],
		['../../docs/design.md#a-heading', '/base/docs/design/#a-heading'],
		['README.md', '/base/docs/library/a/'],
		['.', '/base/docs/library/a/'],
		['../../docs/pattern-library/', '/base/docs/pattern-library/'],
		['a.ts', 'https://code.example/blob/main/library/a/a.ts'],
		['a.ts#L3', 'https://code.example/blob/main/library/a/a.ts#L3'],
		['../', 'https://code.example/tree/main/library'],
		['../../public/llms.txt', '/base/llms.txt'],
		['/showcases/a/?pattern=false', '/base/showcases/a/?pattern=false'],
	])('%s leads to %s', (written, to) => {
		expect(docLink(written, 'library/a/README.md', targets)).toBe(to);
	});

	it.each(['#here', 'https://example.org/x', 'mailto:a@example.org', '//host/x', '../../../outside.md', ''])(
		'%s stays as it is',
		(written) => {
			expect(docLink(written, 'library/a/README.md', targets)).toBe(written);
		},
	);

	it('leads to the repository where a document has no page', () => {
		expect(docLink('../docs/other.md', 'library/README.md', targets)).toBe(
			'https://code.example/blob/main/docs/other.md',
		);
	});
});
