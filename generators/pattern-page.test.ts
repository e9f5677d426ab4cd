import matter from 'gray-matter';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';
import { describe, expect, it } from 'vitest';
import { createLibrary } from '../registry/library.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { createRenderContext } from './context.ts';
import { fixtureRegistry } from './fixture.ts';
import { parseMarkdown } from './markdown.ts';
import { isGeneratedPage, patternMarkdown, patternPage } from './pattern-page.ts';

const FULL: Partial<PatternRecord> = {
	id: 'retry',
	tier: 'deep',
	title: 'Retry',
	summary: 'Tries again.',
	when_to_use: 'A call fails now and then.',
	asks: ['how do I try again'],
	avoid_when: ['The call is not idempotent.', 'Nobody waits.'],
	alternatives: [{ approach: 'A queue', prefer_when: 'nobody waits for the answer' }],
	requires: ['redis'],
	capabilities: ['second chances'],
	keywords: ['backoff', 'jitter'],
	depends_on: ['deadline'],
	docs: [{ path: 'docs/retry.md#why', kind: 'anchor', note: 'The reasons' }],
	code: [{ path: 'src/retry', kind: 'dir', note: 'All of it' }],
	tests: [{ path: 'src/retry.test.ts' }],
	showcases: [{ path: '/showcases/retry/', kind: 'route' }],
	invariants: [
		{ rule: 'Never sleeps past the deadline.', pinned_by: 'src/retry.test.ts#retry > stops in time' },
		'Abort ends a sleep.',
	],
	emulation_notes: ['People forget the jitter.'],
	risk: 'medium — amplification',
	maturity: 'proven',
	verifiedAt: '2026-01-02',
	verifiedSha: 'abcdef1',
};

function contextOf(records: Partial<PatternRecord>[], library = {}) {
	return createRenderContext(createLibrary(fixtureRegistry(records, library)));
}

const RECORDS = [
	FULL,
	{ id: 'deadline', title: 'Deadline', requires: ['postgres'] },
	{ id: 'hedge', title: 'Hedge', depends_on: ['retry', 'gone'] },
];

function page(id: string, records: Partial<PatternRecord>[] = RECORDS) {
	const context = contextOf(records);
	const record = context.library.byId.get(id);
	if (!record) throw new Error(id);
	return { context, record, artifact: patternPage(record, context) };
}

describe('page of a pattern', () => {
	it('carries the whole card', () => {
		expect(page('retry').artifact).toEqual({
			path: 'docs/pattern-library/retry.md',
			owner: 'generator',
			text: `---
title: "Retry"
description: "Tries again."
id: "retry"
tier: "deep"
category: "calls"
maturity: "proven"
generated: "npm run patterns:build"
---
<!-- Generated from registry/registry.json by npm run patterns:build; edits here are lost. -->

# Retry

Tries again.

- **Id:** \`retry\`
- **Tier:** deep
- **Category:** Calls (Resilience)
- **Maturity:** proven, verified on 2026-01-02 at abcdef1
- **Risk:** medium — amplification

## When to use it

A call fails now and then.

## When not to use it

- The call is not idempotent.
- Nobody waits.

## Alternatives

- **A queue**: nobody waits for the answer

## What the target must run

- Redis (\`redis\`)
- PostgreSQL 14 or newer (\`postgres\`), through [Deadline](deadline.md)

## Invariants

- Never sleeps past the deadline. Pinned by [\`src/retry.test.ts\`](../../src/retry.test.ts), \`retry > stops in time\`
- Abort ends a sleep.

## Read first

- [\`docs/retry.md#why\`](../retry.md#why): The reasons

## Code

- [\`src/retry\`](../../src/retry): All of it

## Tests

- [\`src/retry.test.ts\`](../../src/retry.test.ts)

## Showcases

- [\`/showcases/retry/\`](https://example.org/base/showcases/retry/)

## Builds on

- [Deadline](deadline.md)

## Built on by

- [Hedge](hedge.md)

## Notes for porting

- People forget the jitter.

## Asked for as

- how do I try again

## Gives

- second chances

## Keywords

backoff · jitter
`,
		});
	});

	it('leaves out sections without content and dependencies that nobody sees', () => {
		const { artifact } = page('hedge');
		const headings = artifact.text.split('\n').filter((line) => line.startsWith('##'));
		expect(headings).toEqual(['## When to use it', '## What the target must run', '## Builds on']);
		expect(artifact.text).toMatch(/## Builds on\n\n- \[Retry\]\(retry\.md\)\n$/);
	});

	it('has a twin for readers elsewhere, with absolute links and without front matter', () => {
		const { context, record } = page('retry');
		const twin = patternMarkdown(record, context);
		expect(twin.startsWith('# Retry\n')).toBe(true);
		const urls: string[] = [];
		visit(parseMarkdown(twin), 'link', (node) => {
			urls.push(node.url);
		});
		expect(urls).toEqual([
			'https://example.org/base/docs/pattern-library/deadline/index.html.md',
			'https://git.example.org/demo/blob/main/src/retry.test.ts',
			'https://git.example.org/demo/blob/main/docs/retry.md#why',
			'https://git.example.org/demo/tree/main/src/retry',
			'https://git.example.org/demo/blob/main/src/retry.test.ts',
			'https://example.org/base/showcases/retry/',
			'https://example.org/base/docs/pattern-library/deadline/index.html.md',
			'https://example.org/base/docs/pattern-library/hedge/index.html.md',
		]);
	});

	it('names paths without links when the library names neither a site nor a repository', () => {
		const context = contextOf([FULL], { url: '', repository: '' });
		const [record] = context.library.patterns;
		if (!record) throw new Error('no record');
		expect(patternMarkdown(record, context)).toContain('- `src/retry`: All of it');
		expect(patternPage(record, context).text).toContain('- `/showcases/retry/`');
	});

	it.each(['say "yes": # no', '- x', '# y', 'yes', '1e3', 'a | `b` <T> --> [x](y) *z*', 'two\nlines'])(
		'reads the title %j back from its front matter, and shows it in its heading',
		(title) => {
			const { artifact } = page('a', [{ id: 'a', title }]);
			const { data, content } = matter(artifact.text, {});
			expect(data.title).toBe(title);
			const [heading] = parseMarkdown(content).children.filter(({ type }) => type === 'heading');
			expect(textOf(heading)).toBe(title.replace('\n', ' ').replaceAll('`', ''));
		},
	);

	it.each([
		'a &lt; b',
		'<Tabs>',
		'{x}',
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is data
		'${y}',
		'import x from "y"',
	])('shows the summary %j as it was written', (summary) => {
		const { artifact } = page('a', [{ id: 'a', summary }]);
		const tree = parseMarkdown(artifact.text);
		expect(textOf(tree.children.find(({ type }) => type === 'paragraph'))).toBe(summary);
		expect(tree.children.filter(({ type }) => type === 'html').length).toBe(1);
	});
});

describe('a page is the work of an earlier build', () => {
	const { artifact } = page('retry');

	it('when its front matter says so under the name of its id', () => {
		expect(isGeneratedPage(artifact.path, artifact.text)).toBe(true);
		expect(isGeneratedPage(artifact.path, artifact.text.replaceAll('\n', '\r\n'))).toBe(true);
	});

	it('but not when it is a copy, or without the front matter', () => {
		expect(isGeneratedPage('docs/pattern-library/draft.md', artifact.text)).toBe(false);
		expect(isGeneratedPage(artifact.path, artifact.text.replace(/^generated:.*\n/m, ''))).toBe(false);
		expect(isGeneratedPage(artifact.path, '# Retry\n')).toBe(false);
	});
});
