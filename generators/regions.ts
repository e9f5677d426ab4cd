import { SKIP, visit } from 'unist-util-visit';
import { parseMarkdown } from './markdown.ts';

/** The two lines between which the index stands in a hand-written file. */
export const MARKERS = {
	begin: '<!-- v10r-patterns:begin -->',
	end: '<!-- v10r-patterns:end -->',
} as const;

/** A file whose markers are not one ordered pair. `lines` (1-based) are those of the markers at fault. */
export class RegionError extends Error {
	override readonly name = 'RegionError';
	readonly path: string;
	readonly lines: readonly number[];
	constructor(path: string, lines: readonly number[], problem: string) {
		super(`${[path, ...lines.slice(0, 1)].join(':')}: ${problem}`);
		this.path = path;
		this.lines = lines;
	}
}

interface Marker {
	side: 'begin' | 'end';
	/** Offsets into the text. */
	start: number;
	stop: number;
	line: number;
	/** Alone on its line and outside lists, quotes and paragraphs, so that blocks can stand after it. */
	free: boolean;
}

/**
 * Puts `content` (Markdown with line feeds) between the markers of a Markdown file and leaves every other byte as it is.
 * Markers are looked for in the parsed file: in code they are text. The file's own line ending is used, and doing it
 * again changes nothing. An empty `content` leaves an empty region.
 * @throws RegionError unless there is exactly one begin marker before exactly one end marker
 */
export function replaceRegion(path: string, text: string, content: string): string {
	const [begin, end] = onePair(path, text);
	const before = text.slice(0, lineEnd(text, begin.stop));
	const after = text.slice(lineStart(text, end.start));
	// The old region does not count, beyond the end of the begin marker's own line.
	const [ownEnding = ''] = /^(?:\r\n|\n|\r)/.exec(text.slice(before.length)) ?? [];
	const eol = lineEnding(before + ownEnding + after);
	const body = content.trim() === '' ? '' : `\n${content.replace(/^\n+|\n+$/g, '')}\n\n`;
	return before + eol + body.replaceAll('\n', eol) + after;
}

function onePair(path: string, text: string): [Marker, Marker] {
	const markers = findMarkers(text);
	const begins = markers.filter(({ side }) => side === 'begin');
	const ends = markers.filter(({ side }) => side === 'end');
	const [begin, end] = [begins[0], ends[0]];
	const fail = (at: readonly Marker[], problem: string): never => {
		throw new RegionError(
			path,
			at.map(({ line }) => line),
			problem,
		);
	};
	if (!begin && !end) {
		const quoted = text.includes(MARKERS.begin) ? ' Those that it shows stand in code or in other text.' : '';
		return fail(
			[],
			`has no pair of markers.${quoted} Paste these two lines where the index belongs:\n${bothMarkers()}`,
		);
	}
	if (!begin || !end) {
		const missing = begin ? 'end' : 'begin';
		return fail(
			markers,
			`a marker without its partner. Add this line ${begin ? 'after' : 'before'} it:\n${MARKERS[missing]}`,
		);
	}
	if (begins.length > 1 || ends.length > 1) {
		return fail(
			markers,
			`expected one pair of markers, found begin on ${lines(begins)} and end on ${lines(ends)}. Keep one pair.`,
		);
	}
	if (end.start < begin.start) {
		return fail(markers, `the end marker stands before the begin marker on ${lines(begins)}. Swap them.`);
	}
	const bound = markers.find(({ free }) => !free);
	if (bound) return fail([bound], 'a marker must stand alone on its line, outside lists, quotes and sentences.');
	return [begin, end];
}

function findMarkers(text: string): Marker[] {
	// The parser drops a byte order mark without counting it.
	const shift = text.startsWith('\uFEFF') ? 1 : 0;
	const markers: Marker[] = [];
	visit(parseMarkdown(text.slice(shift)), (node, _index, parent) => {
		if (node.type !== 'html') return;
		const from = (node.position?.start.offset ?? 0) + shift;
		const source = text.slice(from, (node.position?.end.offset ?? 0) + shift);
		for (const comment of source.matchAll(/<!--.*?-->/gs)) {
			const side = /^<!--\s*v10r-patterns:(begin|end)\s*-->$/.exec(comment[0])?.[1];
			if (side !== 'begin' && side !== 'end') continue;
			const start = from + comment.index;
			const stop = start + comment[0].length;
			const alone = text.slice(lineStart(text, start), start) + text.slice(stop, lineEnd(text, stop));
			const free = parent?.type === 'root' && alone.trim() === '' && !/[\r\n]/.test(comment[0]);
			markers.push({ side, start, stop, line: lineNumber(text, start), free });
		}
		return SKIP;
	});
	return markers;
}

function lines(markers: readonly Marker[]): string {
	return `${markers.length === 1 ? 'line' : 'lines'} ${markers.map(({ line }) => line).join(', ')}`;
}

function bothMarkers(): string {
	return `${MARKERS.begin}\n${MARKERS.end}`;
}

/** The line ending that most lines have; a line feed when none has any. */
function lineEnding(text: string): string {
	const count = { '\r\n': 0, '\n': 0, '\r': 0 };
	for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) count[ending as keyof typeof count]++;
	if (count['\r\n'] > count['\n']) return '\r\n';
	return count['\r'] > count['\n'] ? '\r' : '\n';
}

function lineStart(text: string, offset: number): number {
	return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

function lineEnd(text: string, offset: number): number {
	const length = text.slice(offset).search(/[\r\n]/);
	return length < 0 ? text.length : offset + length;
}

function lineNumber(text: string, offset: number): number {
	return (text.slice(0, offset).match(/\r\n|\n|\r/g) ?? []).length + 1;
}
