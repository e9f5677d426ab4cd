/** Which paths of a repository may be shown, judged by their text alone. The disk is `security.ts`'s part. */

export type PathVerdict = { ok: true; segments: string[] } | { ok: false; reason: string };

const MAX_PATH_LENGTH = 1024;

/** Folders whose content is never shown, at any depth: histories, installed code, credentials of tools. */
const DENIED_FOLDERS: ReadonlySet<string> = new Set([
	...['.git', 'git~1', '.hg', '.svn', 'node_modules'],
	...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.gcloud', '.terraform'],
]);

/** Templates that hold names and no secrets; a reader needs them to know what to configure. */
const ENV_TEMPLATES: ReadonlySet<string> = new Set(['.env.example', '.env.sample', '.env.template']);

/** Names of files that hold credentials. */
const DENIED_NAMES: ReadonlySet<string> = new Set([
	...[
		'.npmrc',
		'.yarnrc',
		'.yarnrc.yml',
		'.pypirc',
		'.netrc',
		'_netrc',
		'.dockercfg',
		'.htpasswd',
		'.pgpass',
		'.my.cnf',
		'.vault-token',
		'.bash_history',
		'.zsh_history',
		'.dockerconfigjson',
		'service-account.json',
	],
	...['.git-credentials', 'credentials', 'credentials.json', 'secrets.json', 'secrets.yml', 'secrets.yaml'],
]);

const DENIED_SUFFIXES = [
	...['.pem', '.key', '.p8', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk', '.gpg'],
	...['.tfstate', '.tfstate.backup', '.tfvars'],
];

/** What is said of a denied path, whether or not it exists. */
export const DENIED = 'files of this kind are never shown (secrets, version control, installed packages)';

/**
 * Judges a path as a client sends it. It must be relative, with `/` between its segments, written plainly: no `..`, no
 * backslash, no percent-encoding, no control character. `.` and empty segments are dropped.
 */
export function judgePath(path: string): PathVerdict {
	if (path.trim() === '') return refuse('the path is empty');
	if (path.length > MAX_PATH_LENGTH) return refuse(`the path is longer than ${MAX_PATH_LENGTH} characters`);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	if (/[\u0000-\u001f\u007f]/.test(path)) return refuse('the path has a control character');
	if (path.includes('\\')) return refuse('the path has a backslash; write / between folders');
	if (/%[0-9a-f]{2}/i.test(path)) return refuse('the path is percent-encoded; write it plainly');
	if (/^(?:\/|~|[a-z][a-z0-9+.-]*:)/i.test(path))
		return refuse('the path must be relative to the root of the repository');
	const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
	if (segments.some((segment) => /^[. ]+$/.test(visible(segment))))
		return refuse('the path has a ".." segment; write it from the root of the repository');
	if (segments.length === 0) return refuse('the path names a folder; name a file in it');
	return isDenied(segments) ? refuse(DENIED) : { ok: true, segments };
}

/** Whether a path from the root is on the denylist, in any case and whatever a forgiving file system might fold. */
export function isDenied(segments: readonly string[]): boolean {
	return segments.some((segment, index) =>
		aliases(segment).some((name) => deniesName(name, index === segments.length - 1)),
	);
}

/** Folders and what looks like one are denied anywhere in a path, names of files only at its end. */
function deniesName(name: string, last: boolean): boolean {
	if (DENIED_FOLDERS.has(name) || DENIED_SUFFIXES.some((suffix) => name.endsWith(suffix))) return true;
	if (name.startsWith('.env')) return !ENV_TEMPLATES.has(name);
	if (name.endsWith('.env')) return true;
	return last && (DENIED_NAMES.has(name) || name.startsWith('id_'));
}

/** The names by which a file system might know a segment: NTFS cuts a stream after a colon, Windows trailing dots and spaces. */
function aliases(segment: string): string[] {
	const name = visible(segment).toLowerCase();
	return [name, name.replace(/(?<=.):.*$/s, '')].map((form) => form.replace(/[. ]+$/, ''));
}

/** A name without the characters that some file systems ignore, in its compatibility form. */
function visible(segment: string): string {
	return segment.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
}

function refuse(reason: string): PathVerdict {
	return { ok: false, reason };
}
