import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The `read` port of a plan over the real disk: the bytes of a file of the repository at `root`, if it is there. */
export function readRepositoryFile(root: string): (path: string) => Uint8Array | undefined {
	return (path) => {
		try {
			// A pipe or a device would keep the reader waiting.
			return statSync(join(root, path)).isFile() ? readFileSync(join(root, path)) : undefined;
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
			throw error;
		}
	};
}
