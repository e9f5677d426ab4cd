/**
 * Fetching a URL that someone else chose, without lending them the server's place in the network: every address is
 * checked before the connection, the connection goes to what was checked, and each redirect starts over.
 */
import { isPublicAddress, type Range } from './ssrf-guard.address.ts';

/** All addresses of a host name, as the system resolves it. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface Reply {
	status: number;
	/** A header by its lower-case name. */
	header(name: string): string | null | undefined;
	/** The body as it comes, not decompressed. */
	body: AsyncIterable<Uint8Array>;
	/** Drops the connection; safe to call at any time. */
	close(): void;
}

/**
 * One HTTP exchange. It connects to one of `addresses` and to nothing else: no second look-up of the name, no proxy, no
 * pooled connection. Host header, SNI and certificate are those of `url`. It follows no redirects.
 */
export type Dial = (exchange: {
	url: URL;
	addresses: readonly string[];
	method: string;
	headers: Readonly<Record<string, string>>;
	body: Uint8Array | undefined;
	signal: AbortSignal;
}) => Promise<Reply>;

export interface GuardOptions {
	resolve: Resolve;
	dial: Dial;
	/** Allowed ports by scheme. Default `{ 'https:': [443], 'http:': [80] }`. */
	ports?: Readonly<Record<string, readonly number[]>>;
	/** Ranges refused besides those that are not public, such as your own public addresses or a NAT64 prefix of your network. */
	blocked?: readonly Range[];
	/** Ranges accepted although they are not public. */
	allowed?: readonly Range[];
	/** For names, connection, redirects and body together, in ms. Default 10,000. */
	timeoutMs?: number;
	/** Of the body. Default 1 MiB. */
	maxBytes?: number;
	/** Default 3. Only GET and HEAD follow redirects. */
	maxRedirects?: number;
	/** Calls back after `ms`; returns what cancels it. Default `setTimeout`. */
	after?: (ms: number, callback: () => void) => () => void;
}

export interface GuardedRequest {
	method?: string;
	/** Sent to the first origin only, as the body is. */
	headers?: Readonly<Record<string, string>>;
	body?: Uint8Array;
	signal?: AbortSignal;
}

export interface GuardedResponse {
	/** Where the last redirect led. */
	url: string;
	status: number;
	header(name: string): string | null | undefined;
	body: Uint8Array;
}

export type SsrfReason = 'url' | 'scheme' | 'port' | 'credentials' | 'address' | 'redirect' | 'size' | 'time';

/** A request that was refused. Tell the user no more than "can't be fetched": the reason maps the inside of the network. */
export class SsrfError extends Error {
	override readonly name = 'SsrfError';
	readonly reason: SsrfReason;
	constructor(reason: SsrfReason, message: string) {
		super(message);
		this.reason = reason;
	}
}

const DEFAULT_PORTS = { 'https:': [443], 'http:': [80] };
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches `target` and reads its body.
 * @throws RangeError for a limit that is none; SsrfError for what the policy refuses; the caller's abort reason; what
 *   resolving or dialling throws
 */
export async function guardedFetch(
	target: string,
	options: GuardOptions,
	request: GuardedRequest = {},
): Promise<GuardedResponse> {
	const { timeoutMs = 10_000, maxBytes = 1 << 20, maxRedirects = 3, after = afterTimeout } = options;
	// No number is above NaN: a limit that is none would let everything through.
	for (const [name, limit] of Object.entries({ timeoutMs, maxBytes, maxRedirects }))
		if (!(limit >= 0)) throw new RangeError(`${name} must be 0 or more, not ${limit}`);
	if (!(timeoutMs < 2 ** 31)) throw new RangeError(`timeoutMs must be below 2^31, not ${timeoutMs}`);
	request.signal?.throwIfAborted();
	const stop = new AbortController();
	const onAbort = () => stop.abort(request.signal?.reason);
	request.signal?.addEventListener('abort', onAbort, { once: true });
	const cancel = after(timeoutMs, () => stop.abort(new SsrfError('time', `not done within ${timeoutMs} ms`)));
	try {
		return await follow(target, options, request, stop.signal);
	} finally {
		cancel();
		request.signal?.removeEventListener('abort', onAbort);
		// Also ends a look-up or a dial that lost its race against the time limit.
		stop.abort(new SsrfError('time', 'the request is over'));
	}
}

