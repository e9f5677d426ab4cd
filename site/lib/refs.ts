import type { Ref } from './catalog.ts';
import { docLink } from './doc-links.ts';
import { diskTargets } from './doc-targets.ts';
import { href } from './links.ts';
import { library, root } from './source.ts';

const targets = diskTargets({
	root,
	base: import.meta.env.V10R_BASE,
	repository: library.registry.library.repository,
	branch: library.registry.library.branch,
	ids: library.patterns.map(({ id }) => id),
});

/** A ref of a card as a reader sees it. */
export interface ShownRef {
	/** The path as the card gives it. */
	label: string;
	note: string | undefined;
	/** Where it leads; undefined when the library names no repository to browse. */
	to: string | undefined;
	/** True when it leads out of the site. */
	external: boolean;
}

/** Resolves a ref: a route or a document leads to its page of the site, anything else into the repository's browser. */
export function shownRef(ref: Ref): ShownRef {
	const isRoute = ref.kind === 'route' || ref.kind === 'approute';
	const link = isRoute ? href(ref.path) : docLink(ref.path, '', targets);
	const linked = isRoute || link !== ref.path || /^https?:/i.test(link);
	return {
		label: ref.path,
		note: ref.note,
		to: linked ? link : undefined,
		external: /^https?:/i.test(link),
	};
}

/** A file of the repository in its browser, at a line (1-based); undefined when the library names no repository. */
export function sourceHref(path: string, line?: number): string | undefined {
	const address = targets.repository(path, targets.kind(path) ?? 'file');
	return address === undefined || line === undefined ? address : `${address}#L${line}`;
}

/** The page of a pattern's own description, when it has one. */
export function readmePage(id: string): string | undefined {
	const page = `/docs/library/${id}/`;
	return targets.hasPage(page) ? page : undefined;
}
