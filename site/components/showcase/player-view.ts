import type { Moment } from '../../lib/showcase/playback.ts';
import { allHold, type Recording } from '../../lib/showcase/recorder.ts';
import { timelineSvg } from '../../lib/showcase/svg.ts';
import { checkItems, eventText, logRows, verdictText } from '../../lib/showcase/text-view.ts';
import { timeText } from '../../lib/showcase/time-text.ts';
import { layoutTimeline, type TimelineDrawing } from '../../lib/showcase/timeline.ts';
import { timelineLabel } from '../../lib/showcase/timeline-label.ts';

/** While it plays, a screen reader is told at most this often, in milliseconds. */
const SPEAK_EVERY = 2000;

/** When a screen reader is told: at once, when it has been silent long enough, or not. */
export type Spoken = 'now' | 'later' | 'never';

/** What a player shows, and what is done to it. Places are shares of the timeline, from 0 to 1. */
export function playerView(root: HTMLElement, title: string) {
	const part = <T extends Element>(name: string) => root.querySelector<T>(`[data-${name}]`);
	const drawingBox = part<HTMLElement>('drawing');
	const seek = part<HTMLInputElement>('seek');
	const clock = part<HTMLElement>('clock');
	const now = part<HTMLElement>('now');
	const voice = part<HTMLElement>('spoken');
	const tally = part<HTMLElement>('tally');
	const error = part<HTMLElement>('error');
	const log = part<HTMLElement>('log');
	let drawing: TimelineDrawing | undefined;
	let recorded: Recording | undefined;
	let marks: { group: SVGGElement; body: Element | null; phase: string; full: string }[] = [];
	let rows: Element[] = [];
	let checks: Element[] = [];
	let head: Element | null = null;
	let spokenAt = Number.NEGATIVE_INFINITY;
	let touched = false;

	function redraw(recording: Recording): void {
		const box = drawingBox;
		if (!box) return;
		drawing = layoutTimeline(recording, Math.max(240, box.clientWidth));
		box.innerHTML = timelineSvg(drawing, recording, title);
		head = box.querySelector('.head line');
		marks = [...box.querySelectorAll<SVGGElement>('.ev')].map((group) => {
			const body = group.querySelector('.body');
			return { group, body, phase: '', full: body?.getAttribute('width') ?? '' };
		});
	}

	const percent = (x: number) => `${(x / (drawing?.width ?? 1)) * 100}%`;
	const pixel = (t: number) => (drawing ? drawing.left + drawing.scale.place(t) * (drawing.right - drawing.left) : 0);

	const timeAt = (place: number) => drawing?.scale.time(place) ?? 0;

	function showMarks(recording: Recording, { at, phases }: Moment): void {
		const x = pixel(at);
		head?.setAttribute('x1', percent(x));
		head?.setAttribute('x2', percent(x));
		for (const mark of marks) {
			const index = Number(mark.group.dataset.i);
			const phase = phases[index] ?? 'past';
			const event = recording.events[index];
			if (phase === 'active' && event) mark.body?.setAttribute('width', percent(Math.max(2, x - pixel(event.t))));
			if (phase === mark.phase) continue;
			if (phase !== 'active') mark.body?.setAttribute('width', mark.full);
			mark.group.dataset.p = phase;
			mark.phase = phase;
		}
	}

	function showLog({ phases, latest }: Moment, follow: boolean): void {
		rows.forEach((row, index) => {
			const phase = phases[index] ?? 'past';
			if (row.getAttribute('data-p') !== phase) row.setAttribute('data-p', phase);
			const isLatest = index === latest;
			if (row.hasAttribute('aria-current') === isLatest) return;
			row.toggleAttribute('aria-current', isLatest);
			if (isLatest) {
				row.setAttribute('aria-current', 'true');
				if (follow) keepInSight(row);
			}
		});
	}

	/** Scrolls the log, and never the page. */
	function keepInSight(row: Element): void {
		if (!log || !(row instanceof HTMLElement)) return;
		const above = row.offsetTop - log.scrollTop - 40;
		const below = row.offsetTop + row.offsetHeight - log.scrollTop - log.clientHeight;
		if (above < 0) log.scrollTop += above;
		else if (below > 0) log.scrollTop += below;
	}

	function showChecks(recording: Recording, moment: Moment): void {
		checks.forEach((item, index) => {
			const known = moment.checks.includes(index);
			item.classList.toggle('pending', !known);
			const verdict = recording.checks[index]?.ok ? 'holds' : 'broken';
			// Before it is known, nothing tells how it will end: neither the sign nor the word.
			item.querySelector('use')?.setAttribute('href', known ? `#v-${verdict}` : '#v-open');
			const word = item.querySelector('.word');
			if (word) word.textContent = known ? (verdict === 'holds' ? 'Holds' : 'Broken') : 'Not checked yet';
		});
		const known = moment.checks.flatMap((index) => recording.checks[index] ?? []);
		const text = verdictText(known, recording.checks.length);
		if (tally && tally.textContent !== text) tally.textContent = text;
		const broken = known.some(({ ok }) => !ok) || recording.error !== undefined;
		root.dataset.verdict = broken ? 'broken' : known.length === checks.length && allHold(recording) ? 'holds' : 'open';
	}

	/** The line below the timeline is always that of the playhead; until it has been moved the keys stand there. */
	function tell(recording: Recording, moment: Moment, spoken: Spoken): void {
		touched ||= spoken !== 'never' || moment.at < recording.end;
		if (!touched) return;
		const text =
			moment.latest === undefined
				? 'Nothing has happened yet'
				: eventText(recording, moment.latest, moment.beside, moment.at);
		if (now && now.textContent !== text) now.textContent = text;
		if (spoken !== 'never') speak(text, spoken);
	}

	function speak(text: string, when: 'now' | 'later'): void {
		const time = performance.now();
		if (!voice || voice.textContent === text || (when === 'later' && time - spokenAt < SPEAK_EVERY)) return;
		spokenAt = time;
		voice.textContent = text;
	}

	return {
		/** Draws another recording; `show` follows. */
		draw(recording: Recording): void {
			recorded = recording;
			redraw(recording);
			const rowBox = part<HTMLElement>('rows');
			const checkBox = part<HTMLElement>('checks');
			if (rowBox) rowBox.innerHTML = logRows(recording);
			if (checkBox) checkBox.innerHTML = checkItems(recording);
			rows = [...(rowBox?.children ?? [])];
			checks = [...(checkBox?.children ?? [])];
			if (error) {
				error.hidden = recording.error === undefined;
				error.textContent = recording.error === undefined ? '' : `The scenario stopped: ${recording.error}`;
			}
		},
		show(recording: Recording, moment: Moment, spoken: Spoken): void {
			showMarks(recording, moment);
			showLog(moment, spoken !== 'never');
			showChecks(recording, moment);
			if (clock) clock.textContent = timeText(moment.at);
			if (seek) {
				seek.value = String((drawing?.scale.place(moment.at) ?? 1) * 1000);
				seek.setAttribute('aria-valuetext', `${timeText(moment.at)} of ${timeText(recording.end)}`);
			}
			tell(recording, moment, spoken);
		},
		playing(is: boolean): void {
			root.classList.toggle('playing', is);
			const word = part<HTMLElement>('play-word');
			if (word) word.textContent = is ? 'Pause' : 'Play';
		},
		/** Says what the keys do: where motion is to be reduced, Space steps. */
		steps(only: boolean): void {
			drawingBox?.setAttribute('aria-label', timelineLabel(only));
		},
		place: (t: number) => drawing?.scale.place(t) ?? 1,
		time: timeAt,
		speed: () => Number(part<HTMLSelectElement>('speed')?.value) || 1,
		listen(on: { act(name: string): void; seek(time: number): void; resized(): void }): void {
			root.addEventListener('click', (event) => {
				const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-do]') : null;
				if (button?.dataset.do) on.act(button.dataset.do);
			});
			root.querySelector('.stage')?.addEventListener('keydown', (event) => {
				const action = event instanceof KeyboardEvent ? actionOf(event) : undefined;
				if (action === undefined) return;
				event.preventDefault();
				on.act(action);
			});
			// For the mouse; by keyboard the arrow keys lead to the same times.
			part('rows')?.addEventListener('click', (event) => {
				const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr') : null;
				const index = row ? Number(row.dataset.i) : Number.NaN;
				const chosen = recorded?.events[index];
				if (chosen) on.seek(chosen.until ?? chosen.t);
			});
			seek?.addEventListener('input', () => on.seek(timeAt(Number(seek.value) / 1000)));
			const point = (event: PointerEvent) => {
				if (!drawingBox || !drawing) return;
				const x = event.clientX - drawingBox.getBoundingClientRect().left;
				on.seek(timeAt((x - drawing.left) / (drawing.right - drawing.left)));
			};
			drawingBox?.addEventListener('pointerdown', (event) => {
				if (event.button !== 0) return;
				drawingBox.setPointerCapture(event.pointerId);
				point(event);
			});
			drawingBox?.addEventListener('pointermove', (event) => {
				if (drawingBox.hasPointerCapture(event.pointerId)) point(event);
			});
			if (!drawingBox) return;
			new ResizeObserver(() => {
				if (!recorded || drawingBox.clientWidth === drawing?.width) return;
				redraw(recorded);
				on.resized();
			}).observe(drawingBox);
		},
	};
}

/** What a key does in the stage; nothing for keys that a focused button or list needs itself. */
function actionOf(event: KeyboardEvent): string | undefined {
	if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
	const target = event.target instanceof HTMLElement ? event.target : undefined;
	if (target instanceof HTMLSelectElement) return undefined;
	if (event.key === ' ') return target instanceof HTMLButtonElement ? undefined : 'play';
	return { ArrowRight: 'next', ArrowLeft: 'back', Home: 'reset', End: 'end' }[event.key];
}
