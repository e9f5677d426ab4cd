import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import {
	type Dial,
	type GuardedRequest,
	type GuardOptions,
	guardedFetch,
	type Reply,
	type Resolve,
} from './ssrf-guard.ts';

/** As the system resolves names, /etc/hosts included. */
export const nodeResolve: Resolve = async (host) =>
	(await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** One exchange over a connection of its own, whose look-up answers with the checked addresses and asks nobody. */
export const nodeDial: Dial = ({ url, addresses, method, headers, body, signal }) =>
	new Promise<Reply>((resolve, reject) => {
		const checked = addresses.map((address) => ({ address, family: isIP(address) }));
		const pinned: LookupFunction = (_host, options, callback) => {
			const first = checked[0];
			if (options.all) callback(null, checked);
			else if (first) callback(null, first.address, first.family);
		};
		const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
		const request = start(url, {
			method,
			headers: { 'accept-encoding': 'identity', ...headers },
			lookup: pinned,
			agent: false,
			signal,
		});
		request.once('error', reject);
		request.once('response', (response) => {
			// After an early close the socket reports an error that nobody waits for any more.
			request.on('error', () => undefined);
			response.on('error', () => undefined);
			resolve({
				status: response.statusCode ?? 0,
				header: (name) => {
					const value = response.headers[name];
					return Array.isArray(value) ? value.join(', ') : value;
				},
				body: response,
				close: () => request.destroy(),
			});
		});
		request.end(body);
	});

/** As `guardedFetch`, over Node's own resolver and sockets. */
export function safeFetch(target: string, options: Partial<GuardOptions> = {}, request: GuardedRequest = {}) {
	return guardedFetch(target, { resolve: nodeResolve, dial: nodeDial, ...options }, request);
}
