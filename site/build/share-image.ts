import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import opentype, { type Font } from 'opentype.js';

/** What a page's image for sharing says. */
export interface ShareText {
	/** The word above the title. */
	kicker: string;
	title: string;
	/** What stands for a title that the fonts cannot write: the last step of the page's path, say. */
	fallback: string;
	/** The library's name, at the foot. */
	site: string;
}

/** Pixels. */
export const SHARE_SIZE = { width: 1200, height: 630 } as const;

const MARGIN = 88;
const COLOURS = {
	paper: '#f6f8f8',
	sheet: '#ffffff',
	line: '#d7e0e1',
	ink: '#122126',
	hint: '#56686f',
	accent: '#0a6172',
};
const MOST_LINES = 4;

const require = createRequire(import.meta.url);
const load = (file: string): Font => {
	const bytes = readFileSync(require.resolve(file));
	return opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};
const serif = load('@fontsource/newsreader/files/newsreader-latin-500-normal.woff');
const mono = load('@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff');

/**
 * Draws a page's image for sharing as SVG. All text is outlines from the site's own fonts, so that the picture is the
 * same on every machine; the same text gives the same bytes.
 */
export function shareImage({ kicker, title, fallback, site }: ShareText): string {
	const { width, height } = SHARE_SIZE;
	const written = canWrite(serif, title) ? title : fallback;
	const { lines, size } = fitted(written, width - 2 * MARGIN - 40);
	const leading = size * 1.1;
	const top = 330 - ((lines.length - 1) * leading) / 2 + size * 0.3;
	const outlines = lines.map((line, at) => outline(serif, line, MARGIN, top + at * leading, size, COLOURS.ink));
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
		`<rect width="${width}" height="${height}" fill="${COLOURS.paper}"/>`,
		`<rect x="52" y="58" width="1112" height="532" rx="18" fill="${COLOURS.paper}" stroke="${COLOURS.line}" stroke-width="2"/>`,
		`<rect x="36" y="40" width="1112" height="532" rx="18" fill="${COLOURS.sheet}" stroke="${COLOURS.line}" stroke-width="2"/>`,
		`<path d="M${MARGIN} 146H${width - MARGIN - 16}" stroke="${COLOURS.accent}" stroke-width="3"/>`,
		outline(mono, canWrite(mono, kicker) ? kicker : '', MARGIN, 120, 27, COLOURS.hint),
		...outlines,
		outline(serif, canWrite(serif, site) ? site : '', MARGIN, 532, 32, COLOURS.accent),
		`<circle cx="592" cy="536" r="13" fill="${COLOURS.paper}" stroke="${COLOURS.line}" stroke-width="2"/>`,
		'</svg>',
	].join('\n');
}

function outline(font: Font, text: string, x: number, y: number, size: number, fill: string): string {
	const steps = font.getPath(text, x, y, size).commands.map((step) => {
		const points = [step.x1, step.y1, step.x2, step.y2, step.x, step.y].filter((value) => value !== undefined);
		return step.type + points.map((value) => Math.round(value * 10) / 10).join(' ');
	});
	return `<path d="${steps.join('')}" fill="${fill}"/>`;
}

function canWrite(font: Font, text: string): boolean {
	return text.trim() !== '' && [...text].every((character) => font.charToGlyphIndex(character) !== 0);
}

/** The largest size at which a text takes few enough lines of a width; text beyond them is cut. */
function fitted(text: string, width: number): { lines: string[]; size: number } {
	for (const [size, most] of [
		[96, 2],
		[78, 3],
		[62, MOST_LINES],
	] as const) {
		const lines = wrap(text, size, width);
		if (lines.length <= most) return { lines, size };
	}
	const lines = wrap(text, 62, width).slice(0, MOST_LINES);
	return { lines: lines.map((line, at) => (at === MOST_LINES - 1 ? `${line.replace(/\W+$/, '')}…` : line)), size: 62 };
}

function wrap(text: string, size: number, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.trim().split(/\s+/)) {
		const last = lines.at(-1);
		const joined = last === undefined ? word : `${last} ${word}`;
		if (last !== undefined && serif.getAdvanceWidth(joined, size) <= width) lines[lines.length - 1] = joined;
		else lines.push(word);
	}
	return lines;
}
