import { lstat, mkdir, readdir, readFile, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { writeFileAtomic } from '../library/atomic-file-write/atomic-file-write.node.ts';

/** What the disk does not allow, in words for the person at it. */
export class DiskError extends Error {
	override name = 'DiskError';
}

/** The files of a repository; every path is relative to its root, with `/` between its parts. */
export interface Disk {
	/** The file's bytes, or undefined when there is none. */
	read(path: string): Promise<Uint8Array | undefined>;
	/** Every file below a folder, links and special files too, sorted; none when there is no such folder. */
	list(folder: string): Promise<string[]>;
	/** Replaces or creates the file as a whole, with the folders that it needs. */
	write(path: string, bytes: Uint8Array): Promise<void>;
	/** Removes a file; a link is removed, not what it points to. */
	remove(path: string): Promise<void>;
}

/** The files below `root` on the real disk. */
export function nodeDisk(root: string): Disk {
	const at = (path: string) => join(root, path);
	return {
		async read(path) {
			// What is not in the repository is missing from every clone, whatever stands there now.
			await refuseToLeave(root, path);
			const entry = await stat(at(path)).catch(ifMissing(path));
			// A pipe or a device would keep the reader waiting.
			if (entry && !entry.isFile() && !entry.isDirectory()) {
				throw new DiskError(`${path} is no regular file. Remove it; the generator writes what belongs there.`);
			}
			return entry && readFile(at(path)).catch(ifMissing(path));
		},
		async list(folder) {
			const entries = await readdir(at(folder), { withFileTypes: true, recursive: true }).catch((error) => {
				if (hasCode(error, 'ENOENT')) return [];
				throw error;
			});
			return entries
				.filter((entry) => !entry.isDirectory())
				.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
				.sort();
		},
		async write(path, bytes) {
			await refuseToLeave(root, path);
			await mkdir(dirname(at(path)), { recursive: true });
			await writeFileAtomic(at(path), bytes);
		},
		async remove(path) {
			await refuseToLeave(root, dirname(path));
			await unlink(at(path));
		},
	};
}

/**
 * A linked folder or file may lead out of the repository, where nothing is ours to read or write. What of the path exists already
 * decides; it is looked at before any folder is made.
 */
async function refuseToLeave(root: string, path: string): Promise<void> {
	let there = path;
	while (there !== '.' && !(await exists(join(root, there)))) there = dirname(there);
	const real = await realpath(join(root, there)).catch(() => undefined);
	const inside = real === undefined ? '..' : relative(await realpath(root), real);
	if (inside === '..' || inside.startsWith(`..${sep}`)) {
		throw new DiskError(
			`${there} is a link that leads out of the repository or nowhere. Replace it with a file or a folder of its own.`,
		);
	}
}

/** Whether there is anything under the name, a broken link too. */
async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch (error) {
		if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return false;
		throw error;
	}
}

function ifMissing(path: string): (error: unknown) => undefined {
	return (error) => {
		if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
		if (hasCode(error, 'EISDIR'))
			throw new DiskError(`${path} is a folder, but a generated file belongs there. Move it away.`);
		throw error;
	};
}

function hasCode(error: unknown, code: string): boolean {
	return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
