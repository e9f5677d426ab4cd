import { type CollectionEntry, getCollection } from 'astro:content';
import { pageOfFile } from './doc-pages.ts';
import { library } from './source.ts';

/** A hand-written document that has a page. */
export interface Guide {
	entry: CollectionEntry<'guides'> | CollectionEntry<'readmes'>;
	/** The file, from the root of the repository. */
	file: string;
	/** The last step of its page's path; for a description the id of the pattern. */
	slug: string;
	/** Its page, from the root of the site. */
	page: string;
	title: string;
	/** Its first paragraph as plain text, cut at about 200 characters. */
	description: string;
}

/** The order in which a newcomer reads the guides; others follow by name. */
const ORDER = ['design', 'curation', 'retrieval', 'surfaces', 'server', 'mcp', 'showcases', 'contributing'];

/** The guides, in reading order. */
export async function guides(): Promise<Guide[]> {
	const found = (await getCollection('guides')).flatMap(guide);
	const rank = ({ slug }: Guide) => (ORDER.includes(slug) ? ORDER.indexOf(slug) : ORDER.length);
	return found.sort((a, b) => rank(a) - rank(b) || (a.page < b.page ? -1 : 1));
}

/** The patterns' own descriptions, in the order of the patterns; those without a card come last. */
export async function readmes(): Promise<Guide[]> {
	const found = (await getCollection('readmes')).flatMap(guide);
	const rank = new Map(library.patterns.map(({ id }, at) => [id, at]));
	const place = ({ slug }: Guide) => rank.get(slug) ?? rank.size;
	return found.sort((a, b) => place(a) - place(b) || (a.page < b.page ? -1 : 1));
}

function guide(entry: Guide['entry']): Guide[] {
	const page = pageOfFile(entry.id);
	if (page === undefined) return [];
	const text = entry.body ?? '';
	const slug = page.split('/').at(-2) ?? '';
	return [{ entry, file: entry.id, slug, page, title: titleOf(text) ?? slug, description: descriptionOf(text) }];
}

function titleOf(markdown: string): string | undefined {
	const title = /^# +(.+?)\s*#*$/m.exec(markdown)?.[1];
	return title === undefined ? undefined : plain(title);
}

function descriptionOf(markdown: string): string {
	const unfenced = markdown.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '');
	const first = unfenced
		.split(/\n(?:[^\S\n]*\n)+/)
		.find(
			(block) => block.trim() !== '' && !/^(?: {4}|\t|\s*(?:[#>|<`~]|[-*+] |\d+\. |---|import |export ))/.test(block),
		);
	const text = plain(first ?? '');
	if (text.length <= 200) return text;
	return `${text.slice(0, 200).replace(/\s+\S*$/, '')}…`;
}

function plain(inline: string): string {
	return inline
		.replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
		.replace(/[*_`]{1,3}([^*_`]+)[*_`]{1,3}/g, '$1')
		.replace(/\s+/g, ' ')
		.trim();
}
