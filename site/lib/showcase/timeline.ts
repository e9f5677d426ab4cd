import type { EventKind, TimelineEvent } from '../../../library/scenario.ts';
import { laneOrder, packRows, type Way } from './lanes.ts';
import { endOf, type Recording } from './recorder.ts';
import { axisTicks, type TimeScale, timeScale } from './scale.ts';
import { fitText, textWidth } from './text-width.ts';

/** A label: where it begins or ends, in pixels from the left edge. */
export interface MarkLabel {
	text: string;
	x: number;
	anchor: 'start' | 'end';
}

/** One event as it is drawn. Pixels from the upper left; `y` is the middle of the row. */
export interface Mark {
	/** Its place in `recording.events`. */
	index: number;
	kind: EventKind;
	shape: 'span' | 'point';
	x: number;
	y: number;
	/** Of a span; 0 for a point. */
	width: number;
	/** Whether a span has room for the sign of its kind. */
	sign: boolean;
	label?: MarkLabel;
}

/** A timeline as data: everything that a renderer needs, in pixels, for one width. */
export interface TimelineDrawing {
	width: number;
	height: number;
	/** The left and right edge of time. */
	left: number;
	right: number;
	lanes: { name: string; y: number; height: number }[];
	marks: Mark[];
	ticks: { x: number; t: number }[];
	folds: { left: number; right: number; skipped: number }[];
	scale: TimeScale;
}

export const ROW = 24;
export const LANE_HEAD = 25;
export const AXIS = 30;
/** Half the height of a span. */
export const HALF_SPAN = 9;
const LANE_FOOT = 7;
const EDGE = 14;
const GAP = 6;
const SIGN = 17;
const LABEL_SIZE = 12;
const LONGEST_LABEL = 230;
const NARROWEST_SPAN = 5;

/**
 * Lays a recording out for a width in pixels. Pure, so that a build and a browser draw the same. Without labels the
 * marks stand as closely as they can.
 */
export function layoutTimeline(recording: Recording, width: number, labels = true): TimelineDrawing {
	const scale = timeScale(recording);
	const left = EDGE;
	const right = width - EDGE;
	const x = (t: number) => left + scale.place(t) * (right - left);
	const names = laneOrder(recording.events);
	// Labels may cost rows, but a drawing that is higher than a screen tells nothing.
	const mostRows = width < 480 ? 3 : names.length > 7 ? 1 : names.length > 4 ? 4 : 6;
	const lanes: TimelineDrawing['lanes'] = [];
	const marks: Mark[] = [];
	let top = 0;
	for (const name of names) {
		const events = recording.events.flatMap((event, index) => (event.lane === name ? [{ event, index }] : []));
		const { placed, rows } = packRows(
			events.map(({ event }) => {
				const ways = waysToDraw(event, x(event.t), x(endOf(event)), left, right);
				return labels ? ways : [ways.at(-1) ?? ways[0]];
			}),
			mostRows,
		);
		placed.forEach(({ row, way }, i) => {
			const one = events[i];
			if (!one) return;
			const { index, event } = one;
			marks.push({ ...way.as, index, kind: event.kind, y: top + LANE_HEAD + row * ROW + ROW / 2 });
		});
		const height = LANE_HEAD + rows * ROW + LANE_FOOT;
		lanes.push({ name, y: top, height });
		top += height;
	}
	const folds = scale.folds.map((fold) => ({ left: x(fold.from), right: x(fold.to), skipped: fold.to - fold.from }));
	return {
		width,
		height: top + AXIS,
		left,
		right,
		lanes,
		marks: marks.sort((a, b) => a.index - b.index),
		// Under a fold stands how much it skips; ticks leave room for it.
		ticks: axisTicks(scale, 84 / (right - left))
			.map(({ t, place }) => ({ t, x: left + place * (right - left) }))
			.filter((tick) => folds.every((fold) => Math.abs(tick.x - (fold.left + fold.right) / 2) > 56)),
		folds,
		scale,
	};
}

type Drawn = Omit<Mark, 'index' | 'kind' | 'y'>;

/** The ways to draw one event, the most telling first, the barest last. */
function waysToDraw(
	event: TimelineEvent,
	from: number,
	to: number,
	left: number,
	right: number,
): [Way<Drawn>, ...Way<Drawn>[]] {
	const isSpan = event.until !== undefined;
	const spanWidth = Math.max(NARROWEST_SPAN, to - from);
	const x = isSpan ? Math.min(from, right - spanWidth) : Math.min(Math.max(from, left), right);
	const sign = spanWidth >= SIGN + 4;
	const bare: Drawn = isSpan
		? { shape: 'span', x, width: spanWidth, sign }
		: { shape: 'point', x, width: 0, sign: true };
	const body = isSpan ? { left: x - 1, right: x + spanWidth + 1 } : { left: x - 8, right: x + 8 };
	const ways: Way<Drawn>[] = [];

	const inside = isSpan ? spanWidth - (sign ? SIGN : 0) - 12 : 0;
	const whole = textWidth(event.label, LABEL_SIZE);
	const label = (text: string, at: number, anchor: 'start' | 'end'): Drawn => ({
		...bare,
		label: { text, x: at, anchor },
	});
	if (whole <= inside) return [{ ...body, as: label(event.label, x + 7, 'start') }];
	const besideText = fitText(event.label, Math.min(LONGEST_LABEL, right - left), LABEL_SIZE);
	const beside = textWidth(besideText, LABEL_SIZE) + GAP + 6;
	const toRight = { left: body.left, right: body.right + beside };
	const toLeft = { left: body.left - beside, right: body.right };
	if (toRight.right <= right + EDGE) ways.push({ ...toRight, as: label(besideText, body.right + GAP - 1, 'start') });
	if (toLeft.left >= 0) ways.push({ ...toLeft, as: label(besideText, body.left - GAP + 1, 'end') });
	const shortened = inside > 40 ? fitText(event.label, inside, LABEL_SIZE, 6) : '';
	const least: Way<Drawn> = { ...body, as: shortened ? label(shortened, x + 7, 'start') : bare };
	const [first, ...rest] = [...ways, least];
	return first ? [first, ...rest] : [least];
}
