import { rootDeadline, withDeadline } from '../deadline-propagation/deadline-propagation.ts';
import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo, Emit, EventKind, ScenarioClock } from '../scenario.ts';
import { classifyHttp, fullJitter, HttpError, RetryBudget, retry } from './retry-backoff.ts';

/** The rules that this scenario checks, as they stand on the card. */
export const RULES = {
	transient: 'Only a failure that is classified as transient is tried again; an unknown one is permanent.',
	jitter: 'A computed delay is drawn evenly from the whole of [0, min(cap, base · 2^n)].',
	deadline: 'It never sleeps past the deadline: when the delay does not fit, it gives up at once.',
	retryAfter: 'Retry-After, in seconds or as an HTTP-date, wins over the computed delay.',
	abort: 'An abort ends a sleep at once, and no further attempt begins.',
	budget: 'A retry budget bounds amplification: n calls cause at most n · (1 + ratio) + reserve attempts.',
	safe: 'A call that is not idempotent is repeated only under an idempotency key, the same for each attempt.',
} as const;

const DEADLINE_MS = 4000;
const LEAVES_AT_MS = 130;
const SERVICE_MS = 20;
const BASE_MS = 200;
const CAP_MS = 1000;
const BUDGET = { ratio: 0.2, reserve: 6 };
const NAIVE = { attempts: 6, delayMs: 100 };
/** Noon on a day, so that dates in headers are real ones. */
const EPOCH = Date.UTC(2026, 10, 30, 12);

interface Client {
	name: string;
	order: number;
	/** What it asks for: a read, a request the server will always refuse, or a payment with or without a key. */
	kind: 'read' | 'malformed' | 'payment' | 'payment with key';
	leaves: boolean;
}

export const demo: Demo = {
	title: 'An outage, and the clients that come back',
	about:
		'All clients call within a few milliseconds while the server is down. One sends a malformed request, one leaves early, two pay and lose the reply. Compare how often the server is called, when, and how often money moves.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Back off, with jitter and a budget', value: true },
		{ id: 'clients', kind: 'number', label: 'Clients', value: 6, min: 4, max: 8, step: 1 },
		{ id: 'outage', kind: 'number', label: 'Server is down for', value: 300, min: 0, max: 3000, step: 100, unit: 'ms' },
		{
			id: 'retryAfter',
			kind: 'select',
			label: 'Server sends Retry-After',
			value: 'none',
			options: [
				{ value: 'none', label: 'never' },
				{ value: 'seconds', label: 'in seconds' },
				{ value: 'date', label: 'as a date' },
			],
		},
		{ id: 'seed', kind: 'number', label: 'Seed', value: 1, min: 1, max: 99, step: 1 },
	],
	async run(controls, emit, clock) {
		const kinds: Client['kind'][] = ['read', 'malformed', 'payment', 'payment with key'];
		const clients = Array.from({ length: Number(controls.clients) }, (_, i): Client => {
			const kind = kinds[i] ?? 'read';
			return { name: `client ${i + 1}: ${kind}`, order: i + 1, kind, leaves: i === 0 };
		});
		const server = serverThat(emit, clock, Number(controls.outage), String(controls.retryAfter));
		const watch = watcher(clock, clients.length);
		const budget = new RetryBudget(BUDGET);
		const random = seededRandom(Number(controls.seed));
		/** The server finishes what it has begun, even for a client that has left. */
		const handled: Promise<void>[] = [];
		await Promise.all(
			clients.map(async (client) => {
				await clock.sleep(client.order * 5);
				const note = (kind: EventKind, label: string) => emit({ t: clock.now(), lane: client.name, kind, label });
				note('start', client.kind);
				const user = new AbortController();
				const cancel = client.leaves ? clock.after(LEAVES_AT_MS, () => user.abort(new Error('left'))) : () => {};
				const call = (key?: string) => {
					watch.attempt(client, server.asked.get(client.name));
					const reply = server.handle(client, key);
					handled.push(reply);
					return reply;
				};
				const wait = (ms: number) =>
					emit({
						t: clock.now(),
						until: clock.now() + ms,
						lane: client.name,
						kind: 'wait',
						label: `${Math.round(ms)} ms`,
					});
				try {
					if (controls.pattern) await patient(client, user.signal, call, wait);
					else await stubborn(call, wait);
					note('ok', 'answered');
				} catch (error) {
					note(user.signal.aborted ? 'abort' : 'fail', error instanceof Error ? error.message : String(error));
				}
				cancel();
				watch.ended(client);
			}),
		);
		await Promise.allSettled(handled);
		watch.verdict(emit, server.payments);

		function patient(
			client: Client,
			signal: AbortSignal,
			call: (key?: string) => Promise<void>,
			wait: (ms: number) => void,
		) {
			const clientClock = { now: () => clock.now(), after: (ms: number, fire: () => void) => clock.after(ms, fire) };
			return withDeadline(rootDeadline({ clock: clientClock, signal }), { budgetMs: DEADLINE_MS }, (deadline) =>
				retry(({ idempotencyKey }) => call(idempotencyKey), {
					deadline,
					idempotent: !client.kind.startsWith('payment'),
					...(client.kind === 'payment with key' ? { idempotencyKey: client.name } : {}),
					budget,
					baseMs: BASE_MS,
					capMs: CAP_MS,
					random,
					classify: (error) => classifyHttp(error, () => EPOCH + clock.now()),
					onDecision(decision, error, attempt, delayMs) {
						if (decision !== 'retry') return;
						watch.delay(attempt - 1, delayMs, error instanceof HttpError && error.retryAfter !== null);
						wait(delayMs);
					},
				}),
			);
		}

		async function stubborn(call: () => Promise<void>, wait: (ms: number) => void) {
			for (let n = 0; ; n++) {
				try {
					return await call();
				} catch (error) {
					if (n + 1 >= NAIVE.attempts) throw error;
					watch.delay(n, NAIVE.delayMs, false);
					wait(NAIVE.delayMs);
					await clock.sleep(NAIVE.delayMs);
				}
			}
		}
	},
};

