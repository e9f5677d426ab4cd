import { PATHS } from '../links.ts';
import { readmePage } from '../refs.ts';
import { repositoryHref } from '../repository-href.ts';
import { library } from '../source.ts';
import type { Showcase } from './demos.ts';

/** What stands behind a scenario. */
export interface Reference {
	label: string;
	/** A page of the site by its path from the site's root. */
	page?: string;
	/** A file in the repository's browser. */
	file?: string;
}

/** The card of a scenario, its description, and its files; those that a reader cannot reach are left out. */
export function referencesOf({ id, card }: Pick<Showcase, 'id' | 'card'>): Reference[] {
	const readme = readmePage(id);
	const files = [
		['Code', `${id}.ts`],
		['Tests', `${id}.test.ts`],
		['Scenario', `${id}.demo.ts`],
	] as const;
	return [
		{ label: 'Pattern card', page: PATHS.card(card.id) },
		...(readme === undefined ? [] : [{ label: 'README', page: readme }]),
		...files.flatMap(([label, name]) => {
			const file = repositoryHref(library.registry.library.repository, `library/${id}/${name}`, {
				branch: library.registry.library.branch,
			});
			return file === undefined ? [] : [{ label, file }];
		}),
	];
}
