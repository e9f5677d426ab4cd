import { isPlaceholderUrl } from '../placeholder.ts';
import { type Problem, warning } from '../problem.ts';
import type { Check } from './check.ts';

const FIXES = {
	url: 'Put the real address: where the site is published; empty when there is none.',
	repository: 'Put the real address: where the code can be browsed; empty when that is nowhere.',
} as const;

/** Every link of every surface begins with these; a placeholder may stand while a library is being set up. */
export const checkAddresses: Check = ({ registry: { library } }) => [
	...(['url', 'repository'] as const)
		.filter((field) => isPlaceholderUrl(library[field]))
		.map((field) =>
			warning(
				['library', field],
				`${JSON.stringify(library[field])} is a placeholder, and links are made of it.`,
				FIXES[field],
			),
		),
	...insideRepository(library.repository),
];

/** Links are made by adding a branch and a path, so the address must be that of the repository as a whole. */
function insideRepository(address: string): Problem[] {
	const [, whole, branch] = /^(https?:\/\/[^/]+\/.+?)(?:\/-|\/src)?\/(?:tree|blob)\/([^/]*)/.exec(address) ?? [];
	if (whole === undefined) return [];
	const named = branch ? `, and the branch as "branch": ${JSON.stringify(branch)} when it is not main` : '';
	const message = `${JSON.stringify(address)} leads into the repository, and links add their own branch and path.`;
	return [warning(['library', 'repository'], message, `Write ${JSON.stringify(whole)}${named}.`)];
}