/** A server that is down at first, and that loses the reply to the first payment of each client. */
function serverThat(emit: Emit, clock: ScenarioClock, outageMs: number, retryAfter: string) {
	const payments = new Map<string, number>();
	const keys = new Set<string>();
	/** The earliest time at which a client was asked to come back. */
	const asked = new Map<string, number>();
	const retryAfterNow = (client: Client): string | null => {
		if (retryAfter === 'none') return null;
		const at = retryAfter === 'seconds' ? clock.now() + 1000 : Math.ceil(clock.now() / 1000 + 0.2) * 1000;
		asked.set(client.name, at);
		return retryAfter === 'seconds' ? '1' : new Date(EPOCH + at).toUTCString();
	};
	return {
		payments,
		asked,
		async handle(client: Client, key: string | undefined): Promise<void> {
			const began = clock.now();
			const span = (kind: EventKind, label: string) =>
				emit({ t: began, until: clock.now(), lane: 'server', kind, label: `${client.order}: ${label}` });
			await clock.sleep(SERVICE_MS);
			if (client.kind === 'malformed') {
				span('reject', '400');
				throw new HttpError(400);
			}
			if (client.kind.startsWith('payment')) {
				const paid = payments.get(client.name) ?? 0;
				if (key !== undefined && keys.has(key)) return span('ok', 'already paid');
				if (key !== undefined) keys.add(key);
				payments.set(client.name, paid + 1);
				span(paid === 0 ? 'ok' : 'fail', paid === 0 ? 'paid, reply lost' : 'paid AGAIN');
				if (paid === 0) throw Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
				return;
			}
			if (clock.now() < outageMs) {
				span('fail', '503');
				throw new HttpError(503, retryAfterNow(client));
			}
			span('ok', '200');
		},
	};
}

/** Remembers what the checks need. */
function watcher(clock: ScenarioClock, calls: number) {
	const attempts = new Map<string, number[]>();
	const began = new Map<string, number>();
	const ends = new Map<string, number>();
	const computed: number[] = [];
	let outOfRange = 0;
	let tooEarly = 0;
	const times = (client: Client) => attempts.get(client.name) ?? [];
	const seen: Client[] = [];
	return {
		attempt(client: Client, notBefore: number | undefined) {
			if (times(client).length === 0) {
				seen.push(client);
				began.set(client.name, clock.now());
			}
			attempts.set(client.name, [...times(client), clock.now()]);
			if (notBefore !== undefined && clock.now() < notBefore) tooEarly++;
		},
		delay(n: number, ms: number, wasAsked: boolean) {
			if (wasAsked) return;
			computed.push(ms);
			if (ms < 0 || ms > fullJitter(n, BASE_MS, CAP_MS, () => 1)) outOfRange++;
		},
		ended(client: Client) {
			ends.set(client.name, clock.now());
		},
		verdict(emit: Emit, payments: Map<string, number>) {
			const total = seen.reduce((sum, client) => sum + times(client).length, 0);
			const allowed = calls * (1 + BUDGET.ratio) + BUDGET.reserve;
			const malformed = seen.filter((client) => client.kind === 'malformed');
			const repeated = malformed.reduce((sum, client) => sum + times(client).length - 1, 0);
			const same = computed.length - new Set(computed).size;
			const overtime = seen.filter((c) => (ends.get(c.name) ?? 0) > (began.get(c.name) ?? 0) + DEADLINE_MS).length;
			const goneAt = (client: Client) => (began.get(client.name) ?? 0) + LEAVES_AT_MS;
			const afterLeaving = seen
				.filter((client) => client.leaves)
				.reduce(
					(sum, client) =>
						sum +
						times(client).filter((at) => at > goneAt(client)).length +
						Number((ends.get(client.name) ?? 0) > goneAt(client)),
					0,
				);
			const twice = [...payments.values()].filter((count) => count > 1).length;
			emit({
				rule: RULES.transient,
				ok: repeated === 0,
				detail: `${howMany(repeated, 'retry', 'retries')} of a malformed request`,
			});
			emit({
				rule: RULES.jitter,
				ok: outOfRange === 0 && same === 0,
				detail: `${howMany(computed.length, 'delay')}, ${same} of them equal to another, ${outOfRange} out of range`,
			});
			emit({
				rule: RULES.deadline,
				ok: overtime === 0,
				detail: `${howMany(overtime, 'client')} took longer than ${DEADLINE_MS} ms`,
			});
			emit({
				rule: RULES.retryAfter,
				ok: tooEarly === 0,
				detail: `${howMany(tooEarly, 'attempt')} came before the server asked`,
			});
			emit({
				rule: RULES.abort,
				ok: afterLeaving === 0,
				detail: `${howMany(afterLeaving, 'thing')} happened for a client that had left`,
			});
			emit({
				rule: RULES.budget,
				ok: total <= allowed,
				detail: `${howMany(total, 'attempt')} for ${howMany(calls, 'call')}, ${allowed.toFixed(1)} allowed`,
			});
			emit({ rule: RULES.safe, ok: twice === 0, detail: `${howMany(twice, 'payment')} made more than once` });
		},
	};
}
