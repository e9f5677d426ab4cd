import { howMany } from '../how-many.ts';
import type { Demo, Emit, EventKind, ScenarioClock } from '../scenario.ts';
import {
	type Clock,
	type Deadline,
	DeadlineExceeded,
	decodeTimeout,
	encodeTimeout,
	rootDeadline,
	withDeadline,
} from './deadline-propagation.ts';

/** The rules that this scenario checks, as they stand on the card. */
export const RULES = {
	bounded: "A child's budget is at most what its parent has left, whatever the child asks for.",
	early: 'A call whose time is over fails before it is made.',
	abort: 'An abort or an expiry at any level reaches every descendant at once.',
	monotonic: 'Time comes from a monotonic clock: setting the wall clock changes no budget.',
	relative: 'A deadline crosses a process as the time that remains, rounded down, and never as a date.',
	released: 'When the work has ended, however it ended, its timer and its listener on the parent are gone.',
} as const;

const QUERIES = 5;
const NETWORK_MS = 5;
/** What each hop of the naive system allows itself, whoever is waiting. */
const FIXED_TIMEOUT_MS = 1000;
/** When the operators correct the wall clock of the orders service. */
const CORRECTED_AT_MS = 40;

export const demo: Demo = {
	title: 'One budget from the click to the query',
	about:
		'A client asks a gateway, which asks the orders service, which runs five queries. The wall clock of the orders service is wrong and is corrected on the way. Watch what still runs after the client has gone.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Propagate the deadline', value: true },
		{ id: 'budget', kind: 'number', label: 'Client waits', value: 300, min: 50, max: 1500, step: 50, unit: 'ms' },
		{ id: 'query', kind: 'number', label: 'One query takes', value: 120, min: 10, max: 400, step: 10, unit: 'ms' },
		{
			id: 'skew',
			kind: 'number',
			label: 'Orders clock is ahead by',
			value: -400,
			min: -2000,
			max: 2000,
			step: 100,
			unit: 'ms',
		},
		{
			id: 'leave',
			kind: 'number',
			label: 'Client leaves after (0: stays)',
			value: 0,
			min: 0,
			max: 1000,
			step: 10,
			unit: 'ms',
		},
	],
	async run(controls, emit, clock) {
		const world = observe(emit, clock);
		const settings = {
			budget: Number(controls.budget),
			query: Number(controls.query),
			skew: Number(controls.skew),
			leave: Number(controls.leave),
		};
		const user = new AbortController();
		const cancelLeave =
			settings.leave > 0 ? clock.after(settings.leave, () => user.abort(new Error('client left'))) : () => {};
		world.note('client', 'start', `asks, waits ${settings.budget} ms`);
		if (controls.pattern) await propagated(world, settings, user.signal);
		else await naive(world, settings, user.signal);
		cancelLeave();
		world.verdict();
	},
};

interface Settings {
	budget: number;
	query: number;
	skew: number;
	leave: number;
}

type World = ReturnType<typeof observe>;

/** With the pattern: every process makes a root with its own clock, and the header says how much is left. */
async function propagated(world: World, { budget, query, skew }: Settings, signal: AbortSignal): Promise<void> {
	const process = (offset: number): Clock => ({ now: () => world.clock.now() + offset, after: world.after });
	const client = rootDeadline({ clock: process(0), signal });
	const ask = withDeadline(client, { budgetMs: budget }, (deadline) =>
		call(world, deadline, 'gateway', process(7_000), (gateway) =>
			call(world, gateway, 'orders', process(-90_000), async (orders) => {
				for (let n = 1; n <= QUERIES; n++) {
					world.wallClock('orders', () => orders.remaining());
					await withDeadline(orders, {}, (child) => {
						world.grant(child.remaining(), orders.remaining());
						return world.work('database', `query ${n}`, query, child.signal);
					});
				}
			}),
		),
	);
	world.skewed('orders', skew);
	await ask.then(
		() => world.clientDone('ok', 'has the answer'),
		(error) => world.clientDone(error instanceof DeadlineExceeded ? 'fail' : 'abort', message(error)),
	);
}

async function call(
	world: World,
	parent: Deadline,
	lane: string,
	clock: Clock,
	serve: (deadline: Deadline) => Promise<void>,
): Promise<void> {
	const header = encodeTimeout(parent);
	world.header(lane, decodeTimeout(header) ?? Number.POSITIVE_INFINITY, parent.remaining());
	await world.clock.sleep(NETWORK_MS, parent.signal);
	// The connection closes when the caller aborts: that is the signal on the far side.
	const connection = rootDeadline({ clock, signal: parent.signal });
	const began = world.clock.now();
	try {
		await withDeadline(connection, { budgetMs: decodeTimeout(header) ?? FIXED_TIMEOUT_MS }, async (deadline) => {
			world.grant(deadline.remaining() - NETWORK_MS, parent.remaining());
			world.note(lane, 'start', `received ${header}`);
			await serve(deadline);
		});
		world.span(lane, 'ok', 'served', began);
	} catch (error) {
		world.span(lane, 'abort', message(error), began);
		throw error;
	}
}

