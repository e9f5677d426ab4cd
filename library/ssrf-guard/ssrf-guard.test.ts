import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, isIP } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { isPublicAddress, parseAddress, parseRange } from './ssrf-guard.address.ts';
import { demo, RULES } from './ssrf-guard.demo.ts';
import { safeFetch } from './ssrf-guard.node.ts';
import {
	type Dial,
	type GuardedRequest,
	type GuardOptions,
	guardedFetch,
	type Reply,
	type SsrfReason,
} from './ssrf-guard.ts';

const PUBLIC = '93.184.215.14';
const PRIVATE = '10.1.2.3';

const REFUSED = {
	loopback: ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::'],
	private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1'],
	'link-local': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fec0::1'],
	'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
	multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
	reserved: [
		'240.0.0.1',
		'255.255.255.255',
		'192.0.0.1',
		'192.88.99.1',
		'198.18.0.1',
		'198.19.255.255',
		'100::1',
		'5f00::1',
	],
	documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
	tunnels: ['2001::1', '2001:0:5ef5:79fd::1', '64:ff9b:1::1', '::ffff:0:127.0.0.1', '::127.0.0.1', '::8.8.8.8'],
	unreadable: [
		'',
		'localhost',
		'010.0.0.1',
		'012.8.8.8',
		'1.2.3',
		'1.2.3.256',
		'1.2.3.4.5',
		'fe80::1%eth0',
		'2606:4700::1%lo',
		'1::2::3',
		'2000:',
		':::',
	],
};
const ACCEPTED = [
	PUBLIC,
	'8.8.8.8',
	'9.255.255.255',
	'11.0.0.0',
	'100.63.255.255',
	'100.128.0.0',
	'126.255.255.255',
	'128.0.0.1',
].concat(
	['169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '198.20.0.0', '223.255.255.255'],
	['2606:4700:4700::1111', '2a00:1450::1', '2001:200::1', '3ffe::1'],
);

function reply(
	status: number,
	headers: Record<string, string> = {},
	chunks: string[] = ['hello'],
	onClose = () => {},
): Reply {
	return {
		status,
		header: (name) => headers[name],
		body: (async function* () {
			for (const chunk of chunks) yield new TextEncoder().encode(chunk);
		})(),
		close: onClose,
	};
}

/** A small internet: what names resolve to, what each URL answers, and who was dialled. */
function setUp(
	names: Record<string, string[]>,
	answers: Record<string, () => Reply> = {},
	options: Partial<GuardOptions> = {},
) {
	const dialled: (Omit<Parameters<Dial>[0], 'url' | 'method' | 'signal'> & { url: string })[] = [];
	const lookups: string[] = [];
	const dial: Dial = async ({ url, addresses, headers, body }) => {
		dialled.push({ url: url.href, addresses, headers, body });
		return (answers[url.href] ?? (() => reply(200)))();
	};
	const resolve = async (host: string) => {
		lookups.push(host);
		return names[host] ?? [];
	};
	const get = (url: string, request: GuardedRequest = {}) => guardedFetch(url, { resolve, dial, ...options }, request);
	const refusal = (url: string, request: GuardedRequest = {}): Promise<SsrfReason | 'none'> =>
		get(url, request).then(
			() => 'none' as const,
			(error: { reason?: SsrfReason }) => error.reason ?? Promise.reject(error),
		);
	return { dialled, lookups, get, refusal };
}

describe('ssrf-guard', () => {
	it('refuses every special-purpose range to its edges, and nothing beside them', () => {
		for (const [kind, addresses] of Object.entries(REFUSED)) {
			for (const address of addresses) expect(isPublicAddress(address), `${kind} ${address}`).toBe(false);
		}
		for (const address of ACCEPTED) expect(isPublicAddress(address), address).toBe(true);
	});

	it('reads addresses as the platform does, and refuses what the platform refuses', () => {
		fc.assert(
			fc.property(fc.ipV6(), (address) => {
				const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
				expect(parseAddress(address)).toEqual(parseAddress(groups));
				expect(parseAddress(address)).toHaveLength(16);
			}),
		);
		const piece = fc.constantFrom(
			':',
			'::',
			'.',
			'0',
			'1',
			'01',
			'25',
			'255',
			'256',
			'ffff',
			'g',
			'abcde',
			'1.2.3.4',
			'%',
		);
		fc.assert(
			fc.property(
				fc.oneof(
					fc.array(piece, { maxLength: 17 }).map((pieces) => pieces.join('')),
					fc.ipV4(),
					fc.ipV6(),
				),
				(text) => {
					const platform = text.includes('%') ? 0 : isIP(text);
					expect(parseAddress(text) !== undefined).toBe(platform !== 0);
				},
			),
			{ numRuns: 2000 },
		);
	});

	it('judges mapped, NAT64 and 6to4 addresses by the IPv4 address that they carry', () => {
		const hex = (address: string) => {
			const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
			return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
		};
		const forms = (address: string) => [
			`::ffff:${address}`,
			`::ffff:${hex(address)}`,
			`0:0:0:0:0:FFFF:${hex(address)}`,
			`64:ff9b::${address}`,
			`64:ff9b::${hex(address)}`,
			`2002:${hex(address)}::1`,
		];
		for (const address of [
			...REFUSED.loopback,
			...REFUSED.private,
			...REFUSED['link-local'],
			...REFUSED['carrier-grade NAT'],
		]) {
			if (address.includes(':')) continue;
			for (const form of forms(address)) expect(isPublicAddress(form), form).toBe(false);
		}
		for (const form of forms(PUBLIC)) expect(isPublicAddress(form), form).toBe(true);
	});

	it('normalises odd spellings of IPv4 addresses before it checks them', async () => {
		const odd = [
			'2130706433',
			'0x7f000001',
			'0x7f.1',
			'0177.0.0.1',
			'127.1',
			'127.0.1',
			'017700000001',
			'%31%32%37.0.0.1',
		];
		const { refusal, dialled, lookups } = setUp({});
		for (const host of [
			...odd,
			'①②⑦.0.0.1',
			'127。0。0。1',
			'127.0.0.1.',
			'0',
			'[::ffff:7f00:1]',
			'[0:0:0:0:0:0:0:1]',
		]) {
			expect(await refusal(`http://${host}/`), host).toBe('address');
		}
		expect(await refusal('http://127.0.0.1.0x1/')).toBe('url');
		expect(dialled).toEqual([]);
		expect(lookups).toEqual([]);
	});

	it('refuses a name when any one of its addresses is not public, wherever it stands', async () => {
		for (const addresses of [
			[PRIVATE],
			[PUBLIC, PRIVATE],
			[PRIVATE, PUBLIC],
			[PUBLIC, PUBLIC, '::1'],
			[],
			['not an address'],
		]) {
			const { refusal, dialled } = setUp({ 'mixed.example': addresses });
			expect(await refusal('https://mixed.example/'), addresses.join()).toBe('address');
			expect(dialled).toEqual([]);
		}
	});

	it('resolves a name once and dials exactly the addresses that it checked', async () => {
		const answers = [[PUBLIC, '2606:4700::1'], [PRIVATE]];
		let lookups = 0;
		const dialled: (readonly string[])[] = [];
		const handedOut: string[][] = [];
		const response = await guardedFetch('https://rebinding.example/', {
			resolve: async () => {
				const list = [...(answers[lookups++] ?? [])];
				handedOut.push(list);
				return list;
			},
			dial: async ({ addresses, url }) => {
				handedOut[0]?.splice(0, 2, PRIVATE);
				expect(url.hostname).toBe('rebinding.example');
				dialled.push(addresses);
				return reply(200);
			},
		});
		expect(response.status).toBe(200);
		expect(lookups).toBe(1);
		expect(dialled).toEqual([[PUBLIC, '2606:4700::1']]);
	});

	it('checks each redirect as if it were the first request', async () => {
		const targets: Record<string, SsrfReason> = {
			'http://169.254.169.254/latest/meta-data/': 'address',
			'https://internal.example/': 'address',
			'//internal.example/': 'address',
			'http://2130706433/': 'address',
			'file:///etc/passwd': 'scheme',
			'gopher://a.example/': 'scheme',
			'https://a.example:22/': 'port',
			'https://user:secret@a.example/': 'credentials',
			'https://': 'url',
		};
		for (const [location, reason] of Object.entries(targets)) {
			for (const status of [301, 302, 303, 307, 308]) {
				let closed = 0;
				const { refusal, dialled } = setUp(
					{ 'a.example': [PUBLIC], 'internal.example': [PRIVATE] },
					{ 'https://a.example/': () => reply(status, { location }, [], () => void closed++) },
				);
				expect(await refusal('https://a.example/'), location).toBe(reason);
				expect(dialled.map(({ url }) => url)).toEqual(['https://a.example/']);
				expect(closed).toBe(1);
			}
		}
	});

	it('follows relative redirects up to the limit and not one more', async () => {
		const names = { 'a.example': [PUBLIC] };
		const hop = (to: string) => () => reply(302, { location: to });
		const answers = {
			'https://a.example/0': hop('1'),
			'https://a.example/1': hop('/2'),
			'https://a.example/2': hop('?x'),
		};
		expect((await setUp(names, answers, { maxRedirects: 3 }).get('https://a.example/0')).url).toBe(
			'https://a.example/2?x',
		);
		expect(await setUp(names, answers, { maxRedirects: 2 }).refusal('https://a.example/0')).toBe('redirect');
		expect(await setUp(names, answers).refusal('https://a.example/0', { method: 'POST' })).toBe('redirect');
		const { get } = setUp(names, { 'https://a.example/': () => reply(302) });
		expect((await get('https://a.example/')).status).toBe(302);
	});

	it('sends the headers of the caller to the first origin only', async () => {
		const names = { 'a.example': [PUBLIC], 'b.example': [PUBLIC] };
		const { get, dialled } = setUp(names, {
			'https://a.example/': () => reply(302, { location: '/next' }),
			'https://a.example/next': () => reply(302, { location: 'https://b.example/' }),
			'https://b.example/': () => reply(302, { location: 'https://a.example/end' }),
		});
		await get('https://a.example/', { headers: { authorization: 'secret' }, body: Uint8Array.of(1) });
		expect(dialled.map(({ headers }) => headers)).toEqual([
			{ authorization: 'secret' },
			{ authorization: 'secret' },
			{},
			{},
		]);
		expect(dialled.map(({ body }) => body?.length)).toEqual([1, 1, undefined, undefined]);
	});

	it('allows only listed schemes and ports, and no credentials', async () => {
		const { refusal, lookups } = setUp({ 'a.example': [PUBLIC] });
		const refused: Record<string, SsrfReason> = {
			'ftp://a.example/': 'scheme',
			'file:///etc/passwd': 'scheme',
			'data:text/plain,x': 'scheme',
			'constructor:x': 'scheme',
			'http://a.example:443/': 'port',
			'https://a.example:80/': 'port',
			'http://a.example:6379/': 'port',
			'http://a.example:0/': 'port',
			'https://user@a.example/': 'credentials',
			'https://:secret@a.example/': 'credentials',
			'a.example': 'url',
			'': 'url',
		};
		for (const [url, reason] of Object.entries(refused)) expect(await refusal(url), url).toBe(reason);
		expect(lookups).toEqual([]);
		for (const url of ['http://a.example/', 'https://a.example:443/', 'HTTPS://A.EXAMPLE/']) {
			expect(await refusal(url), url).toBe('none');
		}
		const custom = setUp({ 'a.example': [PUBLIC] }, {}, { ports: { 'https:': [8443] } });
		expect(await custom.refusal('https://a.example:8443/')).toBe('none');
		expect(await custom.refusal('https://a.example/')).toBe('port');
		expect(await custom.refusal('http://a.example/')).toBe('scheme');
	});

	it('refuses limits that are none, since no size is above NaN', async () => {
		for (const wrong of [
			{ maxBytes: Number.NaN },
			{ maxRedirects: Number.NaN },
			{ maxRedirects: -1 },
			{ timeoutMs: Number.NaN },
			{ timeoutMs: Number.POSITIVE_INFINITY },
		]) {
			const { get, lookups } = setUp({ 'a.example': [PUBLIC] }, {}, wrong);
			await expect(get('https://a.example/')).rejects.toThrow(`${Object.keys(wrong)[0]} must be`);
			expect(lookups).toEqual([]);
		}
	});

	it('stops reading at the size limit, whatever the reply says of its length', async () => {
		const names = { 'a.example': [PUBLIC] };
		let yielded = 0;
		let closed = 0;
		const endless = (headers: Record<string, string>): Reply => ({
			...reply(200, headers, [], () => void closed++),
			body: (async function* () {
				for (let sent = 0; sent < 100; sent++) {
					yielded++;
					yield new Uint8Array(4);
				}
			})(),
		});
		for (const length of [{}, { 'content-length': '4' }, { 'content-length': 'x' }]) {
			yielded = 0;
			const { refusal } = setUp(names, { 'https://a.example/': () => endless(length) }, { maxBytes: 12 });
			expect(await refusal('https://a.example/')).toBe('size');
			expect(yielded).toBe(4);
		}
		yielded = 0;
		const { refusal } = setUp(
			names,
			{ 'https://a.example/': () => endless({ 'content-length': '13' }) },
			{ maxBytes: 12 },
		);
		expect(await refusal('https://a.example/')).toBe('size');
		expect([yielded, closed]).toEqual([0, 4]);
		const exact = setUp(
			names,
			{ 'https://a.example/': () => reply(200, {}, ['1234', '5678', '9012']) },
			{ maxBytes: 12 },
		);
		expect(new TextDecoder().decode((await exact.get('https://a.example/')).body)).toBe('123456789012');
	});

	describe('time', () => {
		/** A guard whose n-th step, of resolving, dialling and reading, never ends. */
		function hanging(step: 'resolve' | 'dial' | 'body') {
			const clock = new VirtualClock();
			const never = new Promise<never>(() => undefined);
			let closed = 0;
			const slow = async <T>(name: string, result: T): Promise<T> =>
				name === step ? never : clock.sleep(400).then(() => result);
			const options: GuardOptions = {
				resolve: () => slow('resolve', [PUBLIC]),
				dial: () =>
					slow('dial', {
						...reply(200, {}, [], () => void closed++),
						body: (async function* () {
							yield await slow('body', new Uint8Array(1));
						})(),
					}),
				after: clock.after,
				timeoutMs: 1000,
			};
			return { clock, options, closes: () => closed };
		}

		it('ends every step at one time limit for all of them', async () => {
			for (const step of ['resolve', 'dial', 'body'] as const) {
				const { clock, options, closes } = hanging(step);
				const failed = await clock.run(guardedFetch('https://a.example/', options).catch((error: unknown) => error));
				expect(failed, step).toMatchObject({ reason: 'time' });
				expect([clock.now(), clock.pending, closes()]).toEqual([1000, 0, step === 'body' ? 1 : 0]);
			}
		});

		it('counts redirects and body into the same limit', async () => {
			const clock = new VirtualClock();
			const dial: Dial = async ({ url }) => {
				await clock.sleep(300);
				return reply(302, { location: `${url.pathname}x` });
			};
			const options = { resolve: async () => [PUBLIC], dial, after: clock.after, timeoutMs: 1000, maxRedirects: 99 };
			const failed = await clock.run(guardedFetch('https://a.example/', options).catch((error: unknown) => error));
			expect(failed).toMatchObject({ reason: 'time' });
			expect(clock.now()).toBe(1000);
			await clock.advance(1000);
			expect(clock.pending).toBe(0);
		});

		it('ends with the reason of the caller at once when the caller aborts, and closes a dial that comes late', async () => {
			for (const step of ['resolve', 'dial', 'body'] as const) {
				const { clock, options, closes } = hanging(step);
				const stop = new AbortController();
				clock.after(900, () => stop.abort(new Error('user left')));
				const work = guardedFetch('https://a.example/', options, { signal: stop.signal });
				await expect(clock.run(work)).rejects.toThrow('user left');
				expect([clock.now(), clock.pending]).toEqual([900, 0]);
				expect(closes()).toBe(step === 'body' ? 1 : 0);
			}
			const { clock, options, closes } = hanging('body');
			const stop = new AbortController();
			clock.after(600, () => stop.abort(new Error('user left')));
			await expect(clock.run(guardedFetch('https://a.example/', options, { signal: stop.signal }))).rejects.toThrow(
				'user left',
			);
			expect([clock.now(), closes()]).toEqual([600, 0]);
			await clock.advance(500);
			expect(closes()).toBe(1);
		});

		it('begins nothing when it is already aborted, and leaves no listener behind', async () => {
			const { lookups, get } = setUp({ 'a.example': [PUBLIC] });
			await expect(get('https://a.example/', { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow(
				'early',
			);
			expect(lookups).toEqual([]);
			const stop = new AbortController();
			let listeners = 0;
			const { signal } = stop;
			const add = signal.addEventListener.bind(signal);
			const remove = signal.removeEventListener.bind(signal);
			signal.addEventListener = (...given: Parameters<typeof add>) => {
				listeners++;
				add(...given);
			};
			signal.removeEventListener = (...given: Parameters<typeof remove>) => {
				listeners--;
				remove(...given);
			};
			await get('https://a.example/', { signal });
			expect(listeners).toBe(0);
		});
	});

	it('passes on what resolving and dialling throw', async () => {
		const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
		const dial: Dial = () => Promise.reject(new Error('connection refused'));
		await expect(guardedFetch('https://a.example/', { resolve, dial })).rejects.toThrow('no such name');
		await expect(guardedFetch('https://a.example/', { resolve: async () => [PUBLIC], dial })).rejects.toThrow(
			'connection refused',
		);
	});

	it('lets a policy block public ranges and allow private ones, in whatever spelling they come', async () => {
		const extra = {
			blocked: [parseRange('93.184.215.0/24')],
			allowed: [parseRange('10.1.0.0/16'), parseRange('fd00:1::/32')],
		};
		expect(isPublicAddress(PUBLIC, extra)).toBe(false);
		expect(isPublicAddress(`64:ff9b::${PUBLIC}`, extra)).toBe(false);
		expect(isPublicAddress('::ffff:10.1.2.3', extra)).toBe(true);
		expect(isPublicAddress('10.2.0.1', extra)).toBe(false);
		expect(isPublicAddress('fd00:1::5', extra)).toBe(true);
		for (const bad of ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '::/129', '/8', 'x/8', '10.0.0.0/-1', '10.0.0.0/']) {
			expect(() => parseRange(bad), bad).toThrow(TypeError);
		}
	});

	describe('over real sockets', () => {
		let server: Server;
		let port = 0;
		const hosts: (string | undefined)[] = [];
		beforeAll(async () => {
			server = createServer((request, response) => {
				hosts.push(request.headers.host);
				if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
				else if (request.url === '/big') response.end('x'.repeat(100_000));
				else if (request.url === '/cut') {
					response.writeHead(200, { 'content-length': '10' }).write('12345');
					setImmediate(() => response.destroy());
				} else if (request.url === '/hang') response.writeHead(200).write('…');
				else request.pipe(response);
			});
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			port = (server.address() as AddressInfo).port;
		});
		afterAll(() => {
			server.closeAllConnections();
			server.close();
		});
		const options = (): Partial<GuardOptions> => ({
			resolve: async () => ['127.0.0.1'],
			allowed: [parseRange('127.0.0.1/32')],
			ports: { 'http:': [port], 'https:': [port] },
			maxBytes: 50_000,
		});

		it('connects to the checked address though the name means nothing to the system, and keeps the name as host', async () => {
			const body = new TextEncoder().encode('echo');
			const request = { method: 'POST', body };
			const response = await safeFetch(`http://pinned.invalid:${port}/`, options(), request);
			expect(new TextDecoder().decode(response.body)).toBe('echo');
			expect(hosts.at(-1)).toBe(`pinned.invalid:${port}`);
		});

		it('refuses loopback names, redirects, large and cut bodies, and ends a reply that hangs', async () => {
			const get = (path: string, more: Partial<GuardOptions> = {}) =>
				safeFetch(`http://pinned.invalid:${port}${path}`, { ...options(), ...more });
			await expect(safeFetch(`http://localhost:${port}/`, { ports: { 'http:': [port] } })).rejects.toMatchObject({
				reason: 'address',
			});
			await expect(get('/away', { ports: { 'http:': [port, 80] } })).rejects.toMatchObject({ reason: 'address' });
			await expect(get('/big')).rejects.toMatchObject({ reason: 'size' });
			await expect(get('/cut')).rejects.toMatchObject({ code: 'ECONNRESET' });
			await expect(get('/hang', { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'time' });
		});

		it('names the host, not the address, when it opens TLS', async () => {
			const hello: Buffer[] = [];
			const tls = createSocketServer((socket) => {
				socket.on('error', () => undefined);
				socket.once('data', (data) => {
					hello.push(data);
					socket.destroy();
				});
			});
			await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
			const { port: tlsPort } = tls.address() as AddressInfo;
			const fetching = safeFetch(`https://pinned.invalid:${tlsPort}/`, {
				...options(),
				ports: { 'https:': [tlsPort] },
			});
			await expect(fetching).rejects.toThrow();
			expect(hello[0]?.toString('latin1')).toContain('pinned.invalid');
			tls.close();
		});
	});

	describe('scenario', () => {
		it('keeps every rule with the pattern on', async () => {
			await expectEveryRule(demo, RULES, { place: [0, 1, 3], timeout: [500, 3000, 10_000], maxKb: [1, 64, 1024] });
		});

		it('reaches the inside without the pattern', async () => {
			expect((await playScenario(demo, { pattern: false })).broken.length).toBeGreaterThan(4);
		});
	});
});
