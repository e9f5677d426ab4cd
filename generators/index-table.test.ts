import { toString as textOf } from 'mdast-util-to-string';
import { describe, expect, it } from 'vitest';
import { createLibrary } from '../registry/library.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { createRenderContext } from './context.ts';
import { FIXTURE_README, fixtureRegistry } from './fixture.ts';
import { parseMarkdown } from './markdown.ts';
import { readmeIndex } from './readme-index.ts';
import { categoryAnchors, indexMarkdown, sectionIndex } from './section-index.ts';

function contextOf(records: Partial<PatternRecord>[]) {
	return createRenderContext(createLibrary(fixtureRegistry(records)));
}

const RECORDS = [
	{ id: 'late', category: 'data' },
	{ id: 'a', avoid_when: ['Never on Mondays.', 'Not shown.'] },
	{ id: 'b', category: 'load', maturity: 'planned' as const },
	{ id: 'c' },
];

describe('index in the README', () => {
	it('has a table for each category, in the order of groups, categories and file, with links from the root', () => {
		expect(readmeIndex(FIXTURE_README, contextOf(RECORDS)).text).toBe(`# Demo

Before.

<!-- v10r-patterns:begin -->

<!-- Generated from registry/registry.json by npm run patterns:build; edits here are lost. -->

### Resilience

#### Calls

| Pattern | Summary | Not when | Maturity |
| - | - | - | - |
| [Title of a](docs/pattern-library/a.md) | Summary of a. | Never on Mondays. | implemented |
| [Title of c](docs/pattern-library/c.md) | Summary of c. | | implemented |

#### Load

| Pattern | Summary | Not when | Maturity |
| - | - | - | - |
| [Title of b](docs/pattern-library/b.md) | Summary of b. | | planned |

### Storage

#### Data

| Pattern | Summary | Not when | Maturity |
| - | - | - | - |
| [Title of late](docs/pattern-library/late.md) | Summary of late. | | implemented |

<!-- v10r-patterns:end -->

After.
`);
	});

	it.each([
		'a|b||c',
		'`a|b`',
		'Map<T>',
		'<script>alert(1)</script>',
		'x --> y',
		'<!-- v10r-patterns:end -->',
		'one\ntwo\n\nthree',
		'*a* _b_',
		'[x](y)',
		'a\\',
	])('keeps its four columns and leaks no HTML when every text is %j', (hostile) => {
		const context = contextOf([{ id: 'a', title: hostile, summary: hostile, avoid_when: [hostile] }, { id: 'b' }]);
		const made = readmeIndex(FIXTURE_README, context);
		const tree = parseMarkdown(made.text);
		const [table, ...others] = tree.children.filter((node) => node.type === 'table');
		expect(others).toEqual([]);
		expect(table?.children.map(({ children }) => children.length)).toEqual([4, 4, 4]);
		const shown = hostile.replace(/\s+/g, ' ').replaceAll('`', '');
		expect(table?.children[1]?.children.slice(0, 3).map((cell) => textOf(cell))).toEqual([shown, shown, shown]);
		expect(tree.children.filter(({ type }) => type === 'html').length).toBe(3);
		expect(readmeIndex(made.text, context).text).toBe(made.text);
	});
});

describe('index page', () => {
	it('lists the same tables with links beside it', () => {
		const { path, text } = sectionIndex(contextOf(RECORDS));
		expect(path).toBe('docs/pattern-library/index.md');
		expect(text).toContain('\n# Demo patterns\n\nPatterns for tests.\n\n## Resilience\n\n### Calls\n');
		expect(text).toContain('| [Title of a](a.md) | Summary of a. |');
		expect(text).toContain('generated: "npm run patterns:build"');
	});

	it('has a twin with absolute links', () => {
		expect(indexMarkdown(contextOf(RECORDS))).toContain(
			'| [Title of a](https://example.org/base/docs/pattern-library/a/index.html.md) |',
		);
	});

	it('says which anchors its categories have', () => {
		expect(Object.fromEntries(categoryAnchors(contextOf(RECORDS)))).toEqual({
			calls: 'calls',
			load: 'load',
			data: 'data',
		});
		const registry = fixtureRegistry([{ id: 'a' }, { id: 'b', category: 'data' }]);
		for (const category of registry.categories) category.title = 'Storage';
		const anchors = categoryAnchors(createRenderContext(createLibrary(registry)));
		expect(Object.fromEntries(anchors)).toEqual({ calls: 'storage', data: 'storage-2' });
	});
});
