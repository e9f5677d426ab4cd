import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type EntryKind, foldName, isRepositoryPath, type RepositoryFiles } from './repository-files.ts';

/** The repository rooted at a folder of this disk. Folders are read once, so an instance is for one run. */
export function diskFiles(root: string): RepositoryFiles {
	const realRoot = realpathSync(root);
	const folders = new Map<string, Dirent[]>();

	function entries(folder: string): Dirent[] {
		const known = folders.get(folder);
		if (known) return known;
		const found = readFolder(join(root, folder));
		folders.set(folder, found);
		return found;
	}

	/** Each step must stand in its folder's listing letter for letter: a case-folding disk would find more than that. */
	function exists(path: string): boolean {
		if (!isRepositoryPath(path)) return false;
		const steps = path.split('/');
		return steps.every((step, index) => entries(steps.slice(0, index).join('/')).some((entry) => entry.name === step));
	}

	function kind(path: string): EntryKind | undefined {
		if (!exists(path)) return undefined;
		const real = attempt(() => realpathSync(join(root, path)));
		if (real === undefined) return undefined;
		const way = relative(realRoot, real);
		if (way === '..' || way.startsWith(`..${sep}`)) return 'outside';
		const stats = statSync(real);
		if (stats.isFile()) return 'file';
		return stats.isDirectory() ? 'dir' : 'other';
	}

	return {
		kind,
		respelled(path) {
			if (!isRepositoryPath(path)) return undefined;
			let found = '';
			for (const step of path.split('/')) {
				const names = entries(found).map((entry) => entry.name);
				const name = names.includes(step) ? step : names.find((one) => foldName(one) === foldName(step));
				if (name === undefined) return undefined;
				found = found === '' ? name : `${found}/${name}`;
			}
			return found === path ? undefined : found;
		},
		read(path) {
			return kind(path) === 'file' ? attempt(() => readFileSync(join(root, path), 'utf8')) : undefined;
		},
		list(folder) {
			const found: string[] = [];
			const queue = [folder];
			for (const next of queue) {
				for (const entry of entries(next)) {
					if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
					const path = next === '' ? entry.name : `${next}/${entry.name}`;
					if (entry.isDirectory()) queue.push(path);
					else if (entry.isFile()) found.push(path);
				}
			}
			return found.sort();
		},
	};
}

function readFolder(folder: string): Dirent[] {
	return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** The result, or undefined when the disk refuses: a missing entry and an unreadable one are both no evidence. */
function attempt<Result>(read: () => Result): Result | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
