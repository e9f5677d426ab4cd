/** What the exit code says; `--help` documents the same. */
export const EXIT = {
	/** Done, or answered; a search that finds nothing is an answer. */
	ok: 0,
	/** The gate found something: errors, drift, findings. */
	found: 1,
	/** The command could not run: wrong arguments, a file that is missing or unreadable. */
	refused: 2,
} as const;

export const EXIT_HELP = `
Exit codes:
  0  done or answered (also when a search finds nothing, or with warnings only)
  1  found something: errors in the registry, files out of date, findings in a snippet
  2  could not run: wrong arguments, or a file that is missing or unreadable
`;

/** Why a command cannot run, in words for the person who typed it. */
export class Refusal extends Error {
	override readonly name = 'Refusal';
}
