/**
 * Receiving webhooks that are signed as Standard Webhooks describes: HMAC-SHA-256 over `id.timestamp.body`, in the
 * headers `webhook-id`, `webhook-timestamp` (Unix seconds) and `webhook-signature` (`v1,<base64>`, several with spaces).
 */

/** HMAC-SHA-256. `verify` compares in constant time and answers false to a signature of another length. */
export interface Hmac {
	sign(secret: Uint8Array, content: Uint8Array): Promise<Uint8Array>;
	verify(secret: Uint8Array, signature: Uint8Array, content: Uint8Array): Promise<boolean>;
}

/** What is known of an id: nothing, that its work is under way, or that its work is done. */
export type Claim = 'new' | 'in-flight' | 'done';

/** The ids that were seen. One for each sender, shared by all processes that receive from it. */
export interface SeenIds {
	/** Atomically: what is known of `id` and, when that is nothing, notes it as in flight until `until` (ms, inclusive). */
	claim(id: string, until: number): Promise<Claim>;
	/** The work for `id` is done; further deliveries of it are repeats. */
	done(id: string): Promise<void>;
	/** The work for `id` failed; the next delivery may try again. */
	release(id: string): Promise<void>;
}

export type Refusal = 'malformed' | 'expired' | 'from-the-future' | 'forged' | 'in-flight' | 'replayed';
export type Receipt = { ok: true; id: string } | { ok: false; reason: Refusal };

/** Reads a header by its lower-case name: `(name) => request.headers.get(name)`. */
export type HeaderReader = (name: string) => string | null | undefined;

export interface ReceiverOptions {
	/** Base64, with or without `whsec_`; 24 bytes or more each. During a rotation the old one and the new one. */
	secrets: readonly string[];
	seen: SeenIds;
	/** How far a timestamp may be from now, either way. Default 300 s. */
	toleranceSeconds?: number;
	/** How long an id is kept at the least, since a sender's retries carry new timestamps. Default one day. */
	rememberMs?: number;
	/** Wall clock, ms since 1970: timestamps come from another machine. */
	now?: () => number;
	hmac?: Hmac;
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
const MIN_SECRET_BYTES = 24;
/** A rotation needs two; a header of hundreds would make every request cost hundreds of HMACs. */
const MAX_SIGNATURES = 8;
/** No full stop in either, or `a.1` + `2` and `a` + `1` with `2.` before the body would be the same signed content. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const TIMESTAMP = /^[0-9]{1,12}$/;

export class WebhookReceiver {
	readonly #secrets: readonly Uint8Array[];
	readonly #seen: SeenIds;
	readonly #toleranceMs: number;
	readonly #rememberMs: number;
	readonly #now: () => number;
	readonly #hmac: Hmac;

	/**
	 * @throws TypeError without a secret, or with one that is no base64 or too short; RangeError for a time that is not a
	 *   number of 0 or more
	 */
	constructor(options: ReceiverOptions) {
		if (options.secrets.length === 0) throw new TypeError('a webhook receiver needs at least one secret');
		this.#secrets = options.secrets.map(parseSecret);
		this.#seen = options.seen;
		this.#toleranceMs = (options.toleranceSeconds ?? 300) * 1000;
		this.#rememberMs = options.rememberMs ?? 86_400_000;
		// Compared with NaN, every message would be timely and no id remembered.
		for (const ms of [this.#toleranceMs, this.#rememberMs])
			if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY))
				throw new RangeError(`toleranceSeconds and rememberMs are finite and 0 or more, not ${ms}`);
		this.#now = options.now ?? Date.now;
		this.#hmac = options.hmac ?? webHmac;
	}

