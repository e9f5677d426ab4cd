import type { Demo } from '../../../library/scenario.ts';
import { momentAt, nextStop, playingTime, previousStop } from '../../lib/showcase/playback.ts';
import { type Recording, record } from '../../lib/showcase/recorder.ts';
import { readState, writeState } from '../../lib/showcase/url-state.ts';
import { type ControlForm, controlForm } from './control-form.ts';
import { playerView, type Spoken } from './player-view.ts';

/**
 * Makes the player of a page run: it records the scenario at the controls' values, and shows the recording at the time
 * of the playhead. The address follows, and leads back.
 */
const scenarios = import.meta.glob<Demo>('../../../library/*/*.demo.ts', { import: 'demo' });
const root = document.querySelector<HTMLElement>('[data-showcase]');
const id = root?.dataset.showcase;
const load = scenarios[`../../../library/${id}/${id}.demo.ts`];
if (root && load) run(root, await load());

async function run(root: HTMLElement, demo: Demo): Promise<void> {
	const view = playerView(root, demo.title);
	const still = matchMedia('(prefers-reduced-motion: reduce)');
	let state = readState(demo.controls, location.search);
	let recording: Recording;
	let at = 0;
	let frame: number | undefined;
	let turn = 0;

	const form: ControlForm = controlForm(root, demo.controls, {
		changed: (values) => void change(values, false),
		settled: (values) => void change(values, true),
	});

	/** Runs the scenario again; `at` undefined is the end. An older run that ends later is dropped. */
	async function rerun(to: number | undefined): Promise<void> {
		const mine = ++turn;
		const next = await record(demo, state.values);
		if (mine !== turn) return;
		recording = next;
		view.draw(recording);
		show(to ?? recording.end);
	}

	function show(to: number, spoken: Spoken = 'never'): void {
		const moment = momentAt(recording, to);
		at = moment.at;
		view.show(recording, moment, spoken);
	}

	/** Keeps the address in step. A change of the controls is a step that Back undoes; the playhead is not. */
	function remember(step: boolean): void {
		const place = at >= recording.end ? {} : { at };
		const url = `${location.pathname}${writeState(demo.controls, { values: state.values, ...place })}${location.hash}`;
		if (url === `${location.pathname}${location.search}${location.hash}`) return;
		if (step) history.pushState(null, '', url);
		else history.replaceState(history.state, '', url);
	}

	async function change(values: typeof state.values, settled: boolean): Promise<void> {
		const wasPlaying = frame !== undefined;
		const place = at >= recording.end && !wasPlaying ? undefined : wasPlaying ? 0 : at;
		pause();
		state = { values };
		await rerun(place);
		if (settled) remember(true);
		if (wasPlaying) play();
	}

	function seek(to: number): void {
		pause();
		show(to, 'now');
		remember(false);
	}

	function play(): void {
		if (frame !== undefined) return;
		if (still.matches) {
			seek(nextStop(recording, at >= recording.end ? 0 : at));
			return;
		}
		if (at >= recording.end) show(0);
		let before = performance.now();
		let place = view.place(at);
		const tick = (time: number) => {
			place += (Math.max(0, time - before) / playingTime(recording)) * view.speed();
			before = time;
			show(place >= 1 ? recording.end : view.time(place), 'later');
			if (place >= 1) return pause();
			frame = requestAnimationFrame(tick);
		};
		frame = requestAnimationFrame(tick);
		view.playing(true);
	}

	function pause(): void {
		if (frame === undefined) return;
		cancelAnimationFrame(frame);
		frame = undefined;
		view.playing(false);
		show(at, 'now');
		remember(false);
	}

	const actions: Record<string, () => void> = {
		play: () => (frame === undefined ? play() : pause()),
		next: () => seek(nextStop(recording, at)),
		back: () => seek(previousStop(recording, at)),
		reset: () => seek(0),
		end: () => seek(recording.end),
		defaults: () => form.reset(),
	};
	view.listen({ act: (name) => actions[name]?.(), seek, resized: () => show(at) });

	addEventListener('popstate', () => {
		pause();
		state = readState(demo.controls, location.search);
		form.write(state.values);
		void rerun(state.at);
	});
	const reduced = () => {
		if (still.matches) pause();
		view.steps(still.matches);
	};
	still.addEventListener('change', reduced);
	view.steps(still.matches);
	form.write(state.values);
	await rerun(state.at);
	root.dataset.ready = '';
}
