import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { demo, RULES } from './webhook-signature.demo.ts';
import { MemorySeenIds } from './webhook-signature.memory.ts';
import { type Hmac, type SeenIds, signWebhook, WebhookReceiver, webHmac } from './webhook-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = `whsec_${btoa('another secret of 32 bytes size!')}`;
const NOW_S = 1_614_265_330;
const bytes = (text: string) => new TextEncoder().encode(text);
const BODY = bytes('{"test": 2432232314}');
const reader = (headers: Record<string, string | undefined>) => (name: string) => headers[name];
const signed = (id = 'msg_1', timestampSeconds = NOW_S, body: Uint8Array = BODY, secrets = [SECRET]) =>
	signWebhook({ id, timestampSeconds, body }, secrets);

/** A receiver at a time that the test moves, and the ids whose work ran. */
function setUp(options: Partial<ConstructorParameters<typeof WebhookReceiver>[0]> = {}) {
	const time = { ms: NOW_S * 1000 };
	const now = () => time.ms;
	const worked: string[] = [];
	const receiver = new WebhookReceiver({ secrets: [SECRET], seen: new MemorySeenIds(1000, now), now, ...options });
	const receive = (headers: Record<string, string | undefined>, body: Uint8Array = BODY) =>
		receiver.receive(reader(headers), body, async (id) => void worked.push(id));
	return { time, now, worked, receiver, receive };
}

