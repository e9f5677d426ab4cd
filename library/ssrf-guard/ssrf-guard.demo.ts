import { howMany } from '../how-many.ts';
import type { Demo } from '../scenario.ts';
import { type Dial, guardedFetch, type Reply } from './ssrf-guard.ts';

/** The card's rules that the scenario checks, to the letter. */
export const RULES = {
	all: 'Every address that a name resolves to is checked, and one that is not public refuses the request.',
	pinned: 'The connection goes to an address that was checked; the name is not resolved again.',
	ranges:
		'Private, loopback, link-local, carrier-grade NAT, multicast and other special-purpose addresses are refused, and so is what cannot be parsed.',
	carried: 'IPv4-mapped, NAT64 and 6to4 addresses are judged by the IPv4 address that they carry.',
	spelling: 'Odd spellings of an IPv4 address in a URL are normalised before the check.',
	redirects: 'Each redirect is checked like the first request.',
	schemes: 'Only listed schemes and ports are used, and no credentials from the URL.',
	size: 'The body is capped by counting what arrives, whatever length was announced.',
	time: 'One time limit covers names, connection, redirects and body.',
} as const;

const PUBLIC = '93.184.215.14';
/** What listens inside, by address and port. */
const INSIDE: Record<string, string> = {
	'169.254.169.254:80': 'cloud credentials',
	'127.0.0.1:80': 'admin console',
	'10.0.0.5:80': 'billing',
	'93.184.215.14:22': 'ssh',
};
const DIAL_MS = 40;
const LOOKUP_MS = 20;
const DRIP_MS = 400;

/** What a user asks for, and the rule that it tries. */
const WISHES: [keyof typeof RULES | 'fine', string][] = [
	['fine', 'http://blog.example/feed'],
	['ranges', 'http://169.254.169.254/latest/meta-data/'],
	['spelling', 'http://2130706433/'],
	['spelling', 'http://0x7f.1/'],
	['carried', 'http://[::ffff:10.0.0.5]/'],
	['carried', 'http://[64:ff9b::a9fe:a9fe]/'],
	['all', 'http://several.example/'],
	['pinned', 'http://rebinding.example/'],
	['redirects', 'http://hop.example/'],
	['schemes', 'http://blog.example:22/'],
	['schemes', 'file:///etc/passwd'],
	['size', 'http://endless.example/'],
	['time', 'http://slow.example/'],
];