/** Without it: the deadline is sent as a date, each hop has its own fixed timeout, nobody cancels anything. */
async function naive(world: World, { budget, query, skew }: Settings, signal: AbortSignal): Promise<void> {
	const { clock } = world;
	const date = budget;
	const ordersWall = () => clock.now() + (clock.now() < CORRECTED_AT_MS ? 0 : -skew) + skew;
	const serve = async () => {
		for (const lane of ['gateway', 'orders']) {
			const left = budget - clock.now();
			world.header(lane, lane === 'orders' ? date - ordersWall() : left, left);
			await clock.sleep(NETWORK_MS);
			world.grant(FIXED_TIMEOUT_MS, left);
			world.note(lane, 'start', `allows itself ${FIXED_TIMEOUT_MS} ms`);
		}
		const began = clock.now();
		for (let n = 1; n <= QUERIES && clock.now() - began < FIXED_TIMEOUT_MS; n++) {
			world.wallClock('orders', () => date - ordersWall());
			await world.work('database', `query ${n}`, query);
		}
		world.span('orders', 'ok', 'served', began);
	};
	world.skewed('orders', skew);
	const server = serve();
	const patience = new AbortController();
	const client = Promise.race([
		server.then(() => 'has the answer'),
		clock
			.sleep(budget, AbortSignal.any([signal, patience.signal]))
			.then(() => Promise.reject(new Error('time is over'))),
	]);
	await client.then(
		(text) => world.clientDone('ok', text),
		(error) => world.clientDone('fail', message(error)),
	);
	patience.abort();
	await server;
}

/** Draws the timeline and remembers what the checks need. */
function observe(emit: Emit, clock: ScenarioClock) {
	let clientEnd = Number.POSITIVE_INFINITY;
	let timers = 0;
	let excess = 0;
	let headerError = 0;
	let drift = 0;
	let samples = 0;
	const starts: number[] = [];
	const ends: number[] = [];
	const firstReading = new Map<string, { at: number; left: number }>();

	const note = (lane: string, kind: EventKind, label: string) => emit({ t: clock.now(), lane, kind, label });
	const span = (lane: string, kind: EventKind, label: string, from: number) =>
		emit({ t: from, until: clock.now(), lane, kind, label });

	return {
		clock,
		note,
		span,
		/** Timers as the pattern gets them, counted. */
		after(ms: number, callback: () => void): () => void {
			timers++;
			let live = true;
			const drop = () => {
				if (live) timers--;
				live = false;
			};
			const cancel = clock.after(ms, () => {
				drop();
				callback();
			});
			return () => {
				drop();
				cancel();
			};
		},
		grant(granted: number, parentLeft: number) {
			excess = Math.max(excess, granted - parentLeft);
		},
		header(lane: string, read: number, sent: number) {
			headerError = Math.max(headerError, Math.abs(sent - read));
			note(lane === 'gateway' ? 'client' : 'gateway', 'info', `sends: ${Math.floor(read)} ms left`);
		},
		/** What a hop believes to have left must fall exactly as time passes. */
		wallClock(lane: string, left: () => number) {
			const now = { at: clock.now(), left: left() };
			const first = firstReading.get(lane) ?? now;
			firstReading.set(lane, first);
			samples++;
			drift = Math.max(drift, Math.abs(first.left - now.left - (now.at - first.at)));
		},
		skewed(lane: string, skew: number) {
			note(lane, 'info', `wall clock is off by ${skew} ms until ${CORRECTED_AT_MS} ms`);
		},
		async work(lane: string, label: string, ms: number, signal?: AbortSignal) {
			const began = clock.now();
			starts.push(began);
			note(lane, 'start', label);
			try {
				await clock.sleep(ms, signal);
				span(
					lane,
					clock.now() > clientEnd ? 'fail' : 'ok',
					clock.now() > clientEnd ? `${label}, for nobody` : label,
					began,
				);
			} catch (error) {
				span(lane, 'abort', `${label} cancelled`, began);
				throw error;
			} finally {
				ends.push(clock.now());
			}
		},
		clientDone(kind: EventKind, label: string) {
			clientEnd = clock.now();
			note('client', kind, label);
		},
		verdict() {
			const late = starts.filter((at) => at >= clientEnd).length;
			const orphans = ends.filter((at) => at > clientEnd).length;
			const ms = (value: number) => `${Math.round(value)} ms`;
			emit({ rule: RULES.bounded, ok: excess <= 1e-6, detail: `${ms(excess)} more than the parent had` });
			emit({
				rule: RULES.early,
				ok: late === 0,
				detail: `${howMany(late, 'query', 'queries')} began after the client's end`,
			});
			emit({
				rule: RULES.abort,
				ok: orphans === 0,
				detail: `${howMany(orphans, 'query', 'queries')} ran on after the client's end`,
			});
			emit({
				rule: RULES.monotonic,
				ok: drift <= 1e-6,
				detail: `${ms(drift)} of drift in ${howMany(samples, 'reading')}`,
			});
			emit({ rule: RULES.relative, ok: headerError <= 1, detail: `${ms(headerError)} between sent and understood` });
			emit({ rule: RULES.released, ok: timers === 0, detail: `${howMany(timers, 'timer')} left` });
		},
	};
}

function message(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
