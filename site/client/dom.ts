/** Makes an element with attributes and children; a string child is text. Nothing is ever parsed as HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
	tag: Tag,
	attributes: Readonly<Record<string, string>> = {},
	...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}
