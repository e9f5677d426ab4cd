import { graphlib, layout } from '@dagrejs/dagre';
import { textWidth } from './text-width.ts';

/** What a graph is drawn from. Dependencies on records that are not among them are left out. */
export interface GraphRecord {
	id: string;
	title: string;
	depends_on: readonly string[];
}

/** A record in the drawing. Pixels; `x` and `y` are its upper left corner. */
export interface GraphNode {
	id: string;
	/** Its title, without what follows a colon. */
	label: string;
	x: number;
	y: number;
	width: number;
	height: number;
	/** Ids of the records that it builds on, and of those that build on it. */
	needs: string[];
	neededBy: string[];
	/** Where the arrow keys lead: along edges to the sides, to the nearest in its column up and down. */
	keys: { left?: string; right?: string; up?: string; down?: string };
}

export interface GraphEdge {
	/** The record that is built on, and the one that builds on it. */
	from: string;
	to: string;
	/** An SVG path, ending where its arrow's point is. */
	path: string;
}

export interface GraphDrawing {
	width: number;
	height: number;
	/** In the order in which the Tab key visits them: each after what it builds on, then those without dependencies. */
	nodes: GraphNode[];
	edges: GraphEdge[];
	/** Where the records that stand alone begin; undefined when there are none. */
	alone: number | undefined;
}

const HEIGHT = 40;
const TEXT = 13;
const GAP = 14;
const HEADING = 44;
const EDGE = 4;

/** More connected records than this make a drawing that nobody can read, and a layout that takes long. */
export const MOST_DRAWN = 250;

/** The same for all records, connected or not. */
export const MOST_RECORDS = 600;

type Box = Pick<GraphNode, 'id' | 'label' | 'x' | 'y' | 'width' | 'height'>;

/**
 * Draws the dependencies of a registry in layers from left to right: what others build on stands left. Records without
 * dependencies and dependents follow below in rows. Same records, same drawing.
 * @returns undefined when there are more records, or more connected ones, than can be drawn
 */
export function layoutGraph(records: readonly GraphRecord[], width: number): GraphDrawing | undefined {
	const ids = new Set(records.map(({ id }) => id));
	const needs = new Map(records.map(({ id, depends_on }) => [id, depends_on.filter((other) => ids.has(other))]));
	const neededBy = new Map<string, string[]>(records.map(({ id }) => [id, []]));
	for (const [id, others] of needs) for (const other of others) neededBy.get(other)?.push(id);
	const isAlone = ({ id }: GraphRecord) => needs.get(id)?.length === 0 && neededBy.get(id)?.length === 0;
	const connected = records.filter((record) => !isAlone(record));
	if (connected.length > MOST_DRAWN || records.length > MOST_RECORDS) return undefined;

	const layered = layoutConnected(connected, needs);
	const single = records.filter(isAlone);
	const alone = single.length > 0 ? (layered.height > 0 ? layered.height + HEADING : 0) : undefined;
	const rows = layoutRows(single, alone ?? 0, Math.max(width, layered.width));
	const boxes = [...layered.boxes, ...rows.boxes];
	const nodes = boxes.map((box): GraphNode => {
		const left = needs.get(box.id) ?? [];
		const right = neededBy.get(box.id) ?? [];
		return { ...box, needs: left, neededBy: right, keys: keysOf(box, boxes, left, right) };
	});
	return {
		width: Math.max(width, layered.width),
		height: Math.max(layered.height, rows.bottom),
		nodes,
		edges: layered.edges,
		alone,
	};
}

