/** What stands at a path: `other` is a device, a pipe or a socket; `outside` a link that leads out of the repository. */
export type EntryKind = 'file' | 'dir' | 'other' | 'outside';

/**
 * Read access to the repository that a registry describes. Paths are relative to its root, with `/`, exact in case on
 * every disk. Nothing here throws for a path that does not exist.
 */
export interface RepositoryFiles {
	kind(path: string): EntryKind | undefined;
	/** The path as the disk spells it, when it differs from `path` in case or Unicode form only. */
	respelled(path: string): string | undefined;
	/** The text of a file, or undefined when there is none or it cannot be read. */
	read(path: string): string | undefined;
	/** Paths of all files below a folder, in code-unit order; hidden ones and node_modules left out. */
	list(folder: string): string[];
}

/** True for a path that stays inside the root by its spelling: relative, forward slashes, no empty, `.` or `..` step. */
export function isRepositoryPath(path: string): boolean {
	return !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

/** A spelling in which names that some disks take for the same are equal. */
export function foldName(name: string): string {
	return name.normalize('NFC').toLowerCase();
}

/** A repository in memory: each file's text by its path; folders follow from them. */
export function memoryFiles(files: Readonly<Record<string, string>>): RepositoryFiles {
	const paths = Object.keys(files).sort();
	const folders = new Set(
		paths.flatMap((path) => {
			const steps = path.split('/');
			return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
		}),
	);
	const respellings = new Map([...folders, ...paths].map((path) => [foldName(path), path]));
	return {
		kind: (path) => (Object.hasOwn(files, path) ? 'file' : folders.has(path) ? 'dir' : undefined),
		respelled(path) {
			const found = respellings.get(foldName(path));
			return found === path ? undefined : found;
		},
		read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
		list: (folder) => paths.filter((path) => folder === '' || path.startsWith(`${folder}/`)),
	};
}
