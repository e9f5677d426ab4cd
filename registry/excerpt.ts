import { markdownHeadings } from './headings.ts';
import { approximateTokens } from './tokens.ts';

/** A part of a file that can be asked for by name: a Markdown section, or a top-level declaration of code. */
export interface Section {
	/** What to pass as `section`: `#fragment` for Markdown, the declared name for code. */
	name: string;
	title: string;
	/** 1-based, inclusive. */
	start: number;
	end: number;
	/** Depth of the heading; 1 for declarations. */
	depth: number;
}

export interface ExcerptRequest {
	/** First line, 1-based; 1 when absent. */
	startLine?: number;
	/** Lines to show; 120 when absent, 400 at most. */
	lineCount?: number;
	/** A section by name, with or without `#`, or by its title; overrides the lines. */
	section?: string;
}

/** An excerpt as text, or why there is none. */
export type Excerpt = { ok: true; text: string } | { ok: false; problem: string };

export const DEFAULT_LINES = 120;
export const MAX_LINES = 400;
/** Longer lines are cut: a minified file must not fill an answer. */
const MAX_LINE_LENGTH = 1000;
/** What the numbered lines may cost, in tokens; the outline after them has its own bound. */
const LINE_BUDGET = 7500;
const MAX_OUTLINE = 40;

/**
 * Renders part of a file: numbered lines, how many there are in all, and the sections that follow the window, so that
 * the next call can be targeted. Pure; the caller has read the file as far as it may.
 * @param file path as shown to the reader, and the text, which ends early when `truncated`
 */
export function renderExcerpt(
	file: { path: string; text: string; truncated: boolean },
	request: ExcerptRequest = {},
): Excerpt {
	const lines = splitLines(file.text);
	const outline = outlineOf(file.path, file.text);
	let first = request.startLine ?? 1;
	let count = Math.min(request.lineCount ?? DEFAULT_LINES, MAX_LINES);
	let title = '';
	if (request.section !== undefined) {
		const section = findSection(outline, request.section) ?? testByName(lines, request.section);
		if (!section) return { ok: false, problem: missingSection(file.path, request.section, outline) };
		first = section.start;
		count = Math.min(section.end - section.start + 1, request.lineCount ?? MAX_LINES, MAX_LINES);
		title = ` · section ${section.name}`;
	}
	const total = `${lines.length}${file.truncated ? ' or more' : ''}`;
	if (lines.length === 0) return { ok: true, text: `${file.path} is empty (0 lines)` };
	if (first > lines.length) {
		return {
			ok: false,
			problem: `${file.path} has ${total} lines${file.truncated ? ' within what is read of it' : ''}; line ${first} is past the end. Ask for a line from 1 to ${lines.length}.`,
		};
	}
	const shown = withinBudget(lines.slice(first - 1, first - 1 + count));
	const last = first + shown.length - 1;
	const width = String(last).length;
	const numbered = shown.map((line, at) => `${String(first + at).padStart(width)}  ${line}`);
	const parts = [`${file.path} · lines ${first}–${last} of ${total}${title}`, '', ...numbered];
	if (last < lines.length) parts.push('', ...rest(file.path, outline, last, lines.length));
	if (file.truncated) parts.push('', 'The file is larger than what is read of it; the end is not available.');
	return { ok: true, text: parts.join('\n') };
}

/** The sections of a file: Markdown headings, or the top-level declarations of code; empty for other files. */
export function outlineOf(path: string, text: string): Section[] {
	if (/\.(?:md|mdx|markdown)$/i.test(path)) return markdownOutline(text);
	if (/\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|cs|php|svelte|astro|vue)$/i.test(path)) return codeOutline(text);
	return [];
}

function markdownOutline(text: string): Section[] {
	const headings = markdownHeadings(text);
	const total = splitLines(text).length;
	return headings.map((heading, at) => {
		const next = headings.slice(at + 1).find(({ depth }) => depth <= heading.depth);
		return {
			name: `#${heading.fragment}`,
			title: heading.text,
			start: heading.line,
			end: next ? next.line - 1 : total,
			depth: heading.depth,
		};
	});
}

const DECLARATION =
	/^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:public\s+|internal\s+|open\s+)?(?:abstract\s+|final\s+|sealed\s+|data\s+)?(?:async\s+)?(?:function\*?|class|interface|type|const|let|enum|def|func|fn|struct|trait|object|module)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u;
