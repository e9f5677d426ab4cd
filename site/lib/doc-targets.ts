import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkTargets } from './doc-links.ts';
import { repositoryHref } from './repository-href.ts';

/** What the links of a repository's Markdown are resolved against. */
export interface TargetOptions {
	/** The repository, absolute. */
	root: string;
	/** The base of the site, `/` or `/name`; or its whole address, for links that are absolute. */
	base: string;
	/** Where the repository is browsed; empty when nowhere. */
	repository: string;
	/** The branch that is browsed there; main when absent. */
	branch?: string | undefined;
	/** The patterns that have a page. */
	ids: readonly string[];
}

/** Link targets on the disk of a repository. */
export function diskTargets({ root, base, repository, branch, ids }: TargetOptions): LinkTargets {
	const cards = new Set(ids.map((id) => `/docs/pattern-library/${id}/`));
	const kind = (path: string) => {
		const found = join(root, path);
		if (!existsSync(found)) return undefined;
		return statSync(found).isDirectory() ? 'dir' : 'file';
	};
	return {
		page: (path) => `${base.replace(/\/+$/, '')}${path}`,
		kind,
		repository: (path, kind) => repositoryHref(repository, path, { kind, branch }),
		hasPage(path) {
			if (path === '/docs/pattern-library/' || cards.has(path)) return true;
			const [, readme] = /^\/docs\/library\/([^/]+)\/$/.exec(path) ?? [];
			if (readme !== undefined) return kind(`library/${readme}/README.md`) === 'file';
			const [, guide] = /^\/docs\/([^/]+)\/$/.exec(path) ?? [];
			if (guide === 'contributing') return kind('CONTRIBUTING.md') === 'file';
			if (guide === 'mcp') return kind('mcp/README.md') === 'file';
			return guide !== undefined && ['md', 'mdx'].some((ending) => kind(`docs/${guide}.${ending}`) === 'file');
		},
	};
}
