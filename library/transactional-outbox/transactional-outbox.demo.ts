import { howMany } from '../how-many.ts';
import type { ControlValues, Demo, Emit, ScenarioClock } from '../scenario.ts';
import { runRelay } from './outbox-relay.ts';
import { memoryOutbox } from './transactional-outbox.memory.ts';
import type { OutboxEvent, OutboxStore } from './transactional-outbox.ts';

/** The card's rules that the scenario checks, to the letter. */
export const rules = {
	atomic: 'The event and the change commit together, or neither does.',
	delivery: 'Delivery is at least once: an event leaves the outbox only after the broker has taken it.',
	order:
		'The events of one aggregate are delivered in the order in which their changes committed, with several relays too.',
	crash:
		'A relay that dies in the middle of a batch loses nothing: what it had taken is free at once and is delivered again.',
	poison:
		'An event that keeps failing is retried with growing pauses and then parked, and holds up its own aggregate alone.',
	id: 'Every delivery of an event carries the same id, by which a consumer handles it once.',
	apart: 'Two relays never hold one event at a time.',
} as const;

const STEPS = ['placed', 'paid', 'shipped'];
const POISONED = 'order 2 paid';
const MAX_ATTEMPTS = 3;

interface Delivery {
	name: string;
	aggregate: string;
	id: string;
	at: number;
}

export const demo: Demo = {
	title: 'Orders, a broker, and a relay that dies',
	about:
		'A shop changes orders and tells a broker. One change is rolled back after it was made, the shop crashes once right after a commit, one event is refused by the broker every time, and the relay dies halfway through a batch. Watch which events arrive: without an outbox some never do, and one tells of something that did not happen.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Transactional outbox', value: true },
		{ id: 'orders', kind: 'number', label: 'Orders', value: 3, min: 2, max: 4, step: 1 },
		{ id: 'relays', kind: 'number', label: 'Relays', value: 2, min: 1, max: 3, step: 1 },
		{ id: 'dies', kind: 'switch', label: 'A relay dies in a batch', value: true },
		{ id: 'poison', kind: 'switch', label: 'The broker refuses one event', value: true },
	],
	run,
};

