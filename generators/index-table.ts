import type { RootContent } from 'mdast';
import { type RenderContext, titleOf } from './context.ts';
import { heading, inline, link, table, text } from './markdown.ts';

/**
 * The index of all patterns: a heading of level `depth` for each group, one below it for each category, and a table of
 * its patterns. It holds no counts, so that two branches that each add a record merge into the right index.
 */
export function indexTree(context: RenderContext, depth: number): RootContent[] {
	return context.sections.flatMap(({ group, categories }) => [
		heading(depth, ...inline(group.title || group.id)),
		...categories.flatMap(({ category, patterns }) => [
			heading(depth + 1, ...inline(category.title || category.id)),
			table([
				['Pattern', 'Summary', 'Not when', 'Maturity'].map((title) => [text(title)]),
				...patterns.map((record) => [
					link(context.links.pattern(record.id), ...inline(titleOf(record))),
					inline(record.summary),
					inline(record.avoid_when[0] ?? ''),
					[text(record.maturity)],
				]),
			]),
		]),
	]);
}
