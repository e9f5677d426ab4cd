import type {
	BlockContent,
	Heading,
	Html,
	InlineCode,
	Link,
	List,
	ListItem,
	Paragraph,
	PhrasingContent,
	Root,
	RootContent,
	Table,
	Text,
} from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { blankFrontMatter } from '../registry/front-matter.ts';

/**
 * Markdown is made here as trees and only then as text, so that whatever an author writes into a card (pipes, angle
 * brackets, backticks, line ends) is escaped by the serialiser for the place where it stands.
 */

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

// Table cells are not padded: with padding, one long title would rewrite every row, in the diff and in a merge.
const serialiser = unified()
	.use(remarkGfm, { tablePipeAlign: false })
	.use(remarkStringify, { bullet: '-', rule: '-', emphasis: '_', fences: true, listItemIndent: 'one' })
	.freeze();

/**
 * Parses GitHub-flavoured Markdown. Front matter is no part of the tree, but counts in its positions. `source` must not
 * begin with a byte order mark.
 */
export function parseMarkdown(source: string): Root {
	return parser.parse(blankFrontMatter(source));
}

/** Markdown text of a tree, ending in one line feed. */
export function stringifyMarkdown(children: RootContent[]): string {
	return serialiser.stringify({ type: 'root', children });
}

/** Text of one block of a page, without a line feed at its end. */
export type BlockWriter = (block: RootContent) => string;

/**
 * Serialises blocks one by one and remembers them: most blocks of a card stand word for word in its page, its twin,
 * llms-full.txt and the corpus, and escaping them is what takes the time.
 */
export function createBlockWriter(): BlockWriter {
	const written = new Map<string, string>();
	return (block) => {
		const key = JSON.stringify(block);
		const known = written.get(key);
		if (known !== undefined) return known;
		const text = stringifyMarkdown([block]).replace(/\n$/, '');
		written.set(key, text);
		return text;
	};
}

/** A page from its blocks, as `stringifyMarkdown` writes it as long as no two lists stand next to each other. */
export function writeBlocks(blocks: readonly RootContent[], write: BlockWriter): string {
	return `${blocks.map(write).join('\n\n')}\n`;
}

/** White space that ends lines anywhere, in Markdown, YAML or JSON readers, becomes a space; no-break spaces stay. */
export function oneLine(value: string): string {
	return value.replace(/[\t\n\v\f\r \u0085\u2028\u2029]+/g, ' ').trim();
}

/**
 * The text of a card as inline nodes: pairs of backticks are code, as their authors mean them; everything else is plain
 * text on one line, never markup.
 */
export function inline(value: string): PhrasingContent[] {
	const line = oneLine(value);
	const nodes: PhrasingContent[] = [];
	let from = 0;
	for (const match of line.matchAll(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g)) {
		const code = /^ .*[^ ].* $/.test(match[2] ?? '') ? match[2]?.slice(1, -1) : match[2];
		if (!code?.trim()) continue;
		if (match.index > from) nodes.push(text(line.slice(from, match.index)));
		nodes.push(inlineCode(code));
		from = match.index + match[0].length;
	}
	if (from < line.length) nodes.push(text(line.slice(from)));
	return nodes;
}

export function text(value: string): Text {
	return { type: 'text', value };
}

export function inlineCode(value: string): InlineCode {
	return { type: 'inlineCode', value };
}

export function html(value: string): Html {
	return { type: 'html', value };
}

export function strong(...children: PhrasingContent[]): PhrasingContent {
	return { type: 'strong', children };
}

/** A link, or its text alone when there is nowhere to link to. */
export function link(url: string | undefined, ...children: PhrasingContent[]): PhrasingContent[] {
	const node: Link = { type: 'link', url: url ?? '', children };
	return url === undefined ? children : [node];
}

export function paragraph(...children: PhrasingContent[]): Paragraph {
	return { type: 'paragraph', children };
}

export function blockquote(...children: BlockContent[]): RootContent {
	return { type: 'blockquote', children };
}

/** A heading; Markdown has no level below 6. */
export function heading(depth: number, ...children: PhrasingContent[]): Heading {
	return { type: 'heading', depth: Math.min(Math.max(depth, 1), 6) as Heading['depth'], children };
}

/** A tight bullet list with one line an item. */
export function bulletList(items: readonly PhrasingContent[][]): List {
	const children = items.map((item): ListItem => ({ type: 'listItem', spread: false, children: [paragraph(...item)] }));
	return { type: 'list', ordered: false, spread: false, children };
}

/** A table; the first row is its header. */
export function table(rows: readonly PhrasingContent[][][]): Table {
	return {
		type: 'table',
		align: (rows[0] ?? []).map(() => null),
		children: rows.map((cells) => ({
			type: 'tableRow',
			children: cells.map((children) => ({ type: 'tableCell', children })),
		})),
	};
}
