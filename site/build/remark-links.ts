import { relative, sep } from 'node:path';
import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';
import { docLink } from '../lib/doc-links.ts';
import { diskTargets, type TargetOptions } from '../lib/doc-targets.ts';

/** A remark plugin that turns links between files of the repository into links between pages; see `docLink`. */
export function remarkLinks(options: TargetOptions) {
	const targets = diskTargets(options);
	return (tree: Root, file: { path?: string | undefined }): void => {
		const from = relative(options.root, file.path ?? options.root)
			.split(sep)
			.join('/');
		visit(tree, (node) => {
			if (node.type === 'link' || node.type === 'definition') node.url = docLink(node.url, from, targets);
		});
	};
}
