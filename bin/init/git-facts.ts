import { browseAddress } from '../../registry/browse-address.ts';
import type { ReadText } from './steps.ts';

/** What git's own files tell of a repository, without a git process. */
export interface GitFacts {
	/** Where the code of the remote "origin" can be browsed. */
	repository?: string;
	/** The branch that links should name: the remote's own choice, else the one that is checked out. */
	branch?: string;
}

/** Reads the folder `.git` at the root; nothing is known of a worktree or a submodule, where that is a file. */
export function gitFacts(read: ReadText): GitFacts {
	const origin = originIn(read('.git/config') ?? '');
	const repository = origin === undefined ? undefined : browseAddress(origin);
	// A clone knows the remote's default; the branch that is checked out may be somebody's work of today.
	const branch =
		/^ref: refs\/remotes\/origin\/(\S+)\s*$/.exec(read('.git/refs/remotes/origin/HEAD') ?? '')?.[1] ??
		/^ref: refs\/heads\/(\S+)\s*$/.exec(read('.git/HEAD') ?? '')?.[1];
	return { ...(repository ? { repository } : {}), ...(branch ? { branch } : {}) };
}

/** The first `url` of the section `[remote "origin"]`, as git-config writes it. */
function originIn(config: string): string | undefined {
	let inside = false;
	for (const line of config.split(/\r\n|\n/)) {
		if (/^\s*\[/.test(line)) inside = /^\s*\[remote\s+"origin"\]/i.test(line);
		const url = inside ? /^\s*url\s*=\s*"?([^"\s]+)"?\s*$/i.exec(line)?.[1] : undefined;
		if (url !== undefined) return url;
	}
	return undefined;
}
