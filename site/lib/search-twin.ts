import { exampleAsks } from './examples.ts';
import { absoluteHref, PATHS, twinOf } from './links.ts';
import { blocks, link, words } from './markdown.ts';
import { library } from './source.ts';

/** What the search page is, in one sentence. */
export const SEARCH_DESCRIPTION = `Describe a problem and get the patterns that cover it, ranked as an agent sees them, or an honest no-match; and the full text of all pages of ${library.registry.library.title}.`;

/** The search page as Markdown: what it answers, the form of its address, and where the same is read without scripts. */
export function searchTwin(): string {
	const search = absoluteHref(PATHS.search);
	const asks = exampleAsks(6).map((ask) => `- ${link(ask, `${search}?q=${encodeURIComponent(ask)}`)}`);
	return blocks(
		'# Search',
		words(SEARCH_DESCRIPTION),
		`The address is \`${search}?q=<words>\`: a task or a symptom in plain words, percent-encoded, of at most 400 characters. The answer is made in the browser, from ${link('the registry', absoluteHref(PATHS.registry))}, by the same ranking as the tool \`search_patterns\` of the MCP server.`,
		`Without scripts, read ${link('the list of all patterns', absoluteHref(twinOf(PATHS.catalog)))}, ${link('llms.txt', absoluteHref(PATHS.llms))} or ${link('the corpus', absoluteHref(PATHS.corpus))}.`,
		asks.length > 0 ? '## For example' : undefined,
		asks.join('\n'),
	);
}
