/** A word as a POSIX shell reads it back: bare when it is plain, else in single quotes. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
