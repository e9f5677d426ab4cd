import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The `read` port of a plan over the real disk: the bytes of a file of the repository at `root`, if it is there. */
export function readRepositoryFile(root: string): (path: string) => Uint8Array | undefined {
	return (path) => {
		try {
			return readFileSync(join(root, path));
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
			throw error;
		}
	};
}
