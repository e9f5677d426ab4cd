import { anchorsOf } from '../anchors.ts';
import { didYouMean, error, nearest, type Problem } from '../problem.ts';
import { isRepositoryPath, type RepositoryFiles } from '../repository-files.ts';
import { REF_FIELDS, type Ref } from '../schema.ts';
import type { Check } from './check.ts';

/** Every path of the repository that a card names exists, in its exact case, is of its kind, and has the heading. */
export const checkRefs: Check = ({ registry, files }) => {
	const anchors = new Map<string, readonly string[]>();
	return registry.patterns.flatMap((record, index) =>
		REF_FIELDS.flatMap((field) =>
			record[field].flatMap((ref, at) => {
				if (ref.kind === 'route' || ref.kind === 'approute') return [];
				const path = ['patterns', index, field, at, 'path'];
				return [...pathProblems(path, ref, files), ...fragmentProblems(path, ref, files, anchors)];
			}),
		),
	);
};

/** The part of a ref before its fragment, and the fragment. */
export function splitFragment(path: string): { file: string; fragment?: string } {
	const hash = path.indexOf('#');
	return hash < 0 ? { file: path } : { file: path.slice(0, hash), fragment: path.slice(hash + 1) };
}

/** What is wrong with a path as the name of something in the repository; undefined when it stands there. */
export function pathFault(file: string, files: RepositoryFiles): { message: string; fix: string } | undefined {
	const quoted = JSON.stringify(file);
	if (!isRepositoryPath(file)) {
		return {
			message: `${quoted} is no path inside the repository.`,
			fix: 'Write it from the root, with / between names and none at either end, without . and .. steps.',
		};
	}
	const kind = files.kind(file);
	if (kind === 'outside') {
		return { message: `${quoted} is a link that leads out of the repository.`, fix: 'Cite a file of the repository.' };
	}
	if (kind !== undefined) return undefined;
	const respelled = files.respelled(file);
	if (respelled !== undefined) {
		return {
			message: `${quoted} differs in case from ${JSON.stringify(respelled)} on the disk.`,
			fix: `Write ${JSON.stringify(respelled)}.`,
		};
	}
	return { message: `${quoted} does not exist.`, fix: missingFix(file, files) };
}

function missingFix(file: string, files: RepositoryFiles): string {
	const name = file.slice(file.lastIndexOf('/') + 1);
	const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')));
	const close = nearest(file, files.list(folder));
	if (close !== undefined) return `Did you mean ${JSON.stringify(close)}?`;
	const moved = files.list('').filter((path) => path.endsWith(`/${name}`) || path === name);
	if (moved.length === 1) return `A file of that name is now ${JSON.stringify(moved[0])}.`;
	return 'Correct the path, or delete the ref.';
}

function pathProblems(path: Problem['path'], ref: Ref, files: RepositoryFiles): Problem[] {
	const { file } = splitFragment(ref.path);
	if (file.startsWith('/') && ref.kind === undefined) {
		const message = `${JSON.stringify(ref.path)} is no path inside the repository.`;
		return [error(path, message, 'Drop the leading /, or, if it is a page of the site, add "kind": "route".')];
	}
	const fault = pathFault(file, files);
	if (fault) return [error(path, `${fault.message}`, fault.fix)];
	const kind = files.kind(file);
	const expected = ref.kind === 'dir' ? 'dir' : 'file';
	if (kind === expected) return [];
	const found = kind === 'dir' ? 'a folder' : kind === 'file' ? 'a file' : 'neither a file nor a folder';
	const fix = kind === 'dir' ? 'Add "kind": "dir", or cite a file in it.' : 'Delete "kind", or cite a folder.';
	return [
		error(path, `${JSON.stringify(file)} is ${found}, expected a ${expected === 'dir' ? 'folder' : 'file'}.`, fix),
	];
}

function fragmentProblems(
	path: Problem['path'],
	ref: Ref,
	files: RepositoryFiles,
	known: Map<string, readonly string[]>,
): Problem[] {
	const { file, fragment } = splitFragment(ref.path);
	if (fragment === undefined) {
		return ref.kind === 'anchor'
			? [error(path, 'A ref of kind anchor names a heading; there is no #fragment.', 'Add one, or delete "kind".')]
			: [];
	}
	if (files.kind(file) !== 'file') return [];
	if (!/\.(?:md|mdx|markdown)$/i.test(file)) {
		const message = `${JSON.stringify(file)} is no Markdown file, so it has no heading "#${fragment}".`;
		return [error(path, message, 'Drop the fragment; a note can say where to look.')];
	}
	let anchors = known.get(file);
	if (!anchors) {
		anchors = anchorsOf(files.read(file) ?? '');
		known.set(file, anchors);
	}
	if (anchors.includes(decoded(fragment))) return [];
	const some = anchors.slice(0, 12).map((anchor) => `#${anchor}`);
	const listed = some.length === 0 ? 'It has none.' : `It has ${some.join(', ')}${anchors.length > 12 ? ', …' : ''}`;
	const message = `No heading of ${JSON.stringify(file)} has the fragment "#${fragment}".`;
	return [error(path, message, didYouMean(decoded(fragment), anchors, listed))];
}

function decoded(fragment: string): string {
	try {
		return decodeURIComponent(fragment);
	} catch {
		// A lone % is the fragment's own character, and stands in no slug.
		return fragment;
	}
}
