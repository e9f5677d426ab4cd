/**
 * The headings of a Markdown text and the fragments that GitHub gives them, for code that runs without libraries.
 * `validate.ts` and the generators parse Markdown in full; a test holds the two to the same fragments.
 */

export interface Heading {
	/** 1-based line. */
	line: number;
	/** 1 to 6. */
	depth: number;
	text: string;
	/** The fragment without `#`, made unique as GitHub does: a second `setup` is `setup-1`. */
	fragment: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const NOT_A_PARAGRAPH = /^(?: {0,3}(?:[#>|]|[-*+] |\d+[.)] )| {4}|\t|\s*$)/;

/** Reads headings in order. Those inside fenced code are text; a front matter block is skipped. */
export function markdownHeadings(markdown: string): Heading[] {
	const lines = markdown.split(/\r\n|\n|\r/);
	const headings: Heading[] = [];
	const fragments = fragmentMaker();
	let fence: string | undefined;
	for (let at = frontMatterEnd(lines); at < lines.length; at++) {
		const line = lines[at] ?? '';
		const [, marks, info] = FENCE.exec(line) ?? [];
		if (marks) {
			if (!fence && !(marks.startsWith('`') && info?.includes('`'))) fence = marks;
			else if (fence && marks.startsWith(fence) && info?.trim() === '') fence = undefined;
			continue;
		}
		if (fence) continue;
		const atx = ATX.exec(line);
		if (atx) {
			add(at, atx[1]?.length ?? 1, atx[2] ?? '');
			continue;
		}
		const under = SETEXT.exec(line);
		const above = lines[at - 1] ?? '';
		if (under && at > 0 && !NOT_A_PARAGRAPH.test(above)) add(at - 1, under[1]?.startsWith('=') ? 1 : 2, above);
	}
	return headings;

	function add(at: number, depth: number, source: string): void {
		const text = plainText(source.trim());
		headings.push({ line: at + 1, depth, text, fragment: fragments(text) });
	}
}

/** A function that gives each heading's text its fragment and counts repeats, as GitHub does within one document. */
export function fragmentMaker(): (text: string) => string {
	const seen = new Map<string, number>();
	return (text) => {
		const base = slugOf(text);
		let fragment = base;
		while (seen.has(fragment)) {
			const count = (seen.get(base) ?? 0) + 1;
			seen.set(base, count);
			fragment = `${base}-${count}`;
		}
		seen.set(fragment, 0);
		return fragment;
	};
}

/** Lower case, symbols dropped, spaces to hyphens: `C++ / C#` is `c--c`. */
function slugOf(text: string): string {
	return text
		.toLowerCase()
		.replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu, '')
		.replaceAll(' ', '-');
}

/** What is left of inline Markdown when it is rendered and read as text. */
function plainText(inline: string): string {
	return inline
		.replace(/!\[[^\]]*\]\([^)]*\)/g, '')
		.replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
		.replace(/<\/?[a-z][^>]*>/gi, '')
		.replace(/(`+)(.+?)\1/g, '$2')
		.replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
		.replace(/(?<![\p{L}\p{N}_*])([*_])(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}_*])/gu, '$2')
		.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

function frontMatterEnd(lines: readonly string[]): number {
	if (lines[0] !== '---') return 0;
	const end = lines.indexOf('---', 1);
	return end < 0 ? 0 : end + 1;
}
