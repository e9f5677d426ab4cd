import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo, ScenarioClock } from '../scenario.ts';
import { OptimisticStore } from './optimistic-store.ts';
import type { Outcome, PendingChange, Snapshot } from './optimistic-update.ts';

/** The card's rules that this scenario checks, to the letter. */
export const RULES = {
	instant: 'A change stands in the view before `change` returns, and before anything is sent.',
	restored:
		'A failed change leaves the view as if it had never been made: the confirmed state with all later changes applied again, in order.',
	stale:
		'A snapshot that is not newer than the confirmed version is ignored, so that a late reply never brings old state back.',
	parked: 'A snapshot that comes while a write is in flight waits for its reply, so that no change is shown twice.',
	queue:
		'One entity has one queue: its writes go one at a time, in the order of the changes, and entities do not wait for each other.',
	undo: 'A change is not sent before its undo window ends: undone within the window it never reaches the server, and once sent it cannot be undone.',
	outcome: 'Every change ends in exactly one outcome, and closing aborts the write in flight and leaves no timer.',
} as const;

/** The entity is a list of labels: each change adds one, so a lost, doubled or resurrected change can be seen. */
type Labels = readonly string[];

interface Server {
	write(entity: string, label: string, signal?: AbortSignal): Promise<Snapshot<Labels>>;
}

interface Board {
	view(entity: string): Labels;
	add(entity: string, label: string, undoMs: number): PendingChange;
	receive(entity: string, snapshot: Snapshot<Labels>): void;
	close(): void;
}

function queued(clock: ScenarioClock, server: Server): Board {
	const store = new OptimisticStore<Labels>({ clock });
	const entity = (id: string) => store.open(id, { state: [], version: 0 });
	return {
		view: (id) => entity(id).view,
		add: (id, label, undoMs) =>
			entity(id).change({
				apply: (labels) => [...labels, label],
				send: (signal) => server.write(id, label, signal),
				undoMs,
			}),
		receive: (id, snapshot) => entity(id).receive(snapshot),
		close: () => {
			for (const id of ENTITIES) store.close(id);
		},
	};
}

/** Without the pattern: edit the view, send at once, on failure put back a copy made before, on reply take the reply. */
function hopeful(server: Server): Board {
	const views = new Map<string, Labels>();
	const view = (id: string) => views.get(id) ?? [];
	return {
		view,
		add: (id, label) => {
			const before = view(id);
			views.set(id, [...before, label]);
			const done = server.write(id, label).then(
				({ state }): Outcome => {
					views.set(id, state);
					return { status: 'saved' };
				},
				(error: unknown): Outcome => {
					views.set(id, before);
					return { status: 'failed', error };
				},
			);
			const undo = () => {
				views.set(
					id,
					view(id).filter((other) => other !== label),
				);
				return true;
			};
			return { done, undo };
		},
		receive: (id, { state }) => views.set(id, state),
		close: () => undefined,
	};
}

const ENTITIES = ['card 1', 'card 2'];

