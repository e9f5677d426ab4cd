import { howMany } from '../how-many.ts';
import type { ControlValues, Demo, Emit, ScenarioClock } from '../scenario.ts';
import { memoryKeys } from './idempotency-key.memory.ts';
import type { KeyedRequest, StoredResponse } from './idempotency-key.ts';
import { respond, sha256 } from './idempotency-key.ts';

/** The card's rules that the scenario checks, to the letter. */
export const rules = {
	same: 'The same key with the same request gets the same response, byte for byte, and the work is done once.',
	other: 'The same key with another request is answered 422 and does nothing.',
	inFlight:
		'While a request is in flight, another with its key is answered 409 at once, without waiting and without working.',
	crash:
		'The work and its record commit together: a crash between them leaves neither, and the retry does the work once.',
	expiry: "A key expires by the database's clock, and is then as good as new.",
	caller: "A key belongs to its caller: another caller's same key is another key.",
	required: 'A missing or malformed key is answered 400 and does nothing.',
} as const;

const TTL_MS = 60_000;
const NETWORK_MS = 20;

interface Charge {
	caller: string;
	amount: number;
	intent: string;
}

interface Call {
	lane: string;
	caller: string;
	key: string | null;
	amount: number;
	/** What the client means by the call; its retries mean the same. */
	intent: string;
	crash?: boolean;
}

type Server = (request: KeyedRequest, call: Call) => Promise<StoredResponse>;

export const demo: Demo = {
	title: 'A payment that times out and is sent again',
	about:
		'Clients charge a card, lose patience, and send the same request again; one server crashes between charging and remembering. Watch the ledger: without the pattern the retries charge twice, and one caller gets the answer to another.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Idempotency keys', value: true },
		{ id: 'work', kind: 'number', label: 'Work takes', value: 800, min: 100, max: 2000, step: 100, unit: 'ms' },
		{ id: 'patience', kind: 'number', label: 'Client waits', value: 500, min: 100, max: 2000, step: 100, unit: 'ms' },
		{ id: 'crash', kind: 'switch', label: 'The server crashes once', value: true },
	],
	run,
};

