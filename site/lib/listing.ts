import { excerpt, type Lines } from './excerpt.ts';
import { highlight } from './highlight.ts';
import { readText } from './source.ts';

/** A file shown on a page. */
export interface Listing {
	path: string;
	/** Its name, for a heading. */
	name: string;
	/** The file in its order, highlighted; what is folded is not what a reader should see first. */
	parts: ListingPart[];
	lines: number;
	/** How many of them are not shown. */
	cut: number;
}

/** Some lines of a file, one after the other. */
export interface ListingPart extends Lines {
	html: string;
	folded: boolean;
}

/** A longer file is cut: the page stays readable, and the repository has the rest. */
const MOST_LINES = 900;

/**
 * Highlights a file of the repository; undefined when there is none or it is no text.
 * @param marks ids of lines, 1-based
 * @param folded true shows an excerpt and folds the rest
 */
export async function listing(
	path: string,
	{ marks, folded = false }: { marks?: ReadonlyMap<number, string> | undefined; folded?: boolean } = {},
): Promise<Listing | undefined> {
	const text = readText(path);
	if (text === undefined || text.includes('\0')) return undefined;
	const lines = text.trimEnd().split('\n');
	const shown = lines.slice(0, MOST_LINES);
	const html = await highlight(path, shown.join('\n'), marks);
	return {
		path,
		name: path.slice(path.lastIndexOf('/') + 1),
		parts: folded
			? foldAround(html, excerpt(shown, path), shown.length)
			: [{ html, from: 1, to: shown.length, folded }],
		lines: lines.length,
		cut: Math.max(0, lines.length - MOST_LINES),
	};
}

/** Cuts highlighted lines into what is above an excerpt, the excerpt, and what is below. */
function foldAround(html: string, { from, to }: Lines, end: number): ListingPart[] {
	const [, open = '', body = '', close = ''] = /^(<pre[^>]*><code[^>]*>)([\s\S]*)(<\/code><\/pre>)$/.exec(html) ?? [];
	// Every line of highlighted code is an element of its own, so that a cut between two leaves none open.
	const lines = body.split('\n');
	return [
		{ from: 1, to: from - 1, folded: true },
		{ from, to, folded: false },
		{ from: to + 1, to: end, folded: true },
	]
		.filter((part) => part.to >= part.from)
		.map((part) => ({ ...part, html: `${open}${lines.slice(part.from - 1, part.to).join('\n')}${close}` }));
}

/** The id of a line of a file on a page that shows it. */
export function lineId(path: string, line: number): string {
	return `${path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9]+/g, '-')}-L${line}`;
}
