import { posix, relative, sep } from 'node:path';
import type { Image, Root } from 'mdast';
import { visit } from 'unist-util-visit';
import { decoded, docLink } from '../lib/doc-links.ts';
import { diskTargets, type TargetOptions } from '../lib/doc-targets.ts';

/** Tells whoever builds the site of something in a file that they will want to mend. */
type Warn = (text: string) => void;

/**
 * A remark plugin that turns links between files of the repository into links between pages; see `docLink`. An image of
 * the repository that is not there gives way to its description, since one lost picture must not cost the whole site.
 */
export function remarkLinks({ warn = console.warn, ...options }: TargetOptions & { warn?: Warn }) {
	const targets = diskTargets(options);
	return (tree: Root, file: { path?: string | undefined }): void => {
		const from = relative(options.root, file.path ?? options.root)
			.split(sep)
			.join('/');
		const isLost = ({ url }: Image) =>
			!/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(url) &&
			targets.kind(posix.join(posix.dirname(from), decoded(url.replace(/[?#].*$/s, '')))) !== 'file';
		visit(tree, (node, index, parent) => {
			if (node.type === 'link' || node.type === 'definition') node.url = docLink(node.url, from, targets);
			if (node.type !== 'image' || !parent || index === undefined || !isLost(node)) return;
			warn(
				`${from}:${node.position?.start.line ?? 1} There is no image ${node.url}; its description stands in its place.`,
			);
			parent.children[index] = { type: 'emphasis', children: [{ type: 'text', value: node.alt || node.url }] };
		});
	};
}
