import type { Html, Paragraph } from 'mdast';
import { html, inlineCode, paragraph, text } from './markdown.ts';

/** The command that rewrites every generated file. */
export const BUILD_COMMAND = 'npm run patterns:build';

/** One sentence for files that can carry it. */
export function noticeText(source: string): string {
	return `Generated from ${source} by ${BUILD_COMMAND}; edits here are lost.`;
}

/** The sentence as a comment, which a reader of the rendered page does not see. */
export function noticeComment(source: string): Html {
	// A comment ends at the first "-->", and the path is a parameter.
	return html(`<!-- ${noticeText(source.replaceAll('--', '- -'))} -->`);
}

/** The sentence as a paragraph, for files in which a comment would be read as text. */
export function noticeParagraph(source: string): Paragraph {
	return paragraph(
		text('Generated from '),
		inlineCode(source),
		text(' by '),
		inlineCode(BUILD_COMMAND),
		text('; edits here are lost.'),
	);
}
