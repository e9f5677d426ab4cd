import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Step } from './steps.ts';

/** What stands in the way of files that `init` reads or makes; looked at before anything is written. */

/**
 * Targets that are no place for a file: a folder, a pipe, a link that leads nowhere or out of the repository, a path
 * through a file. One line each; none when all is well.
 */
export function placeFaults(root: string, targets: readonly string[]): string[] {
	const faults = targets.flatMap((target) => placeFault(root, target) ?? []);
	return [...new Set(faults)];
}

/**
 * Targets of steps that the disk would refuse to write.
 * @param mayWrite whether this process may write a file, or make files in a folder
 */
export function writeFaults(root: string, steps: readonly Step[], mayWrite = isWritable): string[] {
	const faults = steps.flatMap(({ kind, path }) => {
		if (kind === 'leave') return [];
		const there = nearest(root, path);
		// A file is replaced as a whole, for which its folder has to be writable too.
		const needed = there === path ? [path, dirname(path)] : [there];
		return needed
			.filter((one) => !mayWrite(join(root, one)))
			.map((one) => `${one === '.' ? root : one} cannot be written. Change its rights, or run init as its owner.`);
	});
	return [...new Set(faults)];
}

function placeFault(root: string, target: string): string | undefined {
	const there = nearest(root, target);
	const at = join(root, there);
	const real = realOf(at);
	if (real === undefined) return `${there} is a link that leads nowhere. Remove it, or make what it points to.`;
	const way = relative(realpathSync(root), real);
	if (way === '..' || way.startsWith(`..${sep}`)) {
		return `${there} is a link that leads out of the repository. Replace it with a file or a folder of its own.`;
	}
	const stats = statSync(real);
	if (there !== target) {
		return stats.isDirectory() ? undefined : `${there} is no folder, but ${target} belongs in it. Move it away.`;
	}
	if (stats.isDirectory()) return `${target} is a folder, but a file belongs there. Move it away.`;
	return stats.isFile() ? undefined : `${target} is no regular file. Move it away.`;
}

/** The target itself when anything has its name, a broken link too, else the closest folder above it that is there. */
function nearest(root: string, target: string): string {
	for (let path = target; path !== '.'; path = dirname(path)) {
		if (hasEntry(join(root, path))) return path;
	}
	return '.';
}

function hasEntry(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		// Below a file nothing has an entry; the file itself is found next.
		return false;
	}
}

function realOf(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}

function isWritable(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}
