/**
 * A file or folder in the repository's browser, at a line (1-based) when one is given, on the branch main when none is;
 * undefined when the library names no repository.
 */
export function repositoryHref(
	repository: string,
	path: string,
	at: { line?: number; kind?: 'file' | 'dir'; branch?: string | undefined } = {},
): string | undefined {
	if (repository === '') return undefined;
	const encoded = (way: string) => way.split('/').map(encodeURIComponent).join('/');
	const way = `${encoded(at.branch ?? 'main')}/${encoded(path.replace(/^\.?\/+/, ''))}`;
	const line = at.line === undefined ? '' : `#L${at.line}`;
	return `${repository.replace(/\/+$/, '')}/${at.kind === 'dir' ? 'tree' : 'blob'}/${way}${line}`;
}
