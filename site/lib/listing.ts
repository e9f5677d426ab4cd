import { highlight } from './highlight.ts';
import { readText } from './source.ts';

/** A file shown on a page. */
export interface Listing {
	path: string;
	/** Its name, for a heading. */
	name: string;
	html: string;
	lines: number;
	/** How many of them are not shown. */
	cut: number;
}

/** A longer file is cut: the page stays readable, and the repository has the rest. */
const MOST_LINES = 900;

/** Highlights a file of the repository; undefined when there is none or it is no text. */
export async function listing(path: string, marks?: ReadonlyMap<number, string>): Promise<Listing | undefined> {
	const text = readText(path);
	if (text === undefined || text.includes('\0')) return undefined;
	const lines = text.trimEnd().split('\n');
	const shown = lines.slice(0, MOST_LINES).join('\n');
	return {
		path,
		name: path.slice(path.lastIndexOf('/') + 1),
		html: await highlight(path, shown, marks),
		lines: lines.length,
		cut: Math.max(0, lines.length - MOST_LINES),
	};
}

/** The id of a line of a file on a page that shows it. */
export function lineId(path: string, line: number): string {
	return `${path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9]+/g, '-')}-L${line}`;
}
