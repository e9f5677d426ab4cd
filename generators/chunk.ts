import GithubSlugger, { slug } from 'github-slugger';
import type { Heading, Root, RootContent } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';
import { cutBlock, packBlocks } from './chunk-pack.ts';
import { type BlockWriter, oneLine, parseMarkdown } from './markdown.ts';

/** A piece of a document that a retriever can return by itself. */
export interface Chunk {
	/**
	 * Names the chunk within its document: the slugs of its headings below the title, `~2` on the second of two siblings
	 * that read the same, `.2` on the second piece of a section. Empty for what stands before the first section. Edits in
	 * other sections leave it as it is.
	 */
	key: string;
	/** The anchor that GitHub gives the heading; empty for what stands before the first section. */
	fragment: string;
	/** Headings above the text, outermost first, without the document's title. */
	headingPath: string[];
	/** Markdown, with its heading line in a section's first piece. */
	text: string;
}

export interface ChunkedDocument {
	/** Text of the first level-1 heading. */
	title: string | undefined;
	chunks: Chunk[];
}

/** Length above which a section is cut, in UTF-16 units: some 500 tokens of English. */
export const MAX_CHUNK_LENGTH = 2_000;

interface Section {
	key: string;
	fragment: string;
	path: string[];
	depth: number;
	blocks: RootContent[];
}

/**
 * Cuts a Markdown document by its headings, and long sections between blocks (see `packBlocks`). Only real headings
 * count: one inside code is text. Every block of the document is in exactly one chunk, in order; front matter and
 * comments are in none. A heading without text of its own goes with the first section below it.
 */
export function chunkMarkdown(markdown: string, maxLength = MAX_CHUNK_LENGTH): ChunkedDocument {
	const source = markdown.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
	return chunkTree(parseMarkdown(source), (block, room) => cutBlock(source, block, room), maxLength);
}

/**
 * As `chunkMarkdown`, of a document that was made as a tree: its blocks are written instead of parsed, which is quicker.
 */
export function chunkBlocks(
	children: RootContent[],
	write: BlockWriter,
	maxLength = MAX_CHUNK_LENGTH,
): ChunkedDocument {
	const cut = (block: RootContent, room: number) => {
		const text = write(block);
		if (text.length <= room) return [text];
		return parseMarkdown(text).children.flatMap((parsed) => cutBlock(text, parsed, room));
	};
	return chunkTree({ type: 'root', children }, cut, maxLength);
}

function chunkTree(
	tree: Root,
	cut: (block: RootContent, maxLength: number) => string[],
	maxLength: number,
): ChunkedDocument {
	const { title, sections } = cutByHeadings(tree);
	const chunks = joinBareHeadings(sections).flatMap(({ key, fragment, path, blocks }) =>
		packBlocks(blocks, cut, maxLength).map((text, index) => ({
			key: index === 0 ? key : `${key}.${index + 1}`,
			fragment,
			headingPath: path,
			text,
		})),
	);
	return { title, chunks };
}

function cutByHeadings(tree: Root): { title: string | undefined; sections: Section[] } {
	const anchors = anchorsOf(tree);
	const preamble: Section = { key: '', fragment: '', path: [], depth: 0, blocks: [] };
	const sections = [preamble];
	const siblings = new Map<string, number>();
	let open: Section[] = [];
	let title: string | undefined;
	for (const node of tree.children) {
		if (node.type === 'heading') {
			const words = oneLine(textOf(node));
			if (node.depth === 1 && title === undefined) {
				title = words;
				// The title opens no section: renaming it must not rename every chunk.
				if (sections.length === 1) {
					preamble.blocks.push(node);
					continue;
				}
			}
			open = open.filter(({ depth }) => depth < node.depth);
			const above = open.at(-1);
			const name = [...(above ? [above.key] : []), slug(words) || '_'].join('/');
			const count = (siblings.get(name) ?? 0) + 1;
			siblings.set(name, count);
			const section = {
				key: count === 1 ? name : `${name}~${count}`,
				fragment: anchors.get(node) ?? '',
				path: [...(above?.path ?? []), words],
				depth: node.depth,
				blocks: [node],
			};
			sections.push(section);
			open.push(section);
		} else if (!isComment(node)) {
			sections.at(-1)?.blocks.push(node);
		}
	}
	return { title, sections: sections.filter(({ blocks }) => blocks.length > 0) };
}

/** GitHub numbers anchors over all headings of a document, those in lists and quotes too. */
function anchorsOf(tree: Root): Map<Heading, string> {
	const slugger = new GithubSlugger();
	const anchors = new Map<Heading, string>();
	visit(tree, 'heading', (node) => {
		anchors.set(node, slugger.slug(textOf(node, { includeImageAlt: false, includeHtml: false })));
	});
	return anchors;
}

/** Gives the heading of a section that has nothing else to the section below it. */
function joinBareHeadings(sections: readonly Section[]): Section[] {
	const joined: Section[] = [];
	let carried: RootContent[] = [];
	for (const [index, section] of sections.entries()) {
		const blocks = [...carried, ...section.blocks];
		const next = sections[index + 1];
		const bare = section.blocks.every(({ type }) => type === 'heading');
		carried = bare && next && next.depth > section.depth ? blocks : [];
		if (carried.length === 0) joined.push({ ...section, blocks });
	}
	return joined;
}

function isComment(node: RootContent): boolean {
	return node.type === 'html' && /^(?:\s*<!--.*?-->)+\s*$/s.test(node.value);
}
