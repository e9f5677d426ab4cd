import { posix } from 'node:path';
import type { PatternRecord } from '../registry/schema.ts';
import { approximateTokens } from '../registry/tokens.ts';
import { type Artifact, generated } from './artifact.ts';
import { cardTree } from './card-tree.ts';
import { type ChunkedDocument, chunkBlocks, chunkMarkdown, MAX_CHUNK_LENGTH } from './chunk.ts';
import { citedDocs } from './cited-docs.ts';
import { type RenderContext, titleOf } from './context.ts';
import { readFrontMatter } from './front-matter.ts';
import { sha256 } from './hash.ts';
import { LAYOUT, pagePath, servedName } from './layout.ts';
import { encodePath } from './urls.ts';

/** One line of the corpus. */
export interface CorpusChunk {
	/** Path of the document and `#` with the chunk's key; unique in the corpus and stable under edits elsewhere. */
	id: string;
	/** Where a reader finds the section. */
	url: string;
	/** Title of the document. */
	title: string;
	heading_path: string[];
	/** Markdown. */
	text: string;
	/** The pattern that the text is about: the card's own, or the first one that cites the document. */
	pattern: { id: string; tier: string; category: string; maturity: string };
	/** Estimated length, see `approximateTokens`. */
	tokens: number;
	/** SHA-256 of the text. */
	hash: string;
	/** Ids of the neighbours within the document. */
	prev: string | null;
	next: string | null;
}

/**
 * The corpus for retrieval: every card, then every document that cards cite, as chunks. A document that `readDoc` does not
 * find has no chunks.
 * @param readDoc text of a Markdown file by its path from the root
 */
export function corpusChunks(context: RenderContext, readDoc: (path: string) => string | undefined): CorpusChunk[] {
	const cards = context.library.patterns.flatMap((record) =>
		documentChunks({
			path: pagePath(record.id),
			url: context.urls.page(record.id),
			title: titleOf(record),
			document: chunkBlocks(cardTree(record, context), context.write),
			record,
		}),
	);
	const docs = citedDocs(context.library).flatMap(({ path, record }) => {
		const markdown = readDoc(path);
		if (markdown === undefined) return [];
		const url = context.urls.repository(path, 'file') ?? encodePath(path);
		const document = chunkMarkdown(markdown);
		const named = readFrontMatter(markdown)?.title;
		const title = document.title ?? (typeof named === 'string' ? named : posix.basename(path));
		return documentChunks({ path, url, title, document, record });
	});
	return [...cards, ...docs];
}

/** The corpus as JSON lines, and the manifest that says what is in it. */
export function corpus(context: RenderContext, readDoc: (path: string) => string | undefined): Artifact[] {
	const chunks = corpusChunks(context, readDoc);
	const lines = chunks.map((chunk) => `${jsonLine(chunk)}\n`).join('');
	const manifest = {
		format: 1,
		generated: context.origin.command,
		path: servedName(LAYOUT.corpus),
		count: chunks.length,
		sha256: sha256(lines),
		tokenizer: 'estimate: a token for four ASCII characters and for every other character; no model tokenizer',
		hash: 'SHA-256 of the text as UTF-8',
		max_chunk_length: MAX_CHUNK_LENGTH,
	};
	return [generated(LAYOUT.corpus, lines), generated(LAYOUT.corpusManifest, `${JSON.stringify(manifest, null, 2)}\n`)];
}

interface SourceDocument {
	path: string;
	url: string;
	title: string;
	document: ChunkedDocument;
	record: PatternRecord;
}

function documentChunks({ path, url, title, document, record }: SourceDocument): CorpusChunk[] {
	const { chunks } = document;
	const ids = chunks.map(({ key }) => (key === '' ? path : `${path}#${key}`));
	const { id, tier, category, maturity } = record;
	return chunks.map((chunk, index) => ({
		id: ids[index] ?? path,
		url: chunk.fragment === '' ? url : `${url}#${encodeURIComponent(chunk.fragment)}`,
		title,
		heading_path: chunk.headingPath,
		text: chunk.text,
		pattern: { id, tier, category, maturity },
		tokens: approximateTokens(chunk.text),
		hash: sha256(chunk.text),
		prev: ids[index - 1] ?? null,
		next: ids[index + 1] ?? null,
	}));
}

/** JSON on one line for every reader: some take these three for line ends. */
function jsonLine(value: unknown): string {
	return JSON.stringify(value).replace(
		/[\u0085\u2028\u2029]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
