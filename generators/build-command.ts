/** The npm script that a repository may have for the build; `init` writes it into a package.json. */
const SCRIPT = 'patterns:build';

/** The build as a repository with that script runs it. */
export const SCRIPT_COMMAND = `npm run ${SCRIPT}`;

/** The build as every other repository runs it. */
export const BARE_COMMAND = 'v10r-patterns build';

/**
 * The command that rewrites every generated file of a repository: its own script when the package.json at its root has
 * one, else the program by its name.
 * @param read bytes of a file by its path from the root; undefined when there is none
 */
export function buildCommand(read: (path: string) => Uint8Array | undefined): string {
	return hasScript(read('package.json')) ? SCRIPT_COMMAND : BARE_COMMAND;
}

function hasScript(bytes: Uint8Array | undefined): boolean {
	try {
		const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
		const scripts = typeof manifest === 'object' && manifest !== null && 'scripts' in manifest && manifest.scripts;
		return typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, SCRIPT);
	} catch {
		return false;
	}
}
