import type { Element, ElementContent, Root } from 'hast';
import { visit } from 'unist-util-visit';

/** A rehype plugin that makes each heading below the first level a link to itself, unless it holds a link already. */
export function rehypeHeadingLinks() {
	return (tree: Root): void => {
		visit(tree, 'element', (node: Element) => {
			const { id } = node.properties;
			if (!/^h[2-6]$/.test(node.tagName) || typeof id !== 'string' || holdsLink(node.children)) return;
			const link: Element = {
				type: 'element',
				tagName: 'a',
				properties: { className: ['anchor'], href: `#${id}` },
				children: node.children,
			};
			node.children = [link];
		});
	};
}

function holdsLink(nodes: readonly ElementContent[]): boolean {
	return nodes.some((node) => node.type === 'element' && (node.tagName === 'a' || holdsLink(node.children)));
}
