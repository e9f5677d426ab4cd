import { PATHS } from './links.ts';

/** The parts of the site, as its header names them. */
export const SECTIONS = [
	{ id: 'patterns', label: 'Patterns', to: PATHS.catalog },
	{ id: 'showcases', label: 'Showcases', to: PATHS.showcases },
	{ id: 'guides', label: 'Guides', to: PATHS.guides },
	{ id: 'search', label: 'Search', to: PATHS.search },
] as const;

/** A part of the site, by its id. */
export type Section = (typeof SECTIONS)[number]['id'];

/** The name of a part; empty for a page that belongs to none. */
export function sectionLabel(section: Section | undefined): string {
	return SECTIONS.find(({ id }) => id === section)?.label ?? '';
}
