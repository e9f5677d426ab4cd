import type { PatternRecord } from './schema.ts';

/** What the graph functions need of a record. */
export type Node = Pick<PatternRecord, 'id' | 'depends_on'>;

/**
 * Orders records so that each stands after those that it depends on (Kahn's algorithm). Among records that are free at
 * the same time the given order holds, so the result depends on nothing else. Dependencies outside `nodes` are ignored;
 * records in or behind a cycle come last, in the given order.
 */
export function dependencyOrder<T extends Node>(nodes: readonly T[]): T[] {
	const ids = new Set(nodes.map((node) => node.id));
	const waitsFor = new Map(
		nodes.map((node) => [node.id, new Set(node.depends_on.filter((dependency) => ids.has(dependency)))]),
	);
	const ordered: T[] = [];
	let rest = [...nodes];
	while (rest.length > 0) {
		const index = rest.findIndex((node) => waitsFor.get(node.id)?.size === 0);
		const node = rest[index];
		if (!node) return [...ordered, ...rest];
		ordered.push(node);
		rest = rest.toSpliced(index, 1);
		for (const waiting of waitsFor.values()) waiting.delete(node.id);
	}
	return ordered;
}

/**
 * The first cycle in `depends_on`, as the ids along it with the first one repeated at the end (`a → b → a`), beginning
 * at the record of the cycle that stands first in `nodes`; undefined when there is none.
 */
export function findCycle(nodes: readonly Node[]): string[] | undefined {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const done = new Set<string>();
	for (const start of nodes) {
		const cycle = walk(start.id, []);
		if (cycle) return startAtFirst(cycle);
	}
	return undefined;

	function walk(id: string, path: readonly string[]): string[] | undefined {
		const seen = path.indexOf(id);
		if (seen >= 0) return path.slice(seen);
		if (done.has(id)) return undefined;
		for (const dependency of byId.get(id)?.depends_on ?? []) {
			const cycle = walk(dependency, [...path, id]);
			if (cycle) return cycle;
		}
		done.add(id);
		return undefined;
	}

	function startAtFirst(cycle: readonly string[]): string[] {
		const first = nodes.find((node) => cycle.includes(node.id))?.id ?? '';
		const at = cycle.indexOf(first);
		return [...cycle.slice(at), ...cycle.slice(0, at), first];
	}
}

/** Everything that `id` depends on, directly or not, nearest first; without `id` itself, also in a cycle. */
export function dependencyClosure<T extends Node>(id: string, byId: ReadonlyMap<string, T>): T[] {
	const found = new Map<string, T>();
	const queue = [...(byId.get(id)?.depends_on ?? [])];
	for (const next of queue) {
		const node = byId.get(next);
		if (!node || next === id || found.has(next)) continue;
		found.set(next, node);
		queue.push(...node.depends_on);
	}
	return [...found.values()];
}

/** A requirement of a pattern, with the dependencies that bring it in; `via` is empty when the pattern itself needs it. */
export interface ClosedRequirement {
	id: string;
	via: string[];
}

/**
 * What the target must run to adopt `record` with everything it builds on: its own requirements first, then those that
 * only its dependencies bring, each once.
 */
export function requiresClosure(
	record: Pick<PatternRecord, 'id' | 'requires'>,
	byId: ReadonlyMap<string, PatternRecord>,
): ClosedRequirement[] {
	const closed = new Map<string, ClosedRequirement>(record.requires.map((id) => [id, { id, via: [] }]));
	for (const dependency of dependencyClosure(record.id, byId)) {
		for (const id of dependency.requires) {
			const known = closed.get(id);
			if (!known) closed.set(id, { id, via: [dependency.id] });
			else if (known.via.length > 0) known.via.push(dependency.id);
		}
	}
	return [...closed.values()];
}

/** The ids of the records that name `id` in `depends_on`, in the given order. */
export function dependents(id: string, nodes: readonly Node[]): string[] {
	return nodes.filter((node) => node.depends_on.includes(id)).map((node) => node.id);
}
