/** Arrow keys along the lines of the graph, and the neighbourhood of the pattern that has the focus or the pointer. */
const graph = document.querySelector<SVGSVGElement>('[data-graph]');
const nodes = new Map(
	[...(graph?.querySelectorAll<SVGAElement>('.node') ?? [])].map((node) => [node.dataset.id ?? '', node]),
);
const edges = [...(graph?.querySelectorAll<SVGPathElement>('.edge') ?? [])];
const DIRECTIONS: Readonly<Record<string, string>> = {
	ArrowLeft: 'left',
	ArrowRight: 'right',
	ArrowUp: 'up',
	ArrowDown: 'down',
};

graph?.addEventListener('keydown', (event) => {
	const direction = DIRECTIONS[event.key];
	const node = nodeOf(event.target);
	if (direction === undefined || !node || event.altKey || event.ctrlKey || event.metaKey) return;
	event.preventDefault();
	nodes.get(node.dataset[direction] ?? '')?.focus();
});
for (const type of ['focusin', 'pointerover']) graph?.addEventListener(type, (event) => light(nodeOf(event.target)));
for (const type of ['focusout', 'pointerleave'])
	graph?.addEventListener(type, () => light(nodeOf(document.activeElement)));

function nodeOf(target: EventTarget | null): SVGAElement | undefined {
	const node = target instanceof Element ? target.closest('.node') : null;
	return node instanceof SVGAElement ? node : undefined;
}

function light(node: SVGAElement | undefined): void {
	const id = node?.dataset.id;
	const near = new Set((node?.dataset.near ?? '').split(' '));
	graph?.classList.toggle('is-lit', id !== undefined);
	for (const [other, element] of nodes) {
		element.classList.toggle('is-here', other === id);
		element.classList.toggle('is-near', id !== undefined && near.has(other));
	}
	for (const edge of edges) edge.classList.toggle('is-near', edge.dataset.from === id || edge.dataset.to === id);
}

export {};
