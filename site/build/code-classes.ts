import type { Element } from 'hast';
import type { ShikiTransformer } from 'shiki';

/** The class of each kind of token, by the variable that Shiki's theme of variables names. */
const CLASSES: Readonly<Record<string, string>> = {
	keyword: 't-k',
	string: 't-s',
	'string-expression': 't-s',
	constant: 't-n',
	function: 't-f',
	comment: 't-c',
	punctuation: 't-p',
};

/**
 * Gives highlighted code classes in place of styles: both themes then share one text, and a token costs a few bytes.
 * Tokens in the plain colour lose their element altogether.
 */
export const codeClasses: ShikiTransformer = {
	name: 'code-classes',
	pre(node) {
		delete node.properties.style;
	},
	line(node) {
		const children: Element['children'] = [];
		for (const child of node.children) {
			const plain = child.type === 'element' ? withClass(child) : [child];
			for (const item of plain) {
				const last = children.at(-1);
				if (item.type === 'text' && last?.type === 'text') last.value += item.value;
				else children.push(item);
			}
		}
		node.children = children;
	},
};

function withClass(token: Element): Element['children'] {
	const [, kind = ''] = /--[a-z]+(?:-code)?-token-([a-z-]+)/.exec(String(token.properties.style ?? '')) ?? [];
	const name = CLASSES[kind];
	if (name === undefined) return token.children;
	token.properties = { class: name };
	return [token];
}
