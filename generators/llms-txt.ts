import type { PhrasingContent, RootContent } from 'mdast';
import type { PatternRecord } from '../registry/schema.ts';
import { type Artifact, generated } from './artifact.ts';
import { type RenderContext, titleOf } from './context.ts';
import { LAYOUT } from './layout.ts';
import { blockquote, bulletList, heading, inline, link, oneLine, paragraph, text, writeBlocks } from './markdown.ts';
import { noticeParagraph } from './notice.ts';
import { categoryAnchors } from './section-index.ts';

/** Readers of llms.txt may cut it off at this many characters. */
export const LLMS_TXT_LIMIT = 50_000;

/** How much is told of each pattern; `said` tells the reader what is missing. Without `note`, patterns are not listed. */
interface Grain {
	said?: string;
	note?: (summary: string) => string;
}

/** From most to least. */
const GRAINS: readonly Grain[] = [
	{ note: (summary) => summary },
	{ note: firstSentence, said: 'To keep this file short, notes are the first sentence of a summary.' },
	{ note: (summary) => clip(summary, 80), said: 'To keep this file short, notes are cut.' },
	{ note: () => '', said: 'To keep this file short, patterns are named without notes; their pages have them.' },
	{ said: 'To keep this file short, only categories are listed; the index page names their patterns.' },
];

/**
 * `llms.txt`: one H1, a blockquote, a few words of guidance, then H2 sections that hold nothing but lists of
 * `[title](url): note`. Links lead to Markdown: the twins of the site, or the pages in the repository. It takes the richest grain that stays under the limit.
 */
export function llmsTxt(context: RenderContext): Artifact {
	for (const grain of GRAINS) {
		const candidate = writeBlocks(tree(context, sectionLists(context, grain), grain.said), context.write);
		if (candidate.length < LLMS_TXT_LIMIT) return generated(LAYOUT.llmsTxt, candidate);
	}
	// Hundreds of categories: the index page is all that is left to name.
	return generated(LAYOUT.llmsTxt, writeBlocks(tree(context, [], 'The index page lists all patterns.'), context.write));
}

function tree(context: RenderContext, lists: readonly RootContent[], said: string | undefined): RootContent[] {
	const { library, urls, origin } = context;
	const { title, description, url, repository } = library.registry.library;
	const about = inline(clip(description, 2_000) || 'A library of patterns: when to use each, and when not.');
	const entries: [string, string, string][] = [
		['All cards in one file', urls.served(LAYOUT.llmsFull), 'every card in full'],
		['Corpus', urls.served(LAYOUT.corpus), 'the cards and the docs that they cite in chunks, one JSON object a line'],
		['Frozen registry', urls.served(LAYOUT.frozen), 'the records as JSON'],
		...(repository === '' ? [] : [['Repository', repository, 'code, tests and docs'] as [string, string, string]]),
	];
	return [
		heading(1, ...inline(clip(title, 200))),
		blockquote(paragraph(...about)),
		noticeParagraph(origin),
		paragraph(
			text('Each link leads to a card in Markdown: when to use the pattern and when not, what to read, and the '),
			text(`invariants to keep when porting it.${said ? ` ${said}` : ''}`),
			...(url === '' && repository === '' ? [text(' Links are paths from the root of the repository.')] : []),
		),
		heading(2, text('Index')),
		bulletList([[...link(urls.indexTwin(), text('All patterns')), text(': by group and category')]]),
		...lists,
		heading(2, text('Optional')),
		bulletList(entries.map(([name, url, note]) => [...link(url, text(name)), text(`: ${note}`)])),
	];
}

function sectionLists(context: RenderContext, { note }: Grain): RootContent[] {
	const anchors = note ? undefined : categoryAnchors(context);
	return context.sections.flatMap(({ group, categories }) => {
		if (anchors) {
			const items = categories.map(({ category }) =>
				link(`${context.urls.indexTwin()}#${anchors.get(category.id) ?? ''}`, ...inline(category.title || category.id)),
			);
			return [heading(2, ...inline(group.title || group.id)), bulletList(items)];
		}
		// The group's name keeps a category called "Optional" from being taken for the section that readers may skip.
		return categories.flatMap(({ category, patterns }) => [
			heading(2, ...inline(`${group.title || group.id}: ${category.title || category.id}`)),
			bulletList(patterns.map((record) => item(record, context, note))),
		]);
	});
}

function item(
	record: PatternRecord,
	{ urls }: RenderContext,
	note: ((summary: string) => string) | undefined,
): PhrasingContent[] {
	const words = inline(
		[record.maturity === 'planned' ? 'Planned.' : '', note?.(oneLine(record.summary)) ?? ''].join(' '),
	);
	const colon = words.length > 0 ? [text(': ')] : [];
	return [...link(urls.pageTwin(record.id), ...inline(titleOf(record))), ...colon, ...words];
}

/** Up to the first full stop that ends a sentence: one that a space and no small letter follows, as after "e.g.". */
function firstSentence(summary: string): string {
	return /^.*?[.!?](?=\s+[^\p{Ll}\s]|$)|^.*?[。！？]/u.exec(summary)?.[0] ?? summary;
}

/** At most `length` characters, cut between words and marked. */
function clip(value: string, length: number): string {
	const line = oneLine(value);
	if (line.length <= length) return line;
	const cut = line.slice(0, length).replace(/\p{Surrogate}$/u, '');
	return `${cut.replace(/\s+\S*$/, '')}…`;
}
