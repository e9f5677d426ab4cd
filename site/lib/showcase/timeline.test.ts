import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventKind, TimelineEvent } from '../../../library/scenario.ts';
import { GLYPHS, KIND_WORDS, KINDS } from './kinds.ts';
import type { Recording } from './recorder.ts';
import { escapeHtml, previewSvg, timelineSvg } from './svg.ts';
import { checkItems, eventText, logRows, verdictText } from './text-view.ts';
import { fitText, textWidth } from './text-width.ts';
import { spanText, timeText } from './time-text.ts';
import { HALF_SPAN, layoutTimeline } from './timeline.ts';

const recordingOf = (events: TimelineEvent[], end = 100): Recording => ({ values: {}, events, checks: [], end });
const point = (t: number, label = 'a point', kind: EventKind = 'info', lane = 'a'): TimelineEvent => ({
	t,
	lane,
	kind,
	label,
});
const span = (t: number, until: number, label = 'a span', kind: EventKind = 'ok'): TimelineEvent => ({
	...point(t, label, kind),
	until,
});

describe('layoutTimeline', () => {
	it('writes a label into its span where it fits, and beside it where it does not', () => {
		const { marks } = layoutTimeline(recordingOf([span(0, 60, 'inside'), span(60, 61, 'beside')]), 800);
		const [inside, beside] = marks;
		expect(inside?.label?.x).toBeGreaterThan(inside?.x ?? 0);
		expect(inside?.label?.x).toBeLessThan((inside?.x ?? 0) + (inside?.width ?? 0));
		expect(beside?.label).toMatchObject({ text: 'beside', anchor: 'start' });
		expect(beside?.label?.x).toBeGreaterThan((beside?.x ?? 0) + (beside?.width ?? 0));
	});

	it('writes to the left what would leave the drawing on the right', () => {
		const { marks } = layoutTimeline(recordingOf([point(0, 'begin'), point(100, 'at the very end')]), 400);
		expect(marks[1]?.label).toMatchObject({ text: 'at the very end', anchor: 'end' });
	});

	it('keeps every mark and every label within the drawing, at any width', () => {
		const events = fc.array(
			fc
				.tuple(fc.nat(100), fc.nat(60), fc.boolean(), fc.string({ minLength: 1, maxLength: 60 }))
				.map(([t, length, isSpan, label]) => (isSpan ? span(t, Math.min(100, t + length), label) : point(t, label))),
			{ minLength: 1, maxLength: 30 },
		);
		fc.assert(
			fc.property(events, fc.integer({ min: 240, max: 1400 }), (given, width) => {
				const { marks, height, lanes } = layoutTimeline(recordingOf(given), width);
				expect(marks).toHaveLength(given.length);
				for (const mark of marks) {
					expect(mark.x).toBeGreaterThanOrEqual(0);
					expect(mark.x + mark.width).toBeLessThanOrEqual(width);
					expect(mark.y + HALF_SPAN).toBeLessThanOrEqual(height);
					if (!mark.label) continue;
					const long = textWidth(mark.label.text, 12);
					expect(mark.label.anchor === 'end' ? mark.label.x - long : mark.label.x).toBeGreaterThanOrEqual(-1);
					expect(mark.label.anchor === 'end' ? mark.label.x : mark.label.x + long).toBeLessThanOrEqual(width + 1);
				}
				expect(lanes).toHaveLength(1);
			}),
			{ numRuns: 150 },
		);
	});

	it('draws a short span wide enough to be seen, and one without room for its sign without it', () => {
		const { marks } = layoutTimeline(recordingOf([span(0, 0.01), span(20, 90)]), 400);
		expect(marks.map(({ width, sign }) => [width >= 5, sign])).toEqual([
			[true, false],
			[true, true],
		]);
	});

	it('stands as closely as it can without labels', () => {
		const recording = recordingOf([point(0), point(5), point(10), point(15)]);
		const rows = (labels: boolean) => new Set(layoutTimeline(recording, 400, labels).marks.map(({ y }) => y)).size;
		expect(rows(true)).toBeGreaterThan(rows(false));
	});
});

