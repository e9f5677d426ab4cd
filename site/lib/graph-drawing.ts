/** A box of a drawn graph. */
export interface Box {
	id: string;
	x: number;
	y: number;
	width: number;
	/** Lines of its title. */
	lines: string[];
	role: 'dependency' | 'self' | 'dependent';
}

/** A drawing: its size in units, boxes, and the lines between them as SVG paths. */
export interface Drawing {
	width: number;
	height: number;
	boxes: Box[];
	paths: string[];
}

interface Named {
	id: string;
	title: string;
}

const BOX_HEIGHT = 46;
const GAP = 14;

/**
 * Draws a pattern between what it builds on (left) and what builds on it (right). The wide drawing has three columns;
 * the narrow one stacks all boxes, for small screens. The same input gives the same drawing.
 */
export function drawNeighbours(
	self: Named,
	dependencies: readonly Named[],
	dependents: readonly Named[],
	shape: 'wide' | 'narrow',
): Drawing {
	return shape === 'wide' ? wide(self, dependencies, dependents) : narrow(self, dependencies, dependents);
}

function wide(self: Named, left: readonly Named[], right: readonly Named[]): Drawing {
	const width = 208;
	const between = 56;
	const rows = Math.max(left.length, right.length, 1);
	const height = rows * (BOX_HEIGHT + GAP) - GAP + 4;
	const columns = [left.length > 0, true, right.length > 0];
	const xs = columns.map((_, at) => 2 + columns.slice(0, at).filter(Boolean).length * (width + between));
	const column = (items: readonly Named[], at: number, role: Box['role']): Box[] => {
		const total = items.length * (BOX_HEIGHT + GAP) - GAP;
		return items.map(({ id, title }, row) => ({
			id,
			x: xs[at] ?? 0,
			y: (height - total) / 2 + row * (BOX_HEIGHT + GAP),
			width,
			lines: wrap(title, 27),
			role,
		}));
	};
	const before = column(left, 0, 'dependency');
	const [middle] = column([self], 1, 'self');
	const after = column(right, 2, 'dependent');
	const all = [...before, ...(middle ? [middle] : []), ...after];
	const curve = (from: Box, to: Box) => {
		const [x1, y1, x2, y2] = [from.x + from.width, from.y + BOX_HEIGHT / 2, to.x, to.y + BOX_HEIGHT / 2];
		return `M${x1} ${y1}C${x1 + between / 2} ${y1} ${x2 - between / 2} ${y2} ${x2} ${y2}`;
	};
	return {
		width: Math.max(...all.map((box) => box.x + box.width)) + 2,
		height,
		boxes: all,
		paths: middle ? [...before.map((box) => curve(box, middle)), ...after.map((box) => curve(middle, box))] : [],
	};
}

function narrow(self: Named, above: readonly Named[], below: readonly Named[]): Drawing {
	const width = 232;
	const indent = 26;
	const place = (item: Named, row: number, x: number, role: Box['role']): Box => ({
		id: item.id,
		x,
		y: 2 + row * (BOX_HEIGHT + GAP),
		width,
		lines: wrap(item.title, 29),
		role,
	});
	const before = above.map((item, row) => place(item, row, 2 + indent, 'dependency'));
	const middle = place(self, above.length, 2, 'self');
	const after = below.map((item, row) => place(item, above.length + 1 + row, 2 + indent, 'dependent'));
	const trunk = 2 + indent / 2;
	return {
		width: width + indent + 4,
		height: (above.length + below.length + 1) * (BOX_HEIGHT + GAP) - GAP + 4,
		boxes: [...before, middle, ...after],
		paths: [
			...before.map((box) => `M${box.x} ${box.y + BOX_HEIGHT / 2}H${trunk}V${middle.y}`),
			...after.map((box) => `M${trunk} ${middle.y + BOX_HEIGHT}V${box.y + BOX_HEIGHT / 2}H${box.x}`),
		],
	};
}

/** Breaks a title into at most two lines of about `room` characters. */
function wrap(title: string, room: number): string[] {
	const lines = [''];
	for (const word of title.split(/\s+/)) {
		const last = lines.at(-1) ?? '';
		if (last !== '' && last.length + 1 + word.length > room && lines.length < 2) lines.push(word);
		else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
	}
	return lines.map((line) => (line.length > room ? `${line.slice(0, room - 1).trimEnd()}…` : line));
}

/** Height of every box. */
export const boxHeight = BOX_HEIGHT;
