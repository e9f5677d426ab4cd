/**
 * The address at which a browser shows a repository, made of one that git or npm takes: `git@host:owner/name.git`,
 * `ssh://…`, `git+https://…`, `git://…`. Without user, password and `.git`. Undefined when the text is no such address.
 */
export function browseAddress(text: string): string | undefined {
	const address = text.trim().replace(/^git\+/, '');
	const [, web, webRest] = /^(https?|git):\/\/(?:[^/@\s]*@)?([^\s?#]+)/.exec(address) ?? [];
	const scheme = web === 'http' ? 'http' : 'https';
	if (webRest !== undefined) return `${scheme}://${withoutEnding(webRest)}`;
	// A name without a dot is an alias of somebody's own ssh settings.
	const [, host, path] =
		/^ssh:\/\/(?:[^/@\s]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?\/([^\s?#]+)$/.exec(address) ??
		/^[\w.-]+@([\w-]+(?:\.[\w-]+)+):\/?([^\s?#]+)$/.exec(address) ??
		[];
	return host === undefined || path === undefined ? undefined : `https://${host}/${withoutEnding(path)}`;
}

function withoutEnding(path: string): string {
	return path.replace(/\/+$/, '').replace(/\.git$/, '');
}
