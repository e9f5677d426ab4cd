import { findCycle, type Node } from '../graph.ts';
import { error, type Problem } from '../problem.ts';
import type { Check } from './check.ts';

/** `depends_on` is a DAG of records that readers can follow. */
export const checkDependencies: Check = ({ registry: { patterns } }) => {
	const hidden = new Set(patterns.filter((record) => record.hidden).map(({ id }) => id));
	const single = patterns.flatMap(({ id, depends_on, hidden: isHidden }, index) =>
		depends_on.flatMap((dependency, at): Problem[] => {
			const path = ['patterns', index, 'depends_on', at];
			if (dependency === id) return [error(path, 'The record depends on itself.', 'Delete the entry.')];
			if (isHidden || !hidden.has(dependency)) return [];
			const message = `Depends on ${JSON.stringify(dependency)}, which is hidden: no reader can follow.`;
			return [error(path, message, 'Hide this record too, publish the other one, or delete the entry.')];
		}),
	);
	return [...single, ...cycles(patterns)];
};

/** Each cycle once; the edge that closes a cycle is taken away before the next is looked for. */
function cycles(patterns: readonly Node[]): Problem[] {
	const problems: Problem[] = [];
	let nodes = patterns.map(({ id, depends_on }) => ({ id, depends_on: depends_on.filter((other) => other !== id) }));
	for (let cycle = findCycle(nodes); cycle; cycle = findCycle(nodes)) {
		const [from, to] = cycle.slice(-2);
		const index = patterns.findIndex(({ id }) => id === cycle[0]);
		const at = patterns[index]?.depends_on.indexOf(cycle[1] ?? '') ?? 0;
		problems.push(
			error(
				['patterns', index, 'depends_on', at],
				`A cycle of dependencies: ${cycle.join(' → ')}.`,
				'Delete the edge that matters least; what both need may be a pattern of its own.',
			),
		);
		nodes = nodes.map((node) =>
			node.id === from ? { ...node, depends_on: node.depends_on.filter((other) => other !== to) } : node,
		);
	}
	return problems;
}
