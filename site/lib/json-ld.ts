import type { PatternRecord } from './catalog.ts';
import { absoluteHref, PATHS } from './links.ts';
import { library } from './source.ts';

/** What pages say of themselves to machines, in the terms of schema.org; `@context` is added by the layout. */

const part = () => ({ '@type': 'WebSite', name: library.registry.library.title, url: absoluteHref(PATHS.home) });

/** The front page: the site, and how it is searched. */
export function siteData(): Record<string, unknown> {
	return {
		...part(),
		description: library.registry.library.description,
		potentialAction: {
			'@type': 'SearchAction',
			target: `${absoluteHref(PATHS.search)}?q={search_term_string}`,
			'query-input': 'required name=search_term_string',
		},
	};
}

/** The catalog: a list of all patterns in its order. */
export function catalogData(): Record<string, unknown> {
	return {
		'@type': 'CollectionPage',
		name: 'Patterns',
		url: absoluteHref(PATHS.catalog),
		isPartOf: part(),
		mainEntity: { '@type': 'ItemList', numberOfItems: library.patterns.length },
	};
}

/** A card: an article about the pattern, and the way to it. */
export function cardData(record: PatternRecord, category: string): Record<string, unknown>[] {
	const url = absoluteHref(PATHS.card(record.id));
	return [
		{
			'@type': 'TechArticle',
			headline: record.title,
			description: record.summary,
			url,
			articleSection: category,
			keywords: record.keywords.join(', '),
			isPartOf: part(),
			...(record.verifiedAt ? { dateModified: record.verifiedAt } : {}),
		},
		crumbs([
			['Patterns', PATHS.catalog],
			[record.title, PATHS.card(record.id)],
		]),
	];
}

/** A guide or a pattern's description. */
export function guideData(title: string, description: string, path: string): Record<string, unknown>[] {
	return [
		{ '@type': 'TechArticle', headline: title, description, url: absoluteHref(path), isPartOf: part() },
		crumbs([
			['Guides', PATHS.guides],
			[title, path],
		]),
	];
}

function crumbs(steps: readonly (readonly [name: string, path: string])[]): Record<string, unknown> {
	return {
		'@type': 'BreadcrumbList',
		itemListElement: steps.map(([name, path], at) => ({
			'@type': 'ListItem',
			position: at + 1,
			name,
			item: absoluteHref(path),
		})),
	};
}
