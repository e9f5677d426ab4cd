/** A piece of the source by position: `start` inclusive, `end` exclusive, quotes and comment marks within. */
export interface Span {
	start: number;
	end: number;
}

export interface Scan {
	/**
	 * The source with comments, and what stands inside strings, templates and regular expressions, replaced by spaces.
	 * Same length, same line breaks, quotes kept; code inside `${…}` stays.
	 */
	code: string;
	comments: Span[];
	strings: Span[];
}

/** After these words a slash begins a regular expression, after any other it divides. */
const BEFORE_REGEX = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await|instanceof)$/;

/**
 * Tells code from text in TypeScript or JavaScript. It needs no parser, so a fragment that would not parse is scanned as
 * far as anyone can tell; a string that is not closed ends with its line.
 */
export function scanSource(source: string): Scan {
	const comments: Span[] = [];
	const strings: Span[] = [];
	const masked: Span[] = [];
	/** For each open template, how many braces are open in its `${…}`. */
	const templates: number[] = [];
	let at = 0;
	/** Where the last code character stands, to judge a slash by. */
	let significant = -1;

	while (at < source.length) {
		const char = source.charAt(at);
		const next = source.charAt(at + 1);
		if (char === '/' && next === '/') comment(lineEnd(source, at));
		else if (char === '/' && next === '*') comment(endOf(source, '*/', at + 2));
		else if (char === '"' || char === "'") string(quotedEnd(source, at));
		else if (char === '`') template(at + 1);
		else if (char === '}' && templates.at(-1) === 0) {
			templates.pop();
			template(at + 1);
		} else if (char === '/' && startsRegex()) string(regexEnd(source, at), false);
		else {
			const last = templates.length - 1;
			if (last >= 0 && char === '{') templates[last] = (templates[last] ?? 0) + 1;
			if (last >= 0 && char === '}') templates[last] = (templates[last] ?? 0) - 1;
			if (char.trim() !== '') significant = at;
			at++;
		}
	}
	return { code: blank(source, masked), comments, strings };

	function comment(end: number): void {
		comments.push({ start: at, end });
		masked.push({ start: at, end });
		at = end;
	}

	function string(end: number, listed = true): void {
		const closed = end - 1 > at && source[end - 1] === source[at];
		if (listed) strings.push({ start: at, end });
		masked.push({ start: at + 1, end: closed ? end - 1 : end });
		significant = end - 1;
		at = end;
	}

	/** Masks the text of a template from `start` to its end or its next `${`. */
	function template(start: number): void {
		let end = start;
		while (end < source.length && source[end] !== '`' && !source.startsWith('${', end)) {
			end += source[end] === '\\' ? 2 : 1;
		}
		end = Math.min(end, source.length);
		masked.push({ start, end });
		if (source[end] === '$') templates.push(0);
		at = end + (source[end] === '$' ? 2 : 1);
		significant = at - 1;
	}

	function startsRegex(): boolean {
		const before = source.slice(Math.max(0, significant - 11), significant + 1);
		return before === '' || /[(,=:[!&|?{;+\-*%<>~^]$/.test(before) || BEFORE_REGEX.test(before);
	}
}

function lineEnd(source: string, from: number): number {
	const newline = source.indexOf('\n', from);
	return newline === -1 ? source.length : newline;
}

function endOf(source: string, mark: string, from: number): number {
	const found = source.indexOf(mark, from);
	return found === -1 ? source.length : found + mark.length;
}

/** The end of a quoted string: after its quote, or at the end of its line. */
function quotedEnd(source: string, start: number): number {
	const quote = source[start];
	let at = start + 1;
	while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1;
	return Math.min(source.length, source[at] === quote ? at + 1 : at);
}

/** The end of a regular expression: after its slash, or at the end of its line. A slash in a class is not its end. */
function regexEnd(source: string, start: number): number {
	let inClass = false;
	let at = start + 1;
	while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
		if (source[at] === '[') inClass = true;
		if (source[at] === ']') inClass = false;
		at += source[at] === '\\' ? 2 : 1;
	}
	return Math.min(source.length, source[at] === '/' ? at + 1 : at);
}

/** Replaces spans, which are in order and do not overlap, by spaces; line breaks stay. */
function blank(source: string, spans: readonly Span[]): string {
	const parts: string[] = [];
	let at = 0;
	for (const { start, end } of spans) {
		parts.push(source.slice(at, start), source.slice(start, end).replace(/[^\n]/g, ' '));
		at = end;
	}
	parts.push(source.slice(at));
	return parts.join('');
}