async function follow(target: string, options: GuardOptions, request: GuardedRequest, signal: AbortSignal) {
	const { maxBytes = 1 << 20, maxRedirects = 3 } = options;
	const { method = 'GET' } = request;
	let { headers = {}, body } = request;
	let url = checkUrl(target, undefined, options);
	for (let redirects = 0; ; redirects++) {
		const addresses = await checkedAddresses(url, options, signal);
		const dialled = options.dial({ url, addresses, method, headers, body, signal });
		const reply = await unlessAborted(dialled, signal, (late) => late.close());
		try {
			const location = reply.header('location');
			if (!REDIRECTS.has(reply.status) || !location) {
				const content = method === 'HEAD' ? new Uint8Array() : await readBody(reply, maxBytes, signal);
				return { url: url.href, status: reply.status, header: reply.header, body: content };
			}
			if (method !== 'GET' && method !== 'HEAD')
				throw new SsrfError('redirect', `a redirect of ${method} is not followed`);
			if (!(redirects < maxRedirects)) throw new SsrfError('redirect', `more than ${maxRedirects} redirects`);
			const next = checkUrl(location, url, options);
			if (next.origin !== url.origin) [headers, body] = [{}, undefined];
			url = next;
		} finally {
			reply.close();
		}
	}
}

/** `URL` also rewrites every spelling of an IPv4 address (`0x7f.1`, `2130706433`, `①27.0.0.1`) to four decimals. */
function checkUrl(target: string, base: URL | undefined, { ports = DEFAULT_PORTS }: GuardOptions): URL {
	let url: URL;
	try {
		url = new URL(target, base);
	} catch {
		throw new SsrfError('url', 'not a URL');
	}
	const allowed = Object.hasOwn(ports, url.protocol) ? ports[url.protocol] : undefined;
	if (!allowed) throw new SsrfError('scheme', `the scheme ${url.protocol} is not allowed`);
	const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
	if (!allowed.includes(port)) throw new SsrfError('port', `port ${port} is not allowed`);
	if (url.username !== '' || url.password !== '')
		throw new SsrfError('credentials', 'a URL with credentials is not allowed');
	return url;
}

async function checkedAddresses(url: URL, options: GuardOptions, signal: AbortSignal): Promise<readonly string[]> {
	const host = url.hostname;
	const literal = host.startsWith('[') ? host.slice(1, -1) : /^[0-9.]+$/.test(host) ? host : undefined;
	// A copy, so that what was checked can't change before it is dialled.
	const addresses = literal ? [literal] : [...(await unlessAborted(options.resolve(host, signal), signal))];
	// All of them, not only the first: which one is dialled in the end is not ours to know.
	if (addresses.length === 0 || !addresses.every((address) => isPublicAddress(address, options))) {
		throw new SsrfError('address', `${host} is not a public address`);
	}
	return addresses;
}

async function readBody(reply: Reply, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	const tooLarge = () => new SsrfError('size', `the body is larger than ${maxBytes} bytes`);
	if (Number(reply.header('content-length') ?? 0) > maxBytes) throw tooLarge();
	const reader = reply.body[Symbol.asyncIterator]();
	for (;;) {
		const next = await unlessAborted(reader.next(), signal);
		if (next.done) break;
		size += next.value.length;
		if (size > maxBytes) throw tooLarge();
		chunks.push(next.value);
	}
	const body = new Uint8Array(size);
	let at = 0;
	for (const chunk of chunks) {
		body.set(chunk, at);
		at += chunk.length;
	}
	return body;
}

/** `work`, or the abort, whichever comes first; a result that comes too late goes to `discard`. */
function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal,
	discard: (late: T) => void = () => undefined,
): Promise<T> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		if (signal.aborted) onAbort();
		signal.addEventListener('abort', onAbort, { once: true });
		work
			.then(
				(result) => {
					if (signal.aborted) discard(result);
					resolve(result);
				},
				(error: unknown) => reject(error),
			)
			.finally(() => signal.removeEventListener('abort', onAbort));
	});
}

function afterTimeout(ms: number, callback: () => void): () => void {
	const timer = setTimeout(callback, ms);
	return () => clearTimeout(timer);
}
