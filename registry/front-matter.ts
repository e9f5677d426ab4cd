/** Lines of dashes around anything; an opening line that nothing closes is no front matter. */
const FRONT_MATTER = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r(?!\n))(?:[^\r\n]*(?:\r\n|\n|\r(?!\n)))*?---[ \t]*(?=[\r\n]|$)/;

/**
 * A Markdown text whose YAML front matter is blanked out: spaces for characters, so that every offset and line stays where
 * it was. Done before parsing, since remark-frontmatter misreads a list behind a first line of dashes that nothing closes.
 * A byte order mark is kept.
 */
export function blankFrontMatter(markdown: string): string {
	return markdown.replace(FRONT_MATTER, (matter) => matter.replace(/(?!^\uFEFF)[^\r\n]/g, ' '));
}
