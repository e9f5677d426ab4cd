import type { Demo } from '../scenario.ts';
import { type Component, GracefulShutdown } from './graceful-shutdown.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	accept: 'Every component has been told to stop accepting before any component is drained.',
	reverse: 'Components are drained one at a time in reverse order of registration.',
	budget:
		'One budget covers notice, stopping and draining together; when it is spent, what is left is forced and nothing more is waited for.',
	second: 'A second signal forces at once, whatever is going on.',
	others: 'A component that throws or hangs does not stop the others: each still gets its turn.',
	ready: 'Readiness turns false at the signal, and listeners close only after the notice period, unless forced.',
} as const;

const SIGNAL_AT = 400;
const PROBE_MS = 100;

export const demo: Demo = {
	title: 'A deployment replaces a busy server',
	about:
		'A balancer sends requests to a server that uses a database, while a worker does jobs; then the platform asks the process to end. ' +
		'With the pattern it first turns unready, then closes, drains server, worker and database in that order, and forces what hangs. ' +
		'Without it, everything is closed at once, in the order in which it was started.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Shut down gracefully', value: true },
		{ id: 'budget', kind: 'number', label: 'Budget', value: 1500, min: 400, max: 3000, step: 100, unit: 'ms' },
		{ id: 'notice', kind: 'number', label: 'Notice', value: 200, min: 0, max: 300, step: 50, unit: 'ms' },
		{
			id: 'worker',
			kind: 'select',
			label: 'The worker',
			value: 'finishes',
			options: [
				{ value: 'finishes', label: 'finishes its job' },
				{ value: 'throws', label: 'throws' },
				{ value: 'hangs', label: 'hangs' },
			],
		},
		{
			id: 'second',
			kind: 'number',
			label: 'Second signal after (0: none)',
			value: 0,
			min: 0,
			max: 800,
			step: 50,
			unit: 'ms',
		},
	],
	async run(controls, emit, clock) {
		const budgetMs = Number(controls.budget);
		const noticeMs = Number(controls.notice);
		const secondMs = Number(controls.second);
		const shutdown = new GracefulShutdown({ budgetMs, noticeMs, clock });
		const log: { t: number; what: 'stop' | 'drain' | 'drained' | 'force'; name: string }[] = [];
		const note = (what: 'stop' | 'drain' | 'drained' | 'force', name: string) => {
			log.push({ t: clock.now(), what, name });
			const kind = what === 'force' ? 'abort' : what === 'drained' ? 'ok' : 'state';
			emit({ t: clock.now(), lane: name, kind, label: what });
		};
		const first = (what: string, name?: string) =>
			log.findIndex((entry) => entry.what === what && (name === undefined || entry.name === name));

		let listening = true;
		let connected = true;
		let ready = true;
		let unreadyAt = Number.NaN;
		const inFlight = new Set<Promise<void>>();
		const seen = { ok: 0, failed: 0, refused: 0 };

		const request = async (n: number) => {
			const t = clock.now();
			if (!listening) {
				seen.refused++;
				emit({ t, lane: 'server', kind: 'fail', label: `request ${n}: connection refused` });
				return;
			}
			await clock.sleep(130);
			const ok = connected;
			if (ok) seen.ok++;
			else seen.failed++;
			emit({
				t,
				until: clock.now(),
				lane: 'server',
				kind: ok ? 'ok' : 'fail',
				label: `request ${n}${ok ? '' : ': no database'}`,
			});
		};

		const worker = String(controls.worker);
		const components: Component[] = [
			{
				name: 'database',
				drain: async (signal) => {
					note('drain', 'database');
					await clock.sleep(20, signal);
					connected = false;
					note('drained', 'database');
				},
				force: () => {
					connected = false;
					note('force', 'database');
				},
			},
			{
				name: 'worker',
				stopAccepting: () => void note('stop', 'worker'),
				drain: async (signal) => {
					note('drain', 'worker');
					if (worker === 'throws') throw new Error('the worker lost its broker');
					await clock.sleep(worker === 'hangs' ? 60_000 : 150, signal);
					note('drained', 'worker');
				},
				force: () => void note('force', 'worker'),
			},
			{
				name: 'server',
				stopAccepting: () => {
					listening = false;
					note('stop', 'server');
				},
				drain: async () => {
					note('drain', 'server');
					await Promise.all(inFlight);
					note('drained', 'server');
				},
				force: () => void note('force', 'server'),
			},
		];
		for (const component of components) shutdown.register(component);
		const isReady = () => (controls.pattern ? shutdown.ready : listening);

		let sending = true;
		const balancer = async () => {
			let healthy = true;
			for (let n = 1; sending && n <= 24; n++) {
				if ((n - 1) % (PROBE_MS / 50) === 0 && healthy !== isReady()) {
					healthy = isReady();
					emit({ t: clock.now(), lane: 'balancer', kind: 'state', label: 'sees "not ready", sends elsewhere' });
				}
				if (healthy) {
					const sent = request(n).finally(() => inFlight.delete(sent));
					inFlight.add(sent);
				}
				await clock.sleep(50);
			}
		};

		/** Without the pattern: closes all at the signal, in order of registration, and waits as long as that takes. */
		const closeEverything = async (signal: AbortSignal) => {
			for (const component of components) {
				await component.stopAccepting?.();
				await component.drain?.(signal);
			}
		};

		const platform = async () => {
			await clock.sleep(SIGNAL_AT);
			emit({ t: clock.now(), lane: 'platform', kind: 'state', label: 'SIGTERM' });
			const cancelSecond = clock.after(secondMs, () => {
				if (secondMs === 0) return;
				emit({ t: clock.now(), lane: 'platform', kind: 'state', label: 'second signal' });
				if (controls.pattern) void shutdown.force();
			});
			const killer = new AbortController();
			const cancelKill = clock.after(budgetMs + 1000, () => {
				emit({ t: clock.now(), lane: 'platform', kind: 'abort', label: 'SIGKILL' });
				killer.abort(new Error('killed'));
			});
			const ending = controls.pattern ? shutdown.shutdown() : closeEverything(killer.signal);
			ready = isReady();
			if (!ready) unreadyAt = clock.now();
			await ending.catch((error: Error) =>
				emit({ t: clock.now(), lane: 'process', kind: 'fail', label: error.message }),
			);
			const end = clock.now();
			cancelSecond();
			cancelKill();
			return end;
		};

		const sent = balancer();
		const end = await platform();
		emit({ t: end, lane: 'process', kind: 'state', label: `exits after ${Math.round(end - SIGNAL_AT)} ms` });
		sending = false;
		await sent;
		await Promise.all(inFlight);
		emit({
			t: end,
			lane: 'balancer',
			kind: 'info',
			label: `${seen.ok} served, ${seen.failed} failed, ${seen.refused} refused`,
		});

		const took = end - SIGNAL_AT;
		const insisted = secondMs > 0 && secondMs <= took;
		const stops = log.flatMap(({ what }, index) => (what === 'stop' ? [index] : []));
		const lastStop = stops.length === 2 ? Math.max(...stops) : Number.POSITIVE_INFINITY;
		const order = log.filter(({ what }) => what === 'drain').map(({ name }) => name);
		const expected = ['server', 'worker', 'database'].slice(0, order.length);
		const closedAt = log[first('stop', 'server')]?.t ?? Number.NaN;
		const unserved = components.filter(({ name }) => first('drained', name) < 0 && first('force', name) < 0);
		emit({
			rule: rules.accept,
			ok: first('drain') < 0 || lastStop < first('drain'),
			detail: `${stops.length} told to stop; first drain ${first('drain') < 0 ? 'never came' : `was step ${first('drain') + 1}`}`,
		});
		emit({
			rule: rules.reverse,
			ok: order.join() === expected.join(),
			detail: order.join(', ') || 'nothing was drained',
		});
		emit({ rule: rules.budget, ok: took <= budgetMs, detail: `took ${Math.round(took)} of ${budgetMs} ms` });
		emit({
			rule: rules.second,
			ok: !(secondMs > 0) || took <= secondMs,
			detail: insisted ? `ended ${Math.round(took - secondMs)} ms after it` : 'it ended before any came',
		});
		emit({
			rule: rules.others,
			ok: unserved.length === 0,
			detail:
				unserved.length === 0
					? 'each was drained or forced'
					: `left alone: ${unserved.map(({ name }) => name).join(', ')}`,
		});
		emit({
			rule: rules.ready,
			ok: unreadyAt <= closedAt && (closedAt - unreadyAt >= noticeMs || (insisted && closedAt - SIGNAL_AT >= secondMs)),
			detail: `unready at ${unreadyAt} ms, closed at ${closedAt} ms`,
		});
	},
};