export const demo: Demo = {
	title: 'A link preview that is asked to look inside',
	about:
		'Users paste URLs, and a server fetches them for a preview. Some lead inside: by address, by an odd spelling, by a name that changes its answer, ' +
		'by a redirect. Others never end. Watch what the server connects to.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Fetch through the guard', value: true },
		{
			id: 'place',
			kind: 'number',
			label: 'Public addresses before the private one',
			value: 1,
			min: 0,
			max: 3,
			step: 1,
		},
		{ id: 'timeout', kind: 'number', label: 'Time limit', value: 3000, min: 500, max: 10_000, step: 500, unit: 'ms' },
		{ id: 'maxKb', kind: 'number', label: 'Size limit', value: 64, min: 1, max: 1024, step: 1, unit: 'KiB' },
	],
	async run(controls, emit, clock) {
		const began = clock.now();
		const t = () => clock.now() - began;
		const maxBytes = Number(controls.maxKb) * 1024;
		const timeoutMs = Number(controls.timeout);
		const chunkBytes = Math.ceil(maxBytes / 5);
		const received = { bytes: 0 };
		let lookups = 0;
		let over = false;

		const resolve = async (host: string): Promise<string[]> => {
			await clock.sleep(LOOKUP_MS);
			if (host === 'several.example') return [...Array<string>(Number(controls.place) | 0).fill(PUBLIC), '10.0.0.5'];
			if (host === 'rebinding.example') return [lookups++ === 0 ? PUBLIC : '169.254.169.254'];
			return [PUBLIC];
		};
		async function* body(kind: string): AsyncGenerator<Uint8Array> {
			// The real ones never end; these end so late that only a limit can be the reason to stop earlier.
			const chunks = kind === 'endless.example' ? 40 : kind === 'slow.example' ? 60 : 1;
			for (let sent = 0; sent < chunks && !over; sent++) {
				if (kind === 'slow.example') await clock.sleep(DRIP_MS);
				const chunk = new Uint8Array(kind === 'endless.example' ? chunkBytes : 1);
				received.bytes += chunk.length;
				yield chunk;
			}
		}
		const reached: string[] = [];
		const connect = async (url: URL, address: string): Promise<Reply> => {
			await clock.sleep(DIAL_MS);
			const at = `${unwrapped(address)}:${url.port || 80}`;
			const inside = INSIDE[at];
			if (inside) reached.push(inside);
			emit({
				t: t(),
				lane: 'network',
				kind: inside ? 'fail' : 'info',
				label: `connection to ${at}${inside ? `, ${inside}` : ''}`,
			});
			const hop = url.hostname === 'hop.example';
			return {
				status: hop ? 302 : 200,
				header: (name) => (hop && name === 'location' ? 'http://169.254.169.254/' : undefined),
				body: body(url.hostname),
				close: () => {
					over = true;
				},
			};
		};
		/** The last of the checked addresses, the one that a check of the first alone would miss. */
		const dial: Dial = ({ url, addresses }) => {
			over = false;
			return connect(url, addresses.at(-1) ?? '');
		};

		/** What is often written: a list of bad hosts, then a client that resolves on its own and follows redirects. */
		const naive = async (target: string): Promise<void> => {
			if (target.startsWith('file:')) {
				reached.push('/etc/passwd');
				emit({ t: t(), lane: 'network', kind: 'fail', label: 'reads /etc/passwd' });
				return;
			}
			const host = /^http:\/\/(\[[^\]]*\]|[^/:]*)/.exec(target)?.[1] ?? '';
			if (['localhost', '127.0.0.1'].includes(host)) throw new Error('forbidden host');
			const isName = host.endsWith('.example');
			if (isName && (await resolve(host))[0]?.startsWith('10.')) throw new Error('forbidden address');
			const url = new URL(target);
			const address = isName ? ((await resolve(host)).at(-1) ?? '') : url.hostname.replace(/^\[|\]$/g, '');
			over = false;
			const reply = await connect(url, address);
			const location = reply.header('location');
			if (location) return naive(location);
			for await (const _chunk of reply.body);
		};

		const outcomes: { rule: string; url: string; answer: string; ms: number; bytes: number; reached: string[] }[] = [];
		for (const [rule, url] of WISHES) {
			reached.length = 0;
			received.bytes = 0;
			const start = t();
			emit({ t: start, lane: 'user', kind: 'start', label: `asks for ${url}` });
			let answer = 'fetched';
			try {
				if (controls.pattern) await guardedFetch(url, { resolve, dial, after: clock.after, maxBytes, timeoutMs });
				else await naive(url);
			} catch (error) {
				if (!(error instanceof Error)) throw error;
				answer = 'reason' in error ? `refused (${error.reason}): ${error.message}` : error.message;
			}
			over = true;
			const harmful = reached.length > 0 || rule === 'size' || rule === 'time';
			const kind = answer !== 'fetched' ? 'reject' : harmful ? 'fail' : 'ok';
			emit({ t: start, until: t(), lane: 'server', kind, label: answer });
			outcomes.push({ rule, url, answer, ms: t() - start, bytes: received.bytes, reached: [...reached] });
		}
		// Lets the last drip of an abandoned body pass.
		await clock.sleep(DRIP_MS);

		const of = (rule: string) => outcomes.filter((outcome) => outcome.rule === rule);
		const fine = of('fine').every(({ answer }) => answer === 'fetched');
		for (const rule of ['all', 'pinned', 'ranges', 'carried', 'spelling', 'redirects', 'schemes'] as const) {
			const found = of(rule).flatMap((outcome) => outcome.reached);
			const detail = found.length ? `reached ${found.join(', ')}` : `${of(rule).length} tried, nothing inside reached`;
			emit({ rule: RULES[rule], ok: found.length === 0 && fine, detail });
		}
		const [endless] = of('size');
		const [slow] = of('time');
		const bytes = endless?.bytes ?? 0;
		emit({
			rule: RULES.size,
			ok: bytes <= maxBytes + chunkBytes,
			detail: `${howMany(bytes, 'byte')} read of a limit of ${maxBytes}`,
		});
		const ms = slow?.ms ?? 0;
		emit({ rule: RULES.time, ok: ms <= timeoutMs, detail: `${ms} ms of a limit of ${timeoutMs}` });
	},
};

/** Where the network delivers an address that carries an IPv4 address. */
function unwrapped(address: string): string {
	const hex = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
	if (!hex) return address;
	const [high = 0, low = 0] = [hex[1], hex[2]].map((group) => Number.parseInt(group ?? '', 16));
	return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
