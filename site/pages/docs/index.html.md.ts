import type { APIRoute } from 'astro';
import { guides, readmes } from '../../lib/guides.ts';
import { absoluteHref, twinOf } from '../../lib/links.ts';
import { markdownResponse } from '../../lib/twins.ts';

/** The list of guides as Markdown. */
export const GET: APIRoute = async () => {
	const lines = (await guides()).map(({ page, title, description }) => {
		const note = description === '' ? '' : `: ${description}`;
		return `- [${title}](${absoluteHref(twinOf(page))})${note}`;
	});
	const patterns = (await readmes()).map(({ page, title }) => `- [${title}](${absoluteHref(twinOf(page))})`);
	return markdownResponse(
		['# Guides', '', ...lines, '', '## The patterns, described at length', '', ...patterns, ''].join('\n'),
	);
};
