import type { Demo } from '../scenario.ts';
import { MemorySeenIds } from './webhook-signature.memory.ts';
import { type Hmac, signWebhook, WebhookReceiver, webHmac } from './webhook-signature.ts';

/** The card's rules that the scenario checks, to the letter. */
export const RULES = {
	raw: 'The signature is verified over the raw bytes of the body, before any parser has touched them.',
	length: 'A signature of the wrong length or form is answered as forged and throws nothing.',
	tolerance: 'A timestamp further from now than the tolerance, in the past or in the future, is refused.',
	replay: 'An id is worked on once: a repeat is refused for at least as long as its message would be accepted.',
	release: 'Work that fails releases its id, so that the next attempt of the sender is not taken for a repeat.',
	rotation: 'Several secrets are accepted during a rotation, and a retired one no longer.',
} as const;

const EPOCH_S = 1_700_000_000;
const OLD_SECRET = btoa('the old secret, 32 bytes of it!!');
const NEW_SECRET = btoa('the new secret, 32 bytes of it!!');
const STRANGER = btoa('a secret that nobody gave out!!!');
const GAP_MS = 20_000;

type Headers = Record<string, string>;

export const demo: Demo = {
	title: 'A payment webhook, its retries and an eavesdropper',
	about:
		'A provider delivers signed events and retries those that fail, rotating its secret halfway. An eavesdropper replays what it caught, ' +
		'changes an amount and tries odd signatures. Watch which deliveries are worked on, and how often.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Verify as the pattern says', value: true },
		{ id: 'tolerance', kind: 'number', label: 'Tolerance', value: 300, min: 30, max: 900, step: 30, unit: 's' },
		{
			id: 'replayAfter',
			kind: 'number',
			label: 'Replays come after',
			value: 120,
			min: 1,
			max: 1200,
			step: 1,
			unit: 's',
		},
		{ id: 'failures', kind: 'number', label: 'Attempts at event 2 that fail', value: 1, min: 0, max: 3, step: 1 },
	],
	async run(controls, emit, clock) {
		const began = clock.now();
		const t = () => clock.now() - began;
		const now = () => EPOCH_S * 1000 + t();
		const seconds = () => Math.floor(now() / 1000);
		// Real cryptography takes no virtual time.
		const hmac: Hmac = {
			sign: (secret, content) => clock.external(webHmac.sign(secret, content)),
			verify: (secret, signature, content) => clock.external(webHmac.verify(secret, signature, content)),
		};
		const seen = new MemorySeenIds(1000, now);
		const toleranceSeconds = Math.round(Number(controls.tolerance));
		const failures = Math.round(Number(controls.failures));
		let receiver = new WebhookReceiver({ secrets: [OLD_SECRET, NEW_SECRET], seen, toleranceSeconds, now, hmac });

		const worked = new Map<string, number>();
		let failuresLeft = failures;
		const work = async (id: string, label: string) => {
			await clock.sleep(500);
			if (id === 'evt_2' && failuresLeft > 0) {
				failuresLeft--;
				throw new Error('database down');
			}
			worked.set(id, (worked.get(id) ?? 0) + 1);
			emit({ t: t(), lane: 'receiver', kind: 'state', label: `works on ${id}: ${label}` });
		};

		/** What many receivers do: parse, print, compare the strings; it knows the newest secret only. */
		const naive = async (headers: Headers, body: Uint8Array, run: (id: string) => Promise<void>) => {
			const printed = new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))));
			const id = headers['webhook-id'] ?? '';
			const timestampSeconds = Number(headers['webhook-timestamp']);
			const expected = await signWebhook({ id, timestampSeconds, body: printed }, [NEW_SECRET], hmac);
			const given = headers['webhook-signature'] ?? '';
			if (given.length !== expected['webhook-signature']?.length)
				throw new RangeError('inputs must have the same length');
			if (given !== expected['webhook-signature']) return 'forged';
			await run(id);
			return 'ok';
		};

		const deliver = async (lane: string, what: string, headers: Headers, body: Uint8Array) => {
			const start = t();
			const run = (id: string) => work(id, new TextDecoder().decode(body));
			let answer: string;
			try {
				if (controls.pattern) {
					const receipt = await receiver.receive((name) => headers[name], body, run);
					answer = receipt.ok ? 'ok' : receipt.reason;
				} else answer = await naive(headers, body, run);
			} catch (error) {
				answer = error instanceof Error ? error.message : String(error);
			}
			const kind = answer === 'ok' ? 'ok' : answer === 'database down' ? 'fail' : 'reject';
			emit({ t: start, until: t(), lane, kind, label: `${what}: ${answer}` });
			return answer;
		};

		const event = (id: string, text: string) => ({ id, body: new TextEncoder().encode(text) });
		const sign = (message: { id: string; body: Uint8Array }, secret: string, at = seconds()) =>
			signWebhook({ ...message, timestampSeconds: at }, [secret], hmac);

		/** The provider: an attempt now, further ones as long as it fails, each with a new timestamp. */
		const provide = async (message: { id: string; body: Uint8Array }, secret: string) => {
			const answers: string[] = [];
			for (let attempt = 1; attempt <= 5; attempt++) {
				emit({ t: t(), lane: 'provider', kind: 'start', label: `sends ${message.id}, attempt ${attempt}` });
				answers.push(await deliver('provider', message.id, await sign(message, secret), message.body));
				if (answers.at(-1) === 'ok') break;
				await clock.sleep(GAP_MS);
			}
			return answers;
		};

		// A body that a parser would print differently: spaces, and an amount of 10.0.
		const first = event('evt_1', '{ "id": 1, "amount": 10.0 }');
		const caught = { headers: await sign(first, OLD_SECRET), body: first.body, at: t() };
		const firstAnswers = await provide(first, OLD_SECRET);
		const secondAnswers = await provide(event('evt_2', '{"id":2}'), NEW_SECRET);

		// The eavesdropper saw one delivery of event 3 and holds its headers.
		const third = event('evt_3', '{"id":3,"amount":30}');
		const stolen = await sign(third, NEW_SECRET);
		const stolenAt = t();
		await provide(third, NEW_SECRET);
		const changed = new TextEncoder().encode('{"id":3,"amount":99}');
		const tampered = await deliver('eavesdropper', 'changed amount', stolen, changed);
		const odd = ['v1,AA==', 'v1,', `${stolen['webhook-signature']}AAAA`, 'v1,@@@'];
		const oddAnswers: string[] = [];
		for (const signature of odd) {
			const headers = { ...stolen, 'webhook-signature': signature };
			oddAnswers.push(await deliver('eavesdropper', `signature ${signature.slice(0, 8)}…`, headers, third.body));
		}
		await clock.sleep(Number(controls.replayAfter) * 1000);
		await deliver('eavesdropper', `replay of evt_3 after ${Math.round((t() - stolenAt) / 1000)} s`, stolen, third.body);
		await deliver(
			'eavesdropper',
			`replay of evt_1 after ${Math.round((t() - caught.at) / 1000)} s`,
			caught.headers,
			caught.body,
		);

		// Held back by a queue for too long, and a sender whose clock runs ahead.
		const late = event('evt_4', '{"id":4}');
		const beyond = toleranceSeconds + 1;
		const lateAnswer = await deliver(
			'provider',
			'evt_4, signed long ago',
			await sign(late, NEW_SECRET, seconds() - beyond),
			late.body,
		);
		const early = await sign(event('evt_5', '{"id":5}'), NEW_SECRET, seconds() + beyond + 1);
		const earlyAnswer = await deliver(
			'provider',
			'evt_5, from the future',
			early,
			new TextEncoder().encode('{"id":5}'),
		);

		receiver = new WebhookReceiver({ secrets: [NEW_SECRET], seen, toleranceSeconds, now, hmac });
		emit({ t: t(), lane: 'receiver', kind: 'state', label: 'retires the old secret' });
		const sixth = event('evt_6', '{"id":6}');
		const retired = await deliver(
			'eavesdropper',
			'evt_6 with the old secret',
			await sign(sixth, OLD_SECRET),
			sixth.body,
		);
		const stranger = await deliver('eavesdropper', 'evt_6 with a guess', await sign(sixth, STRANGER), sixth.body);
		const valid = await deliver('provider', 'evt_6', await sign(sixth, NEW_SECRET), sixth.body);

		const times = [...worked].map(([id, count]) => `${id}×${count}`).join(' ');
		emit({
			rule: RULES.raw,
			ok: firstAnswers.at(-1) === 'ok' && tampered !== 'ok',
			detail: `spaced body: ${firstAnswers.at(-1)}; changed body: ${tampered}`,
		});
		emit({
			rule: RULES.length,
			ok: oddAnswers.every((answer) => answer === 'forged'),
			detail: [...new Set(oddAnswers)].join(', '),
		});
		emit({
			rule: RULES.tolerance,
			ok: lateAnswer === 'expired' && earlyAnswer === 'from-the-future',
			detail: `old: ${lateAnswer}; future: ${earlyAnswer}`,
		});
		emit({ rule: RULES.replay, ok: [...worked.values()].every((count) => count === 1), detail: `worked on ${times}` });
		emit({
			rule: RULES.release,
			ok: secondAnswers.length === failures + 1 && worked.get('evt_2') === 1,
			detail: `evt_2: ${secondAnswers.join(', ')}`,
		});
		emit({
			rule: RULES.rotation,
			ok:
				firstAnswers.includes('ok') &&
				secondAnswers.includes('ok') &&
				valid === 'ok' &&
				retired !== 'ok' &&
				stranger !== 'ok',
			detail: `old secret before: ${firstAnswers.at(-1)}, after: ${retired}`,
		});
	},
};
