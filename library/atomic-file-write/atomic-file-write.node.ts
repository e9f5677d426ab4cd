import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Files, replaceFile, type WriteOptions } from './atomic-file-write.ts';

/** The file operations of Node. */
export const nodeFiles: Files = {
	async find(path) {
		try {
			const real = await realpath(path);
			return { path: real, mode: (await stat(real)).mode & 0o7777 };
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
			throw error;
		}
	},
	create: (path, mode) => open(path, 'wx', mode),
	async openFolder(path) {
		// Windows opens no folder as a file; NTFS journals the rename itself.
		if (process.platform === 'win32') return { sync: async () => undefined, close: async () => undefined };
		const folder = await open(path, 'r');
		return { sync: () => folder.sync().catch(ignoreUnsupported), close: () => folder.close() };
	},
	rename,
	remove: unlink,
	folderOf: dirname,
	entry: join,
};

/** Some network and user-space file systems have no fsync for folders and say so with `EINVAL` or `ENOTSUP`. */
function ignoreUnsupported(error: NodeJS.ErrnoException): void {
	if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error;
}

/** As `replaceFile`, on Node's own file system unless `files` names another (a test's, one that fails). */
export function writeFileAtomic(
	path: string,
	data: string | Uint8Array,
	options: WriteOptions & { files?: Files } = {},
): Promise<void> {
	const { files = nodeFiles, ...rest } = options;
	return replaceFile(files, path, data, rest);
}