	/**
	 * Runs `work` once for an authentic, timely delivery that was not seen before, and says what became of it.
	 * @param body the bytes as they came, before any parser: JSON that was parsed and printed again is another message
	 * @throws what `work` throws, after releasing the id, so that the sender's next attempt is not taken for a repeat;
	 *   what `seen` throws, without running `work` when the id could not be claimed
	 */
	async receive(header: HeaderReader, body: Uint8Array, work: (id: string) => Promise<void>): Promise<Receipt> {
		const id = header('webhook-id') ?? '';
		const timestamp = header('webhook-timestamp') ?? '';
		const signatures = parseSignatures(header('webhook-signature') ?? '');
		if (!ID.test(id) || !TIMESTAMP.test(timestamp) || !signatures) return { ok: false, reason: 'malformed' };

		const sentAt = Number(timestamp) * 1000;
		const now = this.#now();
		if (!(now - sentAt <= this.#toleranceMs)) return { ok: false, reason: 'expired' };
		if (!(sentAt - now <= this.#toleranceMs)) return { ok: false, reason: 'from-the-future' };

		if (!(await this.#authentic(signatures, signedContent(id, timestamp, body))))
			return { ok: false, reason: 'forged' };

		// Only now: an id that anyone could send would let a forger burn the ids of real messages, or fill the store.
		// Kept for as long as this very message would be accepted, and longer for the sender's own retries.
		const claim = await this.#seen.claim(id, Math.max(sentAt + this.#toleranceMs, now + this.#rememberMs));
		if (claim !== 'new') return { ok: false, reason: claim === 'done' ? 'replayed' : 'in-flight' };
		try {
			await work(id);
		} catch (error) {
			await this.#seen.release(id).catch(() => undefined);
			throw error;
		}
		await this.#seen.done(id);
		return { ok: true, id };
	}

	/** Tries every pair, so that the time taken doesn't tell which secret matched. */
	async #authentic(signatures: readonly Uint8Array[], content: Uint8Array): Promise<boolean> {
		const pairs = this.#secrets.flatMap((secret) => signatures.map((signature) => [secret, signature] as const));
		const verdicts = await Promise.all(
			pairs.map(([secret, signature]) => this.#hmac.verify(secret, signature, content)),
		);
		return verdicts.includes(true);
	}
}

/**
 * The headers of a delivery, for senders and tests. During a rotation sign with both secrets.
 * @param timestampSeconds Unix seconds of this attempt, not of the event
 * @throws TypeError for an id or a timestamp that a receiver would refuse
 */
export async function signWebhook(
	message: { id: string; timestampSeconds: number; body: Uint8Array },
	secrets: readonly string[],
	hmac: Hmac = webHmac,
): Promise<Record<string, string>> {
	const { id, body } = message;
	const timestamp = String(message.timestampSeconds);
	if (!ID.test(id)) throw new TypeError('a webhook id is 1 to 256 printable ASCII characters without a full stop');
	if (!TIMESTAMP.test(timestamp)) throw new TypeError('a webhook timestamp is a whole number of Unix seconds');
	const content = signedContent(id, timestamp, body);
	const signatures = await Promise.all(secrets.map((secret) => hmac.sign(parseSecret(secret), content)));
	return {
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': signatures.map((bytes) => `v1,${btoa(String.fromCharCode(...bytes))}`).join(' '),
	};
}

/** HMAC by WebCrypto, whose `verify` compares in constant time. */
export const webHmac: Hmac = {
	sign: async (secret, content) =>
		new Uint8Array(await crypto.subtle.sign(ALGORITHM.name, await importKey(secret, 'sign'), owned(content))),
	verify: async (secret, signature, content) =>
		crypto.subtle.verify(ALGORITHM.name, await importKey(secret, 'verify'), owned(signature), owned(content)),
};

function importKey(secret: Uint8Array, use: 'sign' | 'verify'): Promise<CryptoKey> {
	return crypto.subtle.importKey('raw', owned(secret), ALGORITHM, false, [use]);
}

/** WebCrypto's types want bytes that no other thread shares. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes);
}

function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array {
	const head = new TextEncoder().encode(`${id}.${timestamp}.`);
	const content = new Uint8Array(head.length + body.length);
	content.set(head);
	content.set(body, head.length);
	return content;
}

/** The `v1` signatures of a header; those of other versions are skipped, undecodable ones match nothing. */
function parseSignatures(header: string): Uint8Array[] | undefined {
	const encoded = header.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [entry.slice(3)] : []));
	if (encoded.length === 0 || encoded.length > MAX_SIGNATURES) return undefined;
	return encoded.map((text) => decodeBase64(text) ?? new Uint8Array());
}

function parseSecret(secret: string): Uint8Array {
	const bytes = decodeBase64(secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret);
	if (!bytes || bytes.length < MIN_SECRET_BYTES) {
		throw new TypeError(`a webhook secret is base64 of at least ${MIN_SECRET_BYTES} bytes`);
	}
	return bytes;
}

function decodeBase64(text: string): Uint8Array | undefined {
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
	try {
		return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	} catch {
		return undefined;
	}
}
