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

	const boxes = records.map(({ id, title }): Box => {
		const { x, y, width } = graph.node(id);
		return { id, label: shortTitle(title), x: round(x - width / 2), y: round(y - HEIGHT / 2), width, height: HEIGHT };
	});
	const edges = graph.edges().map(({ v, w }): GraphEdge => {
		// From the middle of one side to the middle of the other; only the bends between are dagre's.
		const [from, to] = [graph.node(v), graph.node(w)];
		const route: readonly { x: number; y: number }[] = graph.edge(v, w).points ?? [];
		const bends = route.slice(1, -1).filter(({ x }) => x > from.x + from.width / 2 + 8);
		const points = [
			{ x: from.x + from.width / 2, y: from.y },
			...bends.filter(({ x }) => x < to.x - to.width / 2 - 8),
			{ x: to.x - to.width / 2, y: to.y },
		];
		return { from: v, to: w, path: curve(points.map(({ x, y }) => ({ x: round(x), y: round(y) }))) };
	});
	const { width = 0, height = 0 } = graph.graph();
	return { boxes: boxes.sort(byPlace), edges, width: Math.ceil(width), height: Math.ceil(height) };
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
	return a.x + a.width / 2 - (b.x + b.width / 2) || a.y - b.y;
}

/** Through the points, level at both ends. */
function curve(points: readonly { x: number; y: number }[]): string {
	const [first, ...rest] = points;
	if (!first) return '';
	let path = `M${first.x} ${first.y}`;
	let before = first;
	for (const point of rest) {
		const middle = round((before.x + point.x) / 2);
		path += `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
		before = point;
	}
	return path;
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
