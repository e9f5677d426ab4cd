import type { TimelineEvent } from '../../../library/scenario.ts';
import { KIND_WORDS } from './kinds.ts';
import type { Recording } from './recorder.ts';
import { spanText, timeText } from './time-text.ts';
import { AXIS, HALF_SPAN, type Mark, type TimelineDrawing } from './timeline.ts';

/** Text made safe for HTML and for attributes in double quotes. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * A drawing as SVG. Places across are percentages, so that it fills any width; at the width that it was laid out for,
 * every label has its room. The signs are references to the sprite of the page.
 */
export function timelineSvg(drawing: TimelineDrawing, recording: Recording, name: string): string {
	const { width, height, lanes, marks, ticks, folds, scale } = drawing;
	const at = (x: number) => `${Math.round((x / width) * 1e5) / 1e3}%`;
	const bottom = height - AXIS;
	const parts: string[] = [];
	lanes.forEach((lane, i) => {
		if (i % 2 === 0) parts.push(`<rect class="band" y="${lane.y}" width="100%" height="${lane.height}"/>`);
	});
	for (const { x, t } of ticks) {
		// The last tick may stand at the very edge: its text ends there.
		const anchor = t === 0 ? 'start' : x > drawing.right - 36 ? 'end' : 'middle';
		const tickX = t === 0 ? at(0) : at(x);
		parts.push(`<line class="grid" x1="${at(x)}" x2="${at(x)}" y1="0" y2="${bottom}"/>`);
		parts.push(
			`<text class="tick" x="${tickX}"${t === 0 ? ' dx="4"' : ''} y="${bottom + 19}" text-anchor="${anchor}">${timeText(t)}</text>`,
		);
	}
	let written = Number.NEGATIVE_INFINITY;
	for (const fold of folds) {
		const middle = (fold.left + fold.right) / 2;
		parts.push(
			`<rect class="fold" x="${at(fold.left)}" width="${at(fold.right - fold.left)}" y="0" height="${bottom}"/>`,
		);
		if (middle - written < 44) continue;
		written = middle;
		parts.push(
			`<text class="tick skipped" x="${at(middle)}" y="${bottom + 19}" text-anchor="middle">+${timeText(fold.skipped)}</text>`,
		);
	}
	for (const lane of lanes) {
		parts.push(`<text class="lane" x="0" dx="12" y="${lane.y + 17}">${escapeHtml(lane.name)}</text>`);
	}
	for (const mark of marks) {
		const event = recording.events[mark.index];
		if (event) parts.push(markSvg(mark, event, at));
	}
	parts.push(`<g class="head"><line x1="${at(drawing.right)}" x2="${at(drawing.right)}" y1="0" y2="${bottom}"/></g>`);
	const count = `${marks.length} ${marks.length === 1 ? 'event' : 'events'} in ${timeText(scale.end)}`;
	return `<svg class="timeline" width="100%" height="${height}" style="height:${height}px" role="img" aria-label="${escapeHtml(`${name}: ${count}, on the lanes ${lanes.map((lane) => lane.name).join(', ')}. Each is in the log below.`)}">${parts.join('')}</svg>`;
}

function markSvg(mark: Mark, event: TimelineEvent, at: (x: number) => string): string {
	const { kind, x, y, width, label } = mark;
	const title = `<title>${escapeHtml(`${spanText(event)} · ${event.lane} · ${KIND_WORDS[kind]}: ${event.label}`)}</title>`;
	const parts = [title];
	if (mark.shape === 'span') {
		const box = `y="${y - HALF_SPAN}" height="${HALF_SPAN * 2}" rx="3"`;
		parts.push(`<rect class="body" x="${at(x)}" width="${at(width)}" ${box}/>`);
		if (kind === 'fail' || kind === 'reject')
			parts.push(`<rect class="hatch" x="${at(x)}" width="${at(width)}" ${box} fill="url(#hatch-${kind})"/>`);
		// The sign stands where the outcome is known: at the end.
		if (mark.sign) parts.push(`<svg class="sign" x="${at(x + width)}" y="${y}"><use href="#k-${kind}" x="-11"/></svg>`);
	} else {
		parts.push(`<use class="sign" href="#k-${kind}" x="${at(x)}" y="${y}"/>`);
	}
	if (label) {
		const anchor = label.anchor === 'end' ? ' text-anchor="end"' : '';
		parts.push(`<text x="${at(label.x)}" y="${y + 4}"${anchor}>${escapeHtml(label.text)}</text>`);
	}
	return `<g class="ev k-${kind}" data-i="${mark.index}">${parts.join('')}</g>`;
}

/** A row's worth of marks without labels, in one path for each kind: small enough to stand on a card of an index. */
export function previewSvg(drawing: TimelineDrawing, width: number, height: number): string {
	const rows = [...new Set(drawing.marks.map(({ y }) => y))].sort((a, b) => a - b);
	const pitch = height / Math.max(1, rows.length);
	const half = Math.min(4.5, Math.max(1, pitch * 0.34));
	const paths = new Map<string, string>();
	const n = (value: number) => Math.round(value * 10) / 10;
	const inner = (x: number) => ((x - drawing.left) / (drawing.right - drawing.left)) * (width - 10) + 5;
	for (const mark of drawing.marks) {
		const y = rows.indexOf(mark.y) * pitch + pitch / 2;
		const x = inner(mark.x);
		const w = Math.max(2, inner(mark.x + mark.width) - x);
		const path =
			mark.shape === 'span'
				? `M${n(x)} ${n(y - half)}h${n(w)}v${n(half * 2)}h${n(-w)}z`
				: `M${n(x - half)} ${n(y)}l${n(half)} ${n(-half)} ${n(half)} ${n(half)} ${n(-half)} ${n(half)}z`;
		const key = `${mark.shape} k-${mark.kind}`;
		paths.set(key, (paths.get(key) ?? '') + path);
	}
	const drawn = [...paths].map(([key, d]) => `<path class="${key}" d="${d}"/>`).join('');
	return `<svg class="preview" viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">${drawn}</svg>`;
}