const TEST_BLOCK = /^(?:describe|it|test)(?:\.\w+)*\(\s*(['"`])(.+?)\1/;

function codeOutline(text: string): Section[] {
	const lines = splitLines(text);
	const found: { name: string; line: number }[] = [];
	for (const [at, line] of lines.entries()) {
		const name = DECLARATION.exec(line)?.[1] ?? TEST_BLOCK.exec(line)?.[2];
		if (name) found.push({ name, line: at + 1 });
	}
	return found.map(({ name, line }, at) => ({
		name,
		title: name,
		start: withLeadingComment(lines, line),
		end: lastOfBlock(lines, line, found[at + 1]?.line),
		depth: 1,
	}));
}

/** A declaration's documentation belongs to it: the comment, decorator or attribute lines right above. */
function withLeadingComment(lines: readonly string[], line: number): number {
	let start = line;
	while (start > 1 && /^(?:\/\*\*|\/\/| \*|\*\/|#|@)/.test(lines[start - 2] ?? '')) start--;
	return start;
}

function lastOfBlock(lines: readonly string[], line: number, nextDeclaration: number | undefined): number {
	let end = nextDeclaration ? withLeadingComment(lines, nextDeclaration) - 1 : lines.length;
	while (end > line && (lines[end - 1] ?? '').trim() === '') end--;
	return end;
}

function findSection(outline: readonly Section[], asked: string): Section | undefined {
	const bare = asked.trim().replace(/^#+\s*/, '');
	const folded = bare.toLowerCase();
	return (
		outline.find(({ name }) => name === bare || name === `#${bare}`) ??
		outline.find(({ name, title }) => name.toLowerCase() === `#${folded}` || title.toLowerCase() === folded)
	);
}

const TEST_CALL = /^\s*(?:describe|it|test)(?:\.\w+)*(?:\(.*\))?\(\s*(['"`])(.+?)\1\s*,/;

const TEST_FUNCTION = /^(\s*)(?:async\s+)?def\s+(test\w*)\s*\(/;

/** A test by its full name as cards pin it, `describe > test` or `TestClass::test`: the last part decides. */
function testByName(lines: readonly string[], asked: string): Section | undefined {
	const title =
		asked
			.replace(/^#/, '')
			.split(/ > |::/)
			.at(-1)
			?.trim() ?? '';
	const at = lines.findIndex((line) => TEST_CALL.exec(line)?.[2] === title);
	if (at < 0) return pythonTestByName(lines, title.replace(/\[.*\]$/, ''));
	const indentation = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
	const last = lines.findIndex((line, below) => below > at && line.startsWith(`${indentation}}`));
	return { name: title, title, start: at + 1, end: last < 0 ? lines.length : last + 1, depth: 1 };
}

/** A function of Python ends before the next line that is not indented deeper. */
function pythonTestByName(lines: readonly string[], title: string): Section | undefined {
	const at = lines.findIndex((line) => TEST_FUNCTION.exec(line)?.[2] === title);
	if (at < 0) return undefined;
	const indent = TEST_FUNCTION.exec(lines[at] ?? '')?.[1]?.length ?? 0;
	const outside = (line: string) => line.trim() !== '' && line.search(/\S/) <= indent && !/^\s*\)/.test(line);
	const next = lines.findIndex((line, below) => below > at && outside(line));
	let end = next < 0 ? lines.length : next;
	while ((lines[end - 1] ?? '').trim() === '') end--;
	return { name: title, title, start: at + 1, end, depth: 1 };
}

function missingSection(path: string, asked: string, outline: readonly Section[]): string {
	if (outline.length === 0) return `${path} has no sections; ask for lines by their numbers instead.`;
	const names = outline.slice(0, MAX_OUTLINE).map(({ name }) => shorten(name));
	const more = outline.length > MAX_OUTLINE ? ` and ${outline.length - MAX_OUTLINE} more` : '';
	return `${path} has no section "${shorten(asked)}". It has: ${names.join(', ')}${more}.`;
}

function rest(path: string, outline: readonly Section[], last: number, total: number): string[] {
	const below = outline.filter(({ start }) => start > last);
	const lines = [
		`${total - last} more lines; next: get_file_excerpt {"path": ${JSON.stringify(path)}, "start_line": ${last + 1}}`,
	];
	if (below.length === 0) return lines;
	lines.push('Sections below (pass one as "section"):');
	for (const { name, start, end } of below.slice(0, MAX_OUTLINE))
		lines.push(`- ${shorten(name)} (lines ${start}–${end})`);
	if (below.length > MAX_OUTLINE) lines.push(`- and ${below.length - MAX_OUTLINE} more`);
	return lines;
}

function withinBudget(lines: readonly string[]): string[] {
	const shown: string[] = [];
	let spent = 0;
	for (const line of lines) {
		const cut =
			line.length > MAX_LINE_LENGTH
				? `${line.slice(0, MAX_LINE_LENGTH)}… (${line.length - MAX_LINE_LENGTH} more characters on this line)`
				: line;
		spent += approximateTokens(cut) + 2;
		if (spent > LINE_BUDGET && shown.length > 0) break;
		shown.push(cut);
	}
	return shown;
}

/** Lines without their ends; a final line end does not begin another line. */
function splitLines(text: string): string[] {
	if (text === '') return [];
	const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
	if (lines.at(-1) === '') lines.pop();
	return lines;
}

function shorten(text: string): string {
	return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