export const demo: Demo = {
	title: 'Labels on two cards, over a slow and failing connection',
	about:
		'A user adds labels to two cards faster than the server answers, and takes one back. Some writes fail, and the server pushes its state, sometimes late. Look at what the view shows after a failure and after a late push.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the queue', value: true },
		{ id: 'failures', kind: 'number', label: 'Writes that fail', value: 30, min: 0, max: 100, step: 10, unit: '%' },
		{ id: 'latency', kind: 'number', label: 'Slowest write', value: 400, min: 50, max: 1000, step: 50, unit: 'ms' },
		{ id: 'undo', kind: 'number', label: 'Undo window', value: 200, min: 0, max: 600, step: 50, unit: 'ms' },
		{ id: 'seed', kind: 'number', label: 'Seed', value: 4, min: 1, max: 99, step: 1 },
	],
	async run(controls, emit, clock) {
		const random = seededRandom(Number(controls.seed));
		const undoMs = Number(controls.undo);
		const at = () => clock.now();
		const held = new Map<string, Snapshot<Labels>>();
		const sent: { entity: string; label: string; at: number }[] = [];
		const running = new Map<string, number>();
		const pushes: Promise<void>[] = [];
		const open = new Map<string, string>();
		const saved = new Map<string, string>();
		const failed = new Set<string>();
		const faults = { resurrected: 0, doubled: 0, clobbered: 0, overlapping: 0, unseen: 0, lateUndo: 0, outcomes: 0 };

		/** What must hold of the view at any moment. */
		const inspect = (entity: string) => {
			const view = board.view(entity);
			if (new Set(view).size !== view.length) faults.doubled++;
			for (const [label, owner] of saved) if (owner === entity && !view.includes(label)) faults.resurrected++;
			for (const [label, owner] of open) if (owner === entity && !view.includes(label)) faults.clobbered++;
			for (const label of failed) if (view.includes(label)) faults.clobbered++;
		};
		const server: Server = {
			write: async (entity, label, signal) => {
				const t = at();
				sent.push({ entity, label, at: t });
				running.set(entity, (running.get(entity) ?? 0) + 1);
				if ((running.get(entity) ?? 0) > 1) faults.overlapping++;
				const fails = random() * 100 < Number(controls.failures);
				const [there, back] = [random(), random()].map((part) => 20 + (part * Number(controls.latency)) / 2);
				try {
					await clock.sleep(there ?? 0, signal);
					const before = held.get(entity) ?? { state: [], version: 0 };
					const after = { state: [...before.state, label], version: before.version + 1 };
					if (!fails) {
						held.set(entity, after);
						push(entity, after);
					}
					await clock.sleep(back ?? 0, signal);
					emit({ t, until: at(), lane: `server, ${entity}`, kind: fails ? 'fail' : 'ok', label: `write ${label}` });
					if (fails) throw new Error('refused');
					return after;
				} finally {
					running.set(entity, (running.get(entity) ?? 1) - 1);
				}
			},
		};
		const push = (entity: string, snapshot: Snapshot<Labels>) => {
			const delay = 10 + random() * Number(controls.latency) * 1.5;
			pushes.push(
				clock.sleep(delay).then(() => {
					board.receive(entity, snapshot);
					emit({ t: at(), lane: 'push', kind: 'info', label: `${entity} version ${snapshot.version}` });
					inspect(entity);
				}),
			);
		};
		const board = controls.pattern ? queued(clock, server) : hopeful(server);

		const due = new Map<string, number>();
		const undone = new Set<string>();
		const ends: Promise<void>[] = [];
		const start = (entity: string, label: string): PendingChange => {
			const before = sent.length;
			due.set(label, at() + undoMs);
			const pending = board.add(entity, label, undoMs);
			if (!board.view(entity).includes(label) || (undoMs > 0 && sent.length > before)) faults.unseen++;
			open.set(label, entity);
			emit({ t: at(), lane: 'user', kind: 'start', label: `adds ${label} to ${entity}` });
			let outcomes = 0;
			ends.push(
				pending.done.then((outcome) => {
					if (++outcomes > 1 || (outcome.status === 'undone') !== undone.has(label)) faults.outcomes++;
					open.delete(label);
					if (outcome.status === 'saved') saved.set(label, entity);
					if (outcome.status === 'failed') failed.add(label);
					const kind = outcome.status === 'saved' ? 'ok' : outcome.status === 'failed' ? 'fail' : 'abort';
					const shown = board.view(entity).join(' ') || 'nothing';
					emit({ t: at(), lane: 'view', kind, label: `${label} ${outcome.status}; ${entity} shows ${shown}` });
					inspect(entity);
				}),
			);
			return pending;
		};
		for (let step = 1; step <= 5; step++) {
			for (const [index, entity] of ENTITIES.entries()) {
				const label = `${'ab'[index]}${step}`;
				const pending = start(entity, label);
				inspect(entity);
				await clock.sleep(15 + random() * 45);
				if (step !== 3) continue;
				const alreadySent = sent.some((write) => write.label === label);
				if (pending.undo()) {
					undone.add(label);
					open.delete(label);
					if (alreadySent) faults.lateUndo++;
					emit({ t: at(), lane: 'user', kind: 'abort', label: `takes ${label} back` });
				} else emit({ t: at(), lane: 'user', kind: 'reject', label: `${label} is sent, too late to take back` });
			}
		}
		await Promise.all(ends);
		await Promise.all(pushes);
		for (const entity of ENTITIES) inspect(entity);
		board.close();

		const early = sent.filter(({ label, at: time }) => time < (due.get(label) ?? 0)).length;
		const reached = sent.filter(({ label }) => undone.has(label)).length;
		const disorder = ENTITIES.filter((entity) => {
			const labels = sent.filter((write) => write.entity === entity).map(({ label }) => label);
			return labels.join() !== [...labels].sort().join();
		}).length;
		const held1 = ENTITIES.filter((entity) => {
			const first = sent.find((write) => write.entity === entity);
			return !first || first.at !== due.get(first.label);
		}).length;
		const unfinished = open.size + faults.outcomes;
		emit({
			rule: RULES.instant,
			ok: faults.unseen === 0,
			detail: `${howMany(faults.unseen, 'change')} not shown at once`,
		});
		emit({
			rule: RULES.restored,
			ok: faults.clobbered === 0,
			detail: `${howMany(faults.clobbered, 'time')} a failure hid an open change or stayed visible`,
		});
		emit({
			rule: RULES.stale,
			ok: faults.resurrected === 0,
			detail: `${howMany(faults.resurrected, 'time')} a saved label vanished`,
		});
		emit({
			rule: RULES.parked,
			ok: faults.doubled === 0,
			detail: `${howMany(faults.doubled, 'time')} a label was shown twice`,
		});
		emit({
			rule: RULES.queue,
			ok: faults.overlapping + disorder + held1 === 0,
			detail: `${howMany(faults.overlapping, 'write')} overlapped, ${howMany(disorder, 'queue')} out of order, ${howMany(held1, 'queue')} held up`,
		});
		emit({
			rule: RULES.undo,
			ok: early + reached + faults.lateUndo === 0,
			detail: `${howMany(early, 'write')} sent early, ${howMany(reached, 'undone one')} sent`,
		});
		emit({
			rule: RULES.outcome,
			ok: unfinished === 0,
			detail: `${howMany(unfinished, 'change without its', 'changes without their')} one outcome`,
		});
	},
};
