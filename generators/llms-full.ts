import { type Artifact, generated } from './artifact.ts';
import { cardTree } from './card-tree.ts';
import type { RenderContext } from './context.ts';
import { LAYOUT } from './layout.ts';
import { blockquote, heading, inline, paragraph, writeBlocks } from './markdown.ts';
import { noticeParagraph } from './notice.ts';

/** `llms-full.txt`: every card in full, under its group and category, with links for reading elsewhere. */
export function llmsFull(context: RenderContext): Artifact {
	const { title, description } = context.library.registry.library;
	const about = inline(description);
	const text = writeBlocks(
		[
			heading(1, ...inline(title)),
			...(about.length > 0 ? [blockquote(paragraph(...about))] : []),
			noticeParagraph(context.origin),
			...context.sections.flatMap(({ group, categories }) => [
				heading(2, ...inline(group.title || group.id)),
				...categories.flatMap(({ category, patterns }) => [
					heading(3, ...inline(category.title || category.id)),
					...patterns.flatMap((record) => cardTree(record, context, 4)),
				]),
			]),
		],
		context.write,
	);
	return generated(LAYOUT.llmsFull, text);
}