async function run(controls: ControlValues, emit: Emit, clock: ScenarioClock): Promise<void> {
	const workMs = Number(controls.work);
	const patience = Number(controls.patience);
	const ledger: Charge[] = [];
	const running = new Set<Promise<unknown>>();
	let works = 0;

	const working = async (call: Call) => {
		const t = clock.now();
		await clock.sleep(workMs);
		works++;
		emit({ t, until: clock.now(), lane: 'server', kind: 'start', label: `charges ${call.amount} for ${call.caller}` });
		return { status: 201, headers: {}, body: JSON.stringify({ charge: works, amount: call.amount }) };
	};
	const enter = (call: Call) => {
		ledger.push({ caller: call.caller, amount: call.amount, intent: call.intent });
		emit({ t: clock.now(), lane: 'ledger', kind: 'state', label: `entry ${ledger.length}: ${call.amount}` });
	};
	const crash = () => {
		emit({ t: clock.now(), lane: 'server', kind: 'fail', label: 'crashes before it remembers' });
		throw new Error('connection lost');
	};

	const keys = memoryKeys(clock.now, TTL_MS);
	const withKeys: Server = (request, call) =>
		respond(
			keys,
			request,
			async (tx) => {
				const response = await working(call);
				tx.onCommit(() => enter(call));
				if (call.crash) crash();
				return response;
			},
			(bytes) => clock.external(sha256(bytes)),
		);
	const answers = new Map<string, StoredResponse>();
	// What is usually written first: look the key up, do the work, remember the answer.
	const naive: Server = async ({ key }, call) => {
		const known = answers.get(key ?? '');
		if (known) return known;
		const response = await working(call);
		enter(call);
		if (call.crash) crash();
		answers.set(key ?? '', response);
		return response;
	};
	const server = controls.pattern ? withKeys : naive;

	/** One request. The client stops waiting after its patience; the server doesn't notice and works on. */
	const send = async (call: Call, wait = patience): Promise<StoredResponse | undefined> => {
		const t = clock.now();
		const request = {
			caller: call.caller,
			key: call.key,
			method: 'POST',
			path: '/charges',
			body: JSON.stringify({ amount: call.amount }),
		};
		await clock.sleep(NETWORK_MS);
		const served = server(request, call).catch(() => undefined);
		running.add(served);
		const answered = new AbortController();
		const gaveUp = clock.sleep(wait, answered.signal).catch(() => undefined);
		const response = await Promise.race([served, gaveUp]);
		answered.abort();
		const kind = !response ? 'abort' : response.status < 300 ? 'ok' : 'reject';
		const label = `${call.key ?? 'no key'} → ${response ? `${response.status} ${short(response)}` : 'no answer'}`;
		emit({ t, until: clock.now(), lane: call.lane, kind, label });
		return response ?? undefined;
	};
	/** The request again, until it has an answer that stands. */
	const persist = async (call: Call): Promise<StoredResponse | undefined> => {
		for (let attempt = 0; attempt < 12; attempt++) {
			const response = await send({ ...call, crash: attempt === 0 && call.crash === true });
			if (response && response.status !== 409) return response;
			await clock.sleep(400);
		}
		return undefined;
	};
	const entries = (intent: string) => ledger.filter((charge) => charge.intent === intent).length;

	const book = { lane: 'client A', caller: 'A', key: 'k1', amount: 30, intent: 'book' };
	const first = await persist(book);
	const again = await send(book, 5000);
	emit({
		rule: rules.same,
		ok: entries('book') === 1 && first?.status === 201 && first.body === again?.body,
		detail: `${howMany(entries('book'), 'charge')} for one intent`,
	});

	const before = works;
	const other = await send({ ...book, amount: 99, intent: 'other' }, 5000);
	emit({ rule: rules.other, ok: other?.status === 422 && works === before, detail: `answered ${other?.status}` });

	const neighbour = await send({ ...book, lane: 'client B', caller: 'B', intent: 'neighbour' }, 5000);
	emit({
		rule: rules.caller,
		ok: entries('neighbour') === 1 && neighbour?.status === 201 && neighbour.body !== first?.body,
		detail: `${howMany(entries('neighbour'), 'charge')} for B, who was told ${neighbour ? short(neighbour) : 'nothing'}`,
	});

	const trip = { lane: 'client B', caller: 'B', key: 'k2', amount: 70, intent: 'trip' };
	const t = clock.now();
	const twins = Promise.all([send(trip, 5000), clock.sleep(workMs / 2).then(() => send(trip, 5000))]);
	const second = (await twins)[1];
	emit({
		rule: rules.inFlight,
		ok: second?.status === 409 && entries('trip') === 1,
		detail: `the twin was answered ${second?.status}; ${howMany(entries('trip'), 'charge')} by ${clock.now() - t} ms`,
	});

	const rent = {
		lane: 'client A',
		caller: 'A',
		key: 'k3',
		amount: 500,
		intent: 'rent',
		crash: controls.crash === true,
	};
	const paid = await persist(rent);
	emit({
		rule: rules.crash,
		ok: entries('rent') === 1 && paid?.status === 201,
		detail: `${howMany(entries('rent'), 'charge')} for the rent`,
	});

	const anonymous = await send({ ...book, key: null, intent: 'anonymous' }, 5000);
	emit({
		rule: rules.required,
		ok: anonymous?.status === 400 && entries('anonymous') === 0,
		detail: `answered ${anonymous?.status}`,
	});

	emit({ t: clock.now(), until: clock.now() + TTL_MS, lane: 'server', kind: 'wait', label: 'the keys expire' });
	await clock.sleep(TTL_MS);
	const later = await send({ ...book, amount: 31, intent: 'later' }, 5000);
	emit({
		rule: rules.expiry,
		ok: later?.status === 201 && entries('later') === 1,
		detail: `a new request under the old key: ${later?.status}, ${howMany(entries('later'), 'charge')}`,
	});
	await Promise.all(running);
}

function short({ status, body }: StoredResponse): string {
	const answer = JSON.parse(body) as { charge?: number; title?: string };
	return status < 300 ? `charge ${answer.charge}` : (answer.title ?? '');
}
