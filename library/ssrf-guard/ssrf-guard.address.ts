/**
 * Which addresses belong to the public internet. Every address is judged as 128 bits, an IPv4 address as `::ffff:a.b.c.d`,
 * so that the mapped spelling needs no rule of its own.
 */

/** An address range: the first `bits` bits of `bytes`. */
export interface Range {
	bytes: Uint8Array;
	bits: number;
}

/** Special-purpose ranges that are not, or not for certain, the public internet: IANA's two registries, RFC 6890. */
const SPECIAL = [
	'0.0.0.0/8', // this host; Linux connects 0.0.0.0 to loopback
	'10.0.0.0/8', // private, RFC 1918
	'100.64.0.0/10', // carrier-grade NAT, RFC 6598
	'127.0.0.0/8', // loopback
	'169.254.0.0/16', // link-local, RFC 3927; cloud metadata services
	'172.16.0.0/12', // private
	'192.0.0.0/24', // protocol assignments
	'192.0.2.0/24', // documentation, RFC 5737
	'192.88.99.0/24', // 6to4 relays, withdrawn by RFC 7526
	'192.168.0.0/16', // private
	'198.18.0.0/15', // benchmarking, RFC 2544
	'198.51.100.0/24', // documentation
	'203.0.113.0/24', // documentation
	'224.0.0.0/4', // multicast
	'240.0.0.0/4', // reserved, and 255.255.255.255
	'2001::/23', // protocol assignments, Teredo among them
	'2001:db8::/32', // documentation, RFC 3849
	'3fff::/20', // documentation, RFC 9637
].map(parseRange);

const IPV4 = parseRange('0.0.0.0/0');
/** Global unicast. Outside of it nothing is public: `::1`, `fe80::/10`, `fc00::/7`, `ff00::/8`, `64:ff9b:1::/48`, … */
const GLOBAL_UNICAST = parseRange('2000::/3');
const NAT64 = parseRange('64:ff9b::/96'); // RFC 6052: the IPv4 address in the last 32 bits
const SIX_TO_FOUR = parseRange('2002::/16'); // RFC 3056: in the 32 bits after the prefix

/**
 * True when a connection to `address` leaves for the public internet. An address that carries an IPv4 address (mapped,
 * NAT64, 6to4) is judged by that one. What is no plain address, a zone (`fe80::1%eth0`) included, is not public.
 * @param extra ranges that count as not public as well, and ranges that count as public whatever the tables say
 */
export function isPublicAddress(
	address: string,
	extra: { blocked?: readonly Range[]; allowed?: readonly Range[] } = {},
): boolean {
	const outer = parseAddress(address);
	if (!outer) return false;
	const inner = carried(outer);
	const within = (ranges: readonly Range[] = []) =>
		ranges.some((range) => contains(range, inner) || contains(range, outer));
	if (within(extra.blocked)) return false;
	if (within(extra.allowed)) return true;
	return (contains(IPV4, inner) || contains(GLOBAL_UNICAST, inner)) && !within(SPECIAL);
}

/** @throws TypeError when `text` is no `address/bits` */
export function parseRange(text: string): Range {
	const [address = '', length = ''] = text.split('/');
	const bytes = parseAddress(address);
	const bits = Number(length) + (address.includes(':') ? 0 : 96);
	if (!bytes || !/^[0-9]{1,3}$/.test(length) || bits > 128) throw new TypeError(`not an address range: ${text}`);
	return { bytes, bits };
}

/** The 16 bytes of an address in its usual spelling: IPv4 as four decimals without leading zeros, IPv6 as in RFC 4291. */
export function parseAddress(text: string): Uint8Array | undefined {
	if (!text.includes(':')) return mapped(parseIPv4(text));
	const dotted = text.slice(text.lastIndexOf(':') + 1);
	if (!dotted.includes('.')) return parseIPv6(text);
	const tail = parseIPv4(dotted);
	if (!tail) return undefined;
	const hex = tail.map((byte) => byte.toString(16).padStart(2, '0'));
	return parseIPv6(`${text.slice(0, -dotted.length)}${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`);
}

function parseIPv4(text: string): number[] | undefined {
	const parts = text.split('.');
	if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part))) return undefined;
	const bytes = parts.map(Number);
	return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIPv6(text: string): Uint8Array | undefined {
	const halves = text.split('::');
	const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
	const missing = 8 - head.length - tail.length;
	if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
	const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
	if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
	return Uint8Array.from(
		groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]),
	);
}

function mapped(ipv4: ArrayLike<number> | undefined): Uint8Array | undefined {
	return ipv4 && Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...Array.from(ipv4));
}

function carried(address: Uint8Array): Uint8Array {
	if (contains(NAT64, address)) return mapped(address.subarray(12)) ?? address;
	if (contains(SIX_TO_FOUR, address)) return mapped(address.subarray(2, 6)) ?? address;
	return address;
}

function contains(range: Range, address: Uint8Array): boolean {
	return address.every((byte, index) => {
		const bits = Math.min(8, Math.max(0, range.bits - index * 8));
		return (byte ^ (range.bytes[index] ?? 0)) >> (8 - bits) === 0;
	});
}
