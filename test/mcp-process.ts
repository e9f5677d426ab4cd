import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** This repository. */
export const REPOSITORY = join(import.meta.dirname, '..');

/** How to start the server: a program and what comes before the server's own options. */
export interface Launch {
	command: string;
	args: string[];
}

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** The server from source, through tsx, as the floor of Node needs it. */
export const fromSource: Launch = {
	command: process.execPath,
	args: ['--import', tsx, join(REPOSITORY, 'mcp/main.ts')],
};

/** Bundles the server into `folder` as one file. */
export async function bundleServer(folder: string, source = REPOSITORY): Promise<Launch> {
	const outfile = join(folder, 'dist', 'mcp.js');
	await build({
		absWorkingDir: source,
		entryPoints: ['mcp/main.ts'],
		outfile,
		...{ bundle: true, platform: 'node', format: 'esm', target: 'node20.19', logLevel: 'warning' },
	});
	return { command: process.execPath, args: [outfile] };
}

export interface ServerProcess {
	child: ChildProcessWithoutNullStreams;
	write(data: string | Uint8Array): void;
	/** Writes a message as a line. */
	send(message: unknown): void;
	/** Sends a request and resolves to the reply with its id. */
	request(method: string, params?: unknown, id?: number | string): Promise<Record<string, unknown>>;
	/** Sends a legacy `tools/call` and resolves to its text. */
	call(name: string, args?: unknown): Promise<{ text: string; isError: boolean }>;
	/** Every reply so far, in order. */
	replies(): Record<string, unknown>[];
	/** Resolves when there are `count` replies. */
	until(count: number): Promise<Record<string, unknown>[]>;
	stderr(): string;
	/** Ends the input, and resolves when the process is gone. */
	end(): Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string }>;
	closed: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string }>;
}

/** Starts a server; a line of its stdout that is no JSON is among the replies as `not a frame`. */
export function startServer(
	{ command, args }: Launch,
	options: readonly string[],
	{ cwd = '/', env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): ServerProcess {
	const child = spawn(command, [...args, ...options], { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
	let stdout = '';
	let stderr = '';
	let replies: Record<string, unknown>[] = [];
	let nextId = 1000;
	const checks = new Set<() => void>();
	child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
		stdout += chunk;
		const lines = stdout.split('\n').slice(0, -1);
		replies = lines.map(parseFrame);
		for (const check of [...checks]) check();
	});
	child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
		stderr += chunk;
	});
	child.stdin.on('error', () => undefined);
	const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string }>((resolve) =>
		child.on('close', (code, signal) => resolve({ code, signal, stdout })),
	);

	function wait<T>(find: () => T | undefined): Promise<T> {
		return new Promise((resolve, reject) => {
			const check = () => {
				const found = find();
				if (found === undefined) return;
				checks.delete(check);
				resolve(found);
			};
			checks.add(check);
			check();
			closed.then(({ code }) => reject(new Error(`the server ended (${code}) before it answered: ${stderr}`)));
		});
	}
	const write = (data: string | Uint8Array) => void child.stdin.write(data);
	const send = (message: unknown) => write(`${JSON.stringify(message)}\n`);
	const request = (method: string, params?: unknown, id: number | string = nextId++) => {
		send({ jsonrpc: '2.0', id, method, params });
		return wait(() => replies.find((reply) => reply.id === id));
	};
	return {
		child,
		write,
		send,
		request,
		async call(name, args) {
			const { result, error } = await request('tools/call', { name, arguments: args });
			const { content, isError } = Object(result);
			if (!Array.isArray(content)) throw new Error(`no result: ${JSON.stringify(error)}`);
			return { text: String(content[0]?.text), isError: isError === true };
		},
		replies: () => replies,
		until: (count) => wait(() => (replies.length >= count ? replies : undefined)),
		stderr: () => stderr,
		end() {
			child.stdin.end();
			return closed;
		},
		closed,
	};
}

function parseFrame(line: string): Record<string, unknown> {
	try {
		return JSON.parse(line);
	} catch {
		return { 'not a frame': line };
	}
}

/** The `_meta` of a modern request. */
export const MODERN_META = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientCapabilities': {},
	'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
};
