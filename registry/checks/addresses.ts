import { isPlaceholderUrl } from '../placeholder.ts';
import { warning } from '../problem.ts';
import type { Check } from './check.ts';

const FIXES = {
	url: 'Put the real address: where the site is published; empty when there is none.',
	repository: 'Put the real address: where the code can be browsed; empty when that is nowhere.',
} as const;

/** Every link of every surface begins with these; a placeholder may stand while a library is being set up. */
export const checkAddresses: Check = ({ registry: { library } }) =>
	(['url', 'repository'] as const)
		.filter((field) => isPlaceholderUrl(library[field]))
		.map((field) =>
			warning(
				['library', field],
				`${JSON.stringify(library[field])} is a placeholder, and links are made of it.`,
				FIXES[field],
			),
		);