async function run(controls: ControlValues, emit: Emit, clock: ScenarioClock): Promise<void> {
	const outbox = memoryOutbox(clock.now);
	const committed: string[] = [];
	const deliveries: Delivery[] = [];
	const stop = new AbortController();
	let refusals = 0;
	let deaths = 0;
	let lost: string[] = [];

	const publish = async (event: OutboxEvent, lane: string, signal?: AbortSignal) => {
		const name = `${event.aggregate} ${event.type}`;
		const t = clock.now();
		await clock.sleep(30, signal);
		if (controls.poison && name === POISONED) {
			refusals++;
			emit({ t, until: clock.now(), lane, kind: 'fail', label: `${name}: refused, attempt ${event.attempts + 1}` });
			throw new Error('schema mismatch');
		}
		deliveries.push({ name, aggregate: event.aggregate, id: event.id, at: clock.now() });
		emit({ t, until: clock.now(), lane, kind: 'ok', label: name });
	};

	/** The shop: changes an order and tells of it. A rollback undoes the change; a crash comes right after the commit. */
	const change = async (aggregate: string, type: string) => {
		const name = `${aggregate} ${type}`;
		const event = { aggregate, type, payload: { step: type } };
		const rollsBack = type === 'cancelled';
		const crashes = type === 'shipped' && aggregate === 'order 1';
		const commit = () => {
			committed.push(name);
			emit({ t: clock.now(), lane: 'shop', kind: 'state', label: `commits ${name}` });
		};
		const rollback = () => emit({ t: clock.now(), lane: 'shop', kind: 'abort', label: `rolls ${name} back` });
		if (controls.pattern) {
			const transaction = outbox.transaction(async (tx) => {
				tx.onCommit(commit);
				await outbox.append(tx, event);
				if (rollsBack) throw new Error('too late');
			});
			await transaction.catch(rollback);
			if (crashes) emit({ t: clock.now(), lane: 'shop', kind: 'fail', label: 'crashes after the commit' });
			return;
		}
		// What is usually written first: tell the broker within the transaction, or after it.
		const send = () =>
			publish({ ...event, id: `sent at ${clock.now()}`, attempts: 0 }, 'broker').catch(() => undefined);
		if (rollsBack) {
			await send();
			rollback();
			return;
		}
		commit();
		if (crashes) emit({ t: clock.now(), lane: 'shop', kind: 'fail', label: 'crashes after the commit' });
		else await send();
	};

	let held = new Set<string>();
	let heldTwice = 0;
	const store: OutboxStore = {
		take: (limit, deliver) =>
			outbox.take(limit, async (events) => {
				heldTwice += events.filter(({ id }) => held.has(id)).length;
				held = new Set([...held, ...events.map(({ id }) => id)]);
				try {
					const verdicts = await deliver(events);
					if (controls.dies && deaths === 0 && events.length > 1) {
						deaths++;
						lost = events.map(({ aggregate, type }) => `${aggregate} ${type}`);
						const label = `dies before it notes down: ${lost.join(', ')}`;
						emit({ t: clock.now(), lane: 'relays', kind: 'fail', label });
						throw new Error('killed');
					}
					return verdicts;
				} finally {
					for (const { id } of events) held.delete(id);
				}
			}),
	};
	const options = { limit: 4, maxAttempts: MAX_ATTEMPTS, baseMs: 100, idleMs: 40, timeoutMs: 500, after: clock.after };
	const relays = Array.from({ length: controls.pattern ? Math.round(Number(controls.relays)) : 0 }, async (_, i) => {
		await clock.sleep(150 + i * 10);
		emit({ t: clock.now(), lane: `relay ${i + 1}`, kind: 'start', label: 'starts' });
		const via = (event: OutboxEvent, signal: AbortSignal) => publish(event, `relay ${i + 1}`, signal);
		await runRelay(store, via, { ...options, signal: stop.signal });
	});

	const orders = Array.from({ length: Math.round(Number(controls.orders)) }, (_, i) => `order ${i + 1}`);
	for (const type of STEPS) {
		for (const aggregate of orders) {
			await change(aggregate, type);
			await clock.sleep(40);
		}
		if (type === 'placed') await change('order 1', 'cancelled');
	}
	await clock.sleep(1500);
	emit({ t: clock.now(), lane: 'relays', kind: 'abort', label: 'are told to stop' });
	stop.abort(new Error('the scenario ends'));
	await Promise.all(relays);

	const arrived = new Set(deliveries.map(({ name }) => name));
	const waiting = outbox.pending();
	const left = new Set(waiting.map(({ aggregate, type }) => `${aggregate} ${type}`));
	const untold = committed.filter((name) => !arrived.has(name) && !left.has(name)).length;
	const untrue = [...arrived].filter((name) => !committed.includes(name)).length;
	emit({
		rule: rules.atomic,
		ok: untold === 0 && untrue === 0,
		detail: `${howMany(untold, 'change')} untold, ${howMany(untrue, 'event')} of nothing`,
	});
	// What the refused event holds up is in the outbox still, on purpose.
	const behind = controls.poison ? ['order 2 paid', 'order 2 shipped'] : [];
	const missing = committed.filter((name) => !arrived.has(name) && !behind.includes(name)).length;
	emit({ rule: rules.delivery, ok: missing === 0, detail: `${missing} of ${committed.length} never arrived` });
	const sequences = orders.map((aggregate) => [
		...new Set(deliveries.filter((each) => each.aggregate === aggregate).map(({ name }) => name)),
	]);
	const gaps = sequences.filter((names, i) => names.some((name, j) => name !== `${orders[i]} ${STEPS[j]}`)).length;
	emit({
		rule: rules.order,
		ok: gaps === 0,
		detail: `${gaps} of ${howMany(orders.length, 'order')} with gaps or swaps`,
	});
	if (controls.dies && controls.pattern) {
		const again = lost.filter((name) => deliveries.filter((each) => each.name === name).length > 1);
		emit({
			rule: rules.crash,
			ok: deaths === 1 && again.length === lost.length,
			detail: `${again.length} of ${howMany(lost.length, 'event')} of the lost batch came again`,
		});
	}
	const others = committed.filter((name) => !name.startsWith('order 2'));
	const delivered = others.filter((name) => arrived.has(name)).length;
	const parked = waiting.filter((event) => event.parked).length;
	emit({
		rule: rules.poison,
		ok: delivered === others.length && (!controls.poison || (parked === 1 && refusals === MAX_ATTEMPTS)),
		detail: `${howMany(refusals, 'refusal')}, ${parked} parked, ${delivered} of ${howMany(others.length, 'other')} delivered`,
	});
	const idsOf = (name: string) => new Set(deliveries.filter((each) => each.name === name).map(({ id }) => id)).size;
	const unstable = [...arrived].filter((name) => idsOf(name) !== 1).length;
	emit({
		rule: rules.id,
		ok: unstable === 0,
		detail: `${howMany(deliveries.length, 'delivery', 'deliveries')}, ${howMany(new Set(deliveries.map(({ id }) => id)).size, 'id')}`,
	});
	emit({ rule: rules.apart, ok: heldTwice === 0, detail: `${heldTwice} held twice` });
}
