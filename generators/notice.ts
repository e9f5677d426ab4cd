import type { Html, Paragraph } from 'mdast';
import { html, inlineCode, paragraph, text } from './markdown.ts';

/** Who made a file: from which registry, by which command. */
export interface Origin {
	/** Path of the authored registry. */
	source: string;
	/** The command that rewrites every generated file, see `buildCommand`. */
	command: string;
}

/** One sentence for files that can carry it. */
export function noticeText({ source, command }: Origin): string {
	return `Generated from ${source} by ${command}; edits here are lost.`;
}

/** The sentence as a comment, which a reader of the rendered page does not see. */
export function noticeComment({ source, command }: Origin): Html {
	// A comment ends at the first "-->", and the path is a parameter.
	return html(`<!-- ${noticeText({ source: source.replaceAll('--', '- -'), command })} -->`);
}

/** The sentence as a paragraph, for files in which a comment would be read as text. */
export function noticeParagraph({ source, command }: Origin): Paragraph {
	return paragraph(
		text('Generated from '),
		inlineCode(source),
		text(' by '),
		inlineCode(command),
		text('; edits here are lost.'),
	);
}