describe('what is drawn', () => {
	it('has for each kind a sign and a word of its own', () => {
		expect(new Set(Object.values(GLYPHS)).size).toBe(KINDS.length);
		expect(new Set(Object.values(KIND_WORDS)).size).toBe(KINDS.length);
	});

	it('says each event in words, with shape and text beside colour', () => {
		const recording = recordingOf([span(0, 60, 'reads <b>'), point(80, 'gone', 'fail')]);
		const svg = timelineSvg(layoutTimeline(recording, 800), recording, 'A "run"');
		expect(svg).toContain('<title>0 ms – 60 ms · a · succeeds: reads &lt;b&gt;</title>');
		expect(svg).toContain('href="#k-ok"');
		expect(svg).toContain('href="#k-fail"');
		expect(svg).toContain(
			'aria-label="A &quot;run&quot;: 2 events in 100 ms, on the lanes a. Each is in the log below."',
		);
		expect(svg).not.toContain('<b>');
		expect(svg).not.toMatch(/NaN|undefined|Infinity/);
	});

	it('hatches what failed and what was refused', () => {
		const recording = recordingOf([span(0, 60, 'x', 'fail'), span(0, 60, 'y', 'reject'), span(0, 60, 'z', 'ok')]);
		const svg = timelineSvg(layoutTimeline(recording, 800), recording, 'Run');
		expect(svg.match(/url\(#hatch-fail\)/g)).toHaveLength(1);
		expect(svg.match(/url\(#hatch-reject\)/g)).toHaveLength(1);
	});

	it('is small on a card: one path for each kind and shape', () => {
		const recording = recordingOf([...Array(30).keys()].map((i) => span(i, i + 3)));
		const svg = previewSvg(layoutTimeline(recording, 360, false), 360, 64);
		expect(svg.match(/<path/g)).toHaveLength(1);
		expect(svg.length).toBeLessThan(1500);
	});

	it('lists events and verdicts, escaped', () => {
		const recording = {
			...recordingOf([span(0, 1500, 'a & b')]),
			checks: [
				{ rule: 'x < y', ok: true, at: 1 },
				{ rule: 'y', ok: false, at: 2, detail: '2 "seen"' },
			],
		};
		expect(logRows(recording)).toContain('<td>0 ms – 1.5 s</td><td>a</td>');
		expect(logRows(recording)).toContain('a &amp; b');
		const items = checkItems(recording);
		expect(items).toContain('data-verdict="holds"');
		expect(items).toContain('x &lt; y');
		expect(items).toContain('<span class="word">Broken</span>');
		expect(items).toContain('2 &quot;seen&quot;');
		expect(escapeHtml('<a href="x">&')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;');
	});

	it('sums up the verdicts', () => {
		const good = { rule: 'a', ok: true, at: 0 };
		const bad = { ...good, ok: false };
		expect(verdictText([good, good])).toBe('All 2 rules hold');
		expect(verdictText([good, bad])).toBe('1 of 2 rules broken');
		expect(verdictText([good], 3)).toBe('1 of 3 rules checked');
		expect(verdictText([bad], 3)).toBe('1 of 3 rules checked, 1 broken');
	});

	it('tells no outcome before it is known', () => {
		const recording = recordingOf([span(0, 60, 'reads it', 'fail')]);
		expect(eventText(recording, 0, 0, 30)).toBe('0 ms · a: under way');
		expect(eventText(recording, 0, 2, 60)).toBe('60 ms · a: fails (reads it), and 2 more');
	});

	it('tells an event with its own time, however late it is read, and no word twice', () => {
		const recording = recordingOf([
			span(10, 60, '503', 'fail'),
			point(70, 'refused', 'reject'),
			point(80, 'one (of 2)'),
		]);
		expect(eventText(recording, 0, 0, 99)).toBe('60 ms · a: fails (503)');
		expect(eventText(recording, 1, 0, 99)).toBe('70 ms · a: refused');
		expect(eventText(recording, 2, 0, 99)).toBe('80 ms · a: note, one (of 2)');
	});
});

describe('texts', () => {
	it.each([
		[0, '0 ms'],
		[444.00547, '444 ms'],
		[0.25, '0.3 ms'],
		[1250, '1.25 s'],
		[60_000, '60 s'],
		[142_500, '2 min 22.5 s'],
		[180_000, '3 min'],
	])('says %d ms as %s', (ms, text) => {
		expect(timeText(ms)).toBe(text);
	});

	it('says a span by its ends', () => {
		expect([spanText({ t: 5 }), spanText({ t: 5, until: 5 }), spanText({ t: 5, until: 1000 })]).toEqual([
			'5 ms',
			'5 ms',
			'5 ms – 1 s',
		]);
	});

	it('shortens what does not fit, and leaves out what would say nothing', () => {
		expect(fitText('short', 100, 12)).toBe('short');
		const shortened = fitText('a rather long label', 80, 12);
		expect(shortened).toMatch(/^a rath.*…$/);
		expect(textWidth(shortened, 12)).toBeLessThanOrEqual(80);
		expect(fitText('a rather long label', 20, 12)).toBe('');
	});
});
