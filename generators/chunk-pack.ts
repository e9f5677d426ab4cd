import type { Paragraph, RootContent } from 'mdast';

/** A stretch of the source, from one offset up to another. */
interface Span {
	start: number;
	end: number;
}

/**
 * Packs the blocks of one section into texts of at most `maxLength` UTF-16 units, in order. A text is longer only when
 * `cut` gave a longer piece. Headings stay with what follows them.
 * @param cut the pieces of a block as Markdown, each of at most the given length where it can be cut
 */
export function packBlocks(
	blocks: readonly RootContent[],
	cut: (block: RootContent, maxLength: number) => string[],
	maxLength: number,
): string[] {
	const texts: string[] = [];
	let current = '';
	let onlyHeadings = true;
	for (const block of blocks) {
		// Headings are never left alone, so the first piece below them has what they leave of the room.
		const taken: number = onlyHeadings && current !== '' ? current.length + 2 : 0;
		for (const piece of cut(block, maxLength - taken)) {
			const fits = current.length + 2 + piece.length <= maxLength;
			if (current !== '' && !fits && !onlyHeadings) {
				texts.push(current);
				current = '';
			}
			current = current === '' ? piece : `${current}\n\n${piece}`;
			onlyHeadings = block.type === 'heading' && (onlyHeadings || current === piece);
		}
	}
	return current === '' ? texts : [...texts, current];
}

/**
 * A block of a parsed `source` as it stands there, in pieces of at most `maxLength` where it can be cut: a table between
 * rows, with its header on every piece; a list between items; a paragraph between sentences, else between words. Code,
 * quotes, HTML, a single row or item are never cut.
 */
export function cutBlock(source: string, block: RootContent, maxLength: number): string[] {
	const whole = spanOf(source, block);
	// A fence that is never closed takes the blank lines at the end of the file along.
	const slice = ({ start, end }: Span) => source.slice(start, end).replace(/\n+$/, '');
	if (whole.end - whole.start <= maxLength) return [slice(whole)];
	if (block.type === 'list') {
		return groups(
			block.children.map((item) => spanOf(source, item)),
			maxLength,
		).map(slice);
	}
	if (block.type === 'table') {
		const [header, ...rows] = block.children.map((row) => spanOf(source, row));
		if (!header || !rows[0]) return [slice(whole)];
		// The header with the line of dashes below it, which is no row.
		const head = source.slice(header.start, rows[0].start);
		return groups(rows, maxLength - head.length).map((rowGroup) => head + slice(rowGroup));
	}
	if (block.type === 'paragraph') return groups(sentences(source, block, whole), maxLength).map(slice);
	return [slice(whole)];
}

/** Joins neighbouring spans as long as they stay within `maxLength`. */
function groups(spans: readonly Span[], maxLength: number): Span[] {
	const joined: Span[] = [];
	for (const { start, end } of spans) {
		const last = joined.at(-1);
		if (last && end - last.start <= maxLength) last.end = end;
		else joined.push({ start, end });
	}
	return joined;
}

/**
 * The parts between which a long paragraph may be cut: its sentences, or its words when it has only one. A cut lies in
 * plain text, never in a link or in code, and before a letter, so that no piece begins like a list or a heading.
 */
function sentences(source: string, block: Paragraph, whole: Span): Span[] {
	const bySentence = cuts(source, block, /(?<=[.!?:;])\s+(?=\p{L})|(?<=[。！？；])(?=\p{L})/gu);
	const byWord = cuts(source, block, /\s+(?=\p{L})/gu);
	return between(whole, bySentence.length > 0 ? bySentence : byWord);
}

function cuts(source: string, block: Paragraph, at: RegExp): Span[] {
	return block.children.flatMap((node) => {
		if (node.type !== 'text') return [];
		const { start, end } = offsets(node);
		return Array.from(source.slice(start, end).matchAll(at), (match) => ({
			start: start + match.index,
			end: start + match.index + match[0].length,
		}));
	});
}

function between(whole: Span, gaps: readonly Span[]): Span[] {
	const starts = [whole.start, ...gaps.map(({ end }) => end)];
	const ends = [...gaps.map(({ start }) => start), whole.end];
	return starts.map((start, index) => ({ start, end: ends[index] ?? whole.end }));
}

/** The lines of a block, with the indentation before it. */
function spanOf(source: string, node: { position?: RootContent['position'] }): Span {
	const { start, end } = offsets(node);
	return { start: source.lastIndexOf('\n', start - 1) + 1, end };
}

function offsets({ position }: { position?: RootContent['position'] }): Span {
	return { start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 };
}
