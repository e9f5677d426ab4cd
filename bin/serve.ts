import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { readRegistry } from '../registry/read.ts';
import { siteAddress } from '../site/build/address.ts';
import { FROZEN_REGISTRY } from './places.ts';

const DEFAULT_PORT = 4321;

/** Types that sirv does not know, or sends without the charset by which a browser reads them as UTF-8. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
	'.css': 'text/css; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.json': 'application/json; charset=utf-8',
	'.jsonl': 'application/x-ndjson; charset=utf-8',
	'.md': 'text/markdown; charset=utf-8',
	'.txt': 'text/plain; charset=utf-8',
	'.xml': 'application/xml; charset=utf-8',
};

/**
 * A server of the built site in `folder`, as its host will serve it: under `base` ("/" or "/name"), files fresh from the
 * disk, the site's own page for what is not there. The root leads to the base; nothing else outside it is answered, so
 * that a link that leaves the base is seen.
 */
export function createSiteServer(folder: string, base: string): Server {
	const serveFile = sirv(folder, {
		dev: true,
		etag: true,
		setHeaders: (response, path) => {
			const type = TEXT_TYPES[extname(path)];
			if (type !== undefined) response.setHeader('content-type', type);
		},
	});
	const prefix = base === '/' ? '' : base;
	return createServer((request, response) => {
		const url = request.url ?? '/';
		const notFound = () => {
			const page = join(folder, '404.html');
			response.writeHead(404, {
				'content-type': existsSync(page) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
			});
			response.end(existsSync(page) ? readFileSync(page) : 'There is no such page.\n');
		};
		if (request.method !== 'GET' && request.method !== 'HEAD') {
			response.writeHead(405, { allow: 'GET, HEAD' }).end();
		} else if (prefix !== '' && (url === '/' || url === prefix)) {
			response.writeHead(302, { location: `${prefix}/` }).end();
		} else if (!url.startsWith(`${prefix}/`)) {
			notFound();
		} else {
			request.url = url.slice(prefix.length);
			serveFile(request, response, notFound);
		}
	});
}

/**
 * The base path of the site, as its build finds it: that of SITE_URL, else of the address at which the library is
 * published.
 */
export function siteBase(root: string, siteUrl: string | undefined): string {
	const file = join(root, FROZEN_REGISTRY);
	const url = existsSync(file) ? readRegistry(JSON.parse(readFileSync(file, 'utf8'))).library.url : '';
	return siteAddress(url, siteUrl).base;
}

/** The port to listen on, from the environment. @throws Error when it is no port number */
export function portFrom(value: string | undefined): number {
	if (value === undefined || value === '') return DEFAULT_PORT;
	const port = Number(value);
	if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
	throw new Error(`PORT is ${JSON.stringify(value)}, expected a number from 0 to 65535.`);
}

/** Starts listening on this machine only. @throws Error with advice when the port is taken or refused */
export async function listen(server: Server, port: number, host = 'localhost'): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) => reject(portFailure(error, port)));
		server.listen(port, host, resolve);
	});
	return (server.address() as AddressInfo).port;
}

function portFailure(error: NodeJS.ErrnoException, port: number): Error {
	if (error.code === 'EADDRINUSE')
		return new Error(`Port ${port} is taken. Try another one: PORT=${port + 1} npm start`);
	if (error.code === 'EACCES') return new Error(`Port ${port} is not allowed. Try one over 1023: PORT=8080 npm start`);
	return error;
}

async function main(root: string): Promise<void> {
	const folder = join(root, 'dist', 'site');
	if (!existsSync(folder)) throw new Error(`There is no site in ${folder}. Build it first: npm run build`);
	const base = siteBase(root, process.env.SITE_URL);
	const port = await listen(
		createSiteServer(folder, base),
		portFrom(process.env.PORT),
		process.env.HOST || 'localhost',
	);
	process.stdout.write(`The pattern library is at http://localhost:${port}${base === '/' ? '/' : `${base}/`}\n`);
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
	main(dirname(dirname(self))).catch((error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	});
}