describe('webhook-signature', () => {
	afterEach(() => {
		vi.restoreAllMocks();
	});

	it('signs and accepts the example that Standard Webhooks publishes', async () => {
		const headers = await signed('msg_p5jXN8AQM9LWM0D4loKWxJek');
		expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
		const { receive, worked } = setUp();
		expect(await receive(headers)).toEqual({ ok: true, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' });
		expect(worked).toEqual(['msg_p5jXN8AQM9LWM0D4loKWxJek']);
	});

	it('verifies the bytes as they came, whatever they hold', async () => {
		const { receive, worked } = setUp();
		let count = 0;
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(), async (body, at) => {
				const id = `msg_${count++}`;
				const content = Buffer.concat([Buffer.from(`${id}.${NOW_S}.`), body]);
				const digest = createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
					.update(content)
					.digest('base64');
				const headers = { 'webhook-id': id, 'webhook-timestamp': `${NOW_S}`, 'webhook-signature': `v1,${digest}` };
				const tampered = Uint8Array.of(...body, 0);
				if (body.length > 0) {
					const place = at % body.length;
					tampered[place] = (tampered[place] ?? 0) ^ 1;
				}
				expect(await receive(headers, tampered)).toEqual({ ok: false, reason: 'forged' });
				expect(await receive(headers, tampered.slice(0, -1))).toEqual(
					body.length > 0 ? { ok: false, reason: 'forged' } : { ok: true, id },
				);
				if (body.length > 0) expect(await receive(headers, body)).toEqual({ ok: true, id });
			}),
			{ numRuns: 60 },
		);
		const parsed = bytes(JSON.stringify(JSON.parse(new TextDecoder().decode(BODY))));
		expect(await receive(await signed('again'), parsed)).toEqual({ ok: false, reason: 'forged' });
		expect(worked).toHaveLength(count);
	});

	it('refuses a delivery when its id, timestamp or secret is another than the signed one', async () => {
		const { receive, worked } = setUp();
		const headers = await signed();
		expect(await receive({ ...headers, 'webhook-id': 'msg_2' })).toEqual({ ok: false, reason: 'forged' });
		expect(await receive({ ...headers, 'webhook-timestamp': `${NOW_S + 1}` })).toEqual({ ok: false, reason: 'forged' });
		expect(await receive(await signed('msg_1', NOW_S, BODY, [OTHER]))).toEqual({ ok: false, reason: 'forged' });
		expect(worked).toEqual([]);
	});

	it('leaves every comparison to the constant-time verification and tries every pair, whichever matches', async () => {
		const verify = vi.spyOn(crypto.subtle, 'verify');
		const sign = vi.spyOn(crypto.subtle, 'sign');
		const headers = await signed();
		sign.mockClear();
		await setUp().receive(headers);
		expect([verify.mock.calls.length, sign.mock.calls.length]).toEqual([1, 0]);

		for (const matching of [-1, 0, 1, 2, 3]) {
			const asked: string[] = [];
			const hmac: Hmac = {
				sign: () => Promise.reject(new Error('a receiver has nothing to sign')),
				verify: async (secret, signature) => {
					asked.push(`${secret.length}/${signature.length}`);
					return asked.length - 1 === matching;
				},
			};
			const { receive } = setUp({ secrets: [SECRET, OTHER], hmac });
			const two = { ...headers, 'webhook-signature': `v1,${btoa('a')} v1,${btoa('bc')}` };
			expect((await receive(two)).ok).toBe(matching >= 0);
			expect(asked).toEqual(['24/1', '24/2', '32/1', '32/2']);
		}
	});

	it('answers forged, and throws nothing, for signatures that are short, long, empty or no base64', async () => {
		const { receive, worked } = setUp();
		const headers = await signed();
		const real = headers['webhook-signature'] ?? '';
		const odd = [
			'v1,',
			'v1,AA==',
			real.slice(0, 8),
			`${real.slice(0, -1)}AAAA`,
			`${real}=`,
			'v1,@@@',
			'v1,A',
			`v1, ${real}x`,
		];
		for (const signature of odd) {
			const answer = await receive({ ...headers, 'webhook-signature': signature });
			expect(answer, signature).toEqual({ ok: false, reason: 'forged' });
		}
		expect(worked).toEqual([]);
	});

	it('accepts a timestamp up to the tolerance either way, to the millisecond, and none beyond', async () => {
		const { receive, time } = setUp({ toleranceSeconds: 300 });
		const at = async (offsetMs: number, id: string) => {
			time.ms = NOW_S * 1000 + offsetMs;
			return receive(await signed(id));
		};
		expect(await at(300_000, 'a')).toEqual({ ok: true, id: 'a' });
		expect(await at(300_001, 'b')).toEqual({ ok: false, reason: 'expired' });
		expect(await at(-300_000, 'c')).toEqual({ ok: true, id: 'c' });
		expect(await at(-300_001, 'd')).toEqual({ ok: false, reason: 'from-the-future' });
	});

	it('refuses an id whose work is done, a retry with a new timestamp too', async () => {
		const { receive, time, worked } = setUp();
		expect(await receive(await signed())).toEqual({ ok: true, id: 'msg_1' });
		expect(await receive(await signed())).toEqual({ ok: false, reason: 'replayed' });
		time.ms += 3_600_000;
		expect(await receive(await signed('msg_1', NOW_S + 3600))).toEqual({ ok: false, reason: 'replayed' });
		expect(worked).toEqual(['msg_1']);
	});

	it('remembers an id for as long as its message would be accepted, even from the future', async () => {
		for (const ahead of [0, 300]) {
			const { receive, time, worked } = setUp({ rememberMs: 0 });
			const headers = await signed('msg_1', NOW_S + ahead);
			expect((await receive(headers)).ok).toBe(true);
			time.ms += (ahead + 300) * 1000;
			expect(await receive(headers)).toEqual({ ok: false, reason: 'replayed' });
			time.ms += 1;
			expect(await receive(headers)).toEqual({ ok: false, reason: 'expired' });
			expect(worked).toHaveLength(1);
		}
	});

	it('runs the work once when one delivery comes many times at once', async () => {
		const { receiver, worked } = setUp();
		let finish = () => {};
		const gate = new Promise<void>((resolve) => {
			finish = resolve;
		});
		const headers = await signed();
		const work = async (id: string) => {
			worked.push(id);
			await gate;
		};
		const deliveries = Array.from({ length: 5 }, () => receiver.receive(reader(headers), BODY, work));
		const early = await Promise.all(deliveries.slice(1));
		expect(early).toEqual(Array(4).fill({ ok: false, reason: 'in-flight' }));
		finish();
		expect(await deliveries[0]).toEqual({ ok: true, id: 'msg_1' });
		expect(worked).toEqual(['msg_1']);
	});

	it('releases the id when the work fails, so that the next attempt runs it', async () => {
		const { receiver, receive, worked } = setUp();
		const headers = await signed();
		const failing = receiver.receive(reader(headers), BODY, () => Promise.reject(new Error('database down')));
		await expect(failing).rejects.toThrow('database down');
		const broken = receiver.receive(reader(headers), BODY, () => {
			throw new Error('at once');
		});
		await expect(broken).rejects.toThrow('at once');
		expect(await receive(headers)).toEqual({ ok: true, id: 'msg_1' });
		expect(worked).toEqual(['msg_1']);
	});

	it('claims no id for a message that is not authentic', async () => {
		const claimed: string[] = [];
		const seen: SeenIds = {
			claim: async (id) => {
				claimed.push(id);
				return 'new';
			},
			done: async () => undefined,
			release: async () => undefined,
		};
		const { receive } = setUp({ seen });
		await receive(await signed('msg_1', NOW_S, BODY, [OTHER]));
		await receive(await signed('msg_1', NOW_S - 301));
		expect(claimed).toEqual([]);
		await receive(await signed('msg_1'));
		expect(claimed).toEqual(['msg_1']);
	});

	it('accepts each of several secrets during a rotation, and a message that is signed with several', async () => {
		const { receive } = setUp({ secrets: [OTHER, SECRET] });
		expect((await receive(await signed('old', NOW_S, BODY, [SECRET]))).ok).toBe(true);
		expect((await receive(await signed('new', NOW_S, BODY, [OTHER]))).ok).toBe(true);
		expect((await setUp().receive(await signed('both', NOW_S, BODY, [OTHER, SECRET]))).ok).toBe(true);
		const headers = await signed('mixed');
		const mixed = `v1a,${btoa('x'.repeat(64))} ${headers['webhook-signature']} v2,AAAA`;
		expect((await receive({ ...headers, 'webhook-signature': mixed })).ok).toBe(true);
		const retired = setUp({ secrets: [OTHER] });
		expect(await retired.receive(await signed('late', NOW_S, BODY, [SECRET]))).toEqual({ ok: false, reason: 'forged' });
	});

	it('refuses a full stop in an id, since one signature would fit two messages', async () => {
		const inner = `${NOW_S}.{"amount":1}`;
		const content = bytes(`msg.1.${inner}`);
		const signature = btoa(
			String.fromCharCode(
				...(await webHmac.sign(
					Uint8Array.from(atob(SECRET.slice(6)), (c) => c.charCodeAt(0)),
					content,
				)),
			),
		);
		const headers = { 'webhook-timestamp': `${NOW_S}`, 'webhook-signature': `v1,${signature}` };
		const { receive } = setUp();
		expect(await receive({ ...headers, 'webhook-id': 'msg.1' }, bytes('{"amount":1}'))).toEqual({
			ok: false,
			reason: 'malformed',
		});
		await expect(signed('msg.1')).rejects.toThrow(TypeError);
	});

	it('refuses missing and malformed headers', async () => {
		const { receive, worked } = setUp();
		const headers = await signed();
		const bad: Record<string, (string | undefined)[]> = {
			'webhook-id': [undefined, '', 'a b', 'é', 'x'.repeat(257)],
			'webhook-timestamp': [undefined, '', '1e9', '-5', `${NOW_S}.5`, ` ${NOW_S}`, 'NaN', '9'.repeat(13)],
			'webhook-signature': [
				undefined,
				'',
				...['', 'v2,', 'v1a,'].map((version) => version + (headers['webhook-signature'] ?? '').slice(3)),
			],
		};
		for (const [name, values] of Object.entries(bad)) {
			for (const value of values) {
				expect(await receive({ ...headers, [name]: value }), `${name}: ${value}`).toEqual({
					ok: false,
					reason: 'malformed',
				});
			}
		}
		expect(worked).toEqual([]);
	});

	it('refuses a header of very many signatures before it computes anything', async () => {
		const verify = vi.spyOn(crypto.subtle, 'verify');
		const headers = await signed();
		const many = Array(9).fill(headers['webhook-signature']);
		const { receive } = setUp();
		expect(await receive({ ...headers, 'webhook-signature': many.join(' ') })).toEqual({
			ok: false,
			reason: 'malformed',
		});
		expect(verify).not.toHaveBeenCalled();
		expect((await receive({ ...headers, 'webhook-signature': many.slice(1).join(' ') })).ok).toBe(true);
	});

	it('does not start without a secret that is long enough', () => {
		for (const secrets of [[], [''], ['whsec_'], ['whsec_c2hvcnQ='], ['not base64!'.repeat(4)], [SECRET, 'whsec_']]) {
			expect(() => setUp({ secrets }), JSON.stringify(secrets)).toThrow(TypeError);
		}
	});

	it('runs nothing when the id cannot be claimed, and passes the error on', async () => {
		const time = () => NOW_S * 1000;
		const seen = new MemorySeenIds(1, time);
		const { receive, worked, now } = setUp({ seen });
		expect((await receive(await signed('first'))).ok).toBe(true);
		await expect(receive(await signed('second'))).rejects.toThrow('full');
		expect(await receive(await signed('first'))).toEqual({ ok: false, reason: 'replayed' });
		expect(worked).toEqual(['first']);
		expect(now()).toBe(time());
	});

	it('refuses times that are no numbers, with which every message would be timely', async () => {
		for (const wrong of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
			expect(() => setUp({ toleranceSeconds: wrong })).toThrow(RangeError);
			expect(() => setUp({ rememberMs: wrong })).toThrow(RangeError);
		}
		const { receive, worked } = setUp({ now: () => Number.NaN });
		expect(await receive(await signed())).toEqual({ ok: false, reason: 'expired' });
		expect(worked).toEqual([]);
	});

	it('makes room in memory by forgetting ids that have expired, and only those', async () => {
		let now = 0;
		const seen = new MemorySeenIds(2, () => now);
		expect(await seen.claim('a', 10)).toBe('new');
		expect(await seen.claim('b', 20)).toBe('new');
		now = 10;
		await expect(seen.claim('c', 30)).rejects.toThrow('full');
		now = 11;
		expect(await seen.claim('c', 30)).toBe('new');
		expect(await seen.claim('b', 30)).toBe('in-flight');
	});

	describe('scenario', () => {
		it('keeps every rule with the pattern on', async () => {
			await expectEveryRule(demo, RULES, {
				tolerance: [30, 300, 900],
				replayAfter: [1, 100, 600, 1200],
				failures: [0, 1, 3],
			});
		});

		it('lets the attacker in without the pattern', async () => {
			expect((await playScenario(demo, { pattern: false })).broken).toEqual(
				expect.arrayContaining([RULES.replay, RULES.raw]),
			);
		});
	});
});