function layoutConnected(
	records: readonly GraphRecord[],
	needs: ReadonlyMap<string, readonly string[]>,
): { boxes: Box[]; edges: GraphEdge[]; width: number; height: number } {
	if (records.length === 0) return { boxes: [], edges: [], width: 0, height: 0 };
	const graph = new graphlib.Graph({ directed: true });
	graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 54, marginx: EDGE, marginy: EDGE });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { id, title } of records) graph.setNode(id, { width: widthOf(title), height: HEIGHT });
	for (const { id } of records) for (const other of needs.get(id) ?? []) graph.setEdge(other, id);
	layout(graph);

	// Boxes begin at the left edge of their layer, so that the gaps between layers belong to the lines alone.
	const layers = layersOf(records.map(({ id }) => graph.node(id)));
	const layerOf = (id: string) => layers.findIndex(({ middle }) => Math.abs(middle - graph.node(id).x) < 1);
	const boxes = records.map(({ id, title }): Box => {
		const { y, width } = graph.node(id);
		const x = layers[layerOf(id)]?.left ?? 0;
		return { id, label: shortTitle(title), x, y: round(y - HEIGHT / 2), width, height: HEIGHT };
	});
	const edges = graph.edges().map(({ v, w }): GraphEdge => {
		const route: readonly Point[] = graph.edge(v, w).points ?? [];
		const [from, to] = [layerOf(v), layerOf(w)];
		const start = (layers[from]?.left ?? 0) + graph.node(v).width;
		let path = `M${start} ${round(graph.node(v).y)}H${layers[from]?.right ?? start}`;
		let before = { x: layers[from]?.right ?? start, y: round(graph.node(v).y) };
		for (const layer of layers.slice(from + 1, to + 1)) {
			const isLast = layer === layers[to];
			const y = round(isLast ? graph.node(w).y : heightAt(route, layer.middle));
			const half = round((before.x + layer.left) / 2);
			path += `C${half} ${before.y} ${half} ${y} ${layer.left} ${y}${isLast ? '' : `H${layer.right}`}`;
			before = { x: layer.right, y };
		}
		return { from: v, to: w, path };
	});
	const { width = 0, height = 0 } = graph.graph();
	return { boxes: boxes.sort(byPlace), edges, width: Math.ceil(width), height: Math.ceil(height) };
}

interface Point {
	x: number;
	y: number;
}

/** The layers of placed boxes, which share a middle, from left to right, each as wide as its widest box. */
function layersOf(boxes: readonly { x: number; width: number }[]): { middle: number; left: number; right: number }[] {
	const widest = new Map<number, number>();
	for (const { x, width } of boxes) widest.set(x, Math.max(width, widest.get(x) ?? 0));
	return [...widest]
		.sort(([a], [b]) => a - b)
		.map(([middle, width]) => ({ middle, left: round(middle - width / 2), right: round(middle + width / 2) }));
}

/** How high a route passes at a place. */
function heightAt(route: readonly Point[], x: number): number {
	const after = route.findIndex((point) => point.x >= x);
	const [b, a] = [route[after] ?? route.at(-1), route[after - 1] ?? route[0]];
	if (!a || !b) return 0;
	return a.x === b.x ? b.y : a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y);
}

/** Rows of boxes, each as full as the width allows. */
function layoutRows(records: readonly GraphRecord[], top: number, width: number): { boxes: Box[]; bottom: number } {
	let x = EDGE;
	let y = top;
	const boxes = records.map(({ id, title }): Box => {
		const own = widthOf(title);
		if (x > EDGE && x + own > width - EDGE) {
			x = EDGE;
			y += HEIGHT + GAP;
		}
		const box = { id, label: shortTitle(title), x, y, width: own, height: HEIGHT };
		x += own + GAP;
		return box;
	});
	return { boxes, bottom: records.length > 0 ? y + HEIGHT + EDGE : 0 };
}

function keysOf(box: Box, boxes: readonly Box[], left: readonly string[], right: readonly string[]): GraphNode['keys'] {
	const nearest = (ids: readonly string[]) =>
		boxes
			.filter(({ id }) => ids.includes(id))
			.sort((a, b) => Math.abs(a.y - box.y) - Math.abs(b.y - box.y) || a.y - b.y)[0]?.id;
	/** Of the boxes above or below, the nearest; a step aside counts three times, so that a column holds together. */
	const beside = (direction: 1 | -1) =>
		boxes
			.filter(({ y }) => (y - box.y) * direction > 0)
			.map((other) => ({ id: other.id, far: Math.abs(other.y - box.y) + 3 * aside(box, other) }))
			.sort((a, b) => a.far - b.far)[0]?.id;
	const inRow = (direction: 1 | -1) =>
		left.length + right.length > 0
			? undefined
			: boxes
					.filter(({ y, x }) => y === box.y && (x - box.x) * direction > 0)
					.sort((a, b) => (a.x - b.x) * direction)[0]?.id;
	const keys = {
		left: nearest(left) ?? inRow(-1),
		right: nearest(right) ?? inRow(1),
		up: beside(-1),
		down: beside(1),
	};
	return Object.fromEntries(Object.entries(keys).filter(([, id]) => id !== undefined));
}

/** How far two boxes stand apart across; 0 when one is above the other. */
function aside(a: Box, b: Box): number {
	return Math.max(0, Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width));
}

function byPlace(a: Box, b: Box): number {
	return a.x - b.x || a.y - b.y;
}

function shortTitle(title: string): string {
	return title.split(/:\s/)[0] ?? title;
}

function widthOf(title: string): number {
	return Math.ceil(textWidth(shortTitle(title), TEXT)) + 26;
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}
