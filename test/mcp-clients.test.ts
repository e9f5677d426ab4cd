import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../registry/query.ts';
import { createFixtureRepository, type FixtureRepository } from './mcp-fixture.ts';
import { bundleServer, fromSource, type Launch } from './mcp-process.ts';

/** The official clients list and call every tool, over each launch of the server that a client would configure. */

let repository: FixtureRepository;
let folder: string;
let bundle: Launch;

beforeAll(async () => {
	repository = createFixtureRepository();
	folder = mkdtempSync(join(tmpdir(), 'mcp-clients-'));
	bundle = await bundleServer(folder);
});
afterAll(() => {
	repository.remove();
	rmSync(folder, { recursive: true, force: true });
});

/** For each tool, arguments that work on the fixture and a text that the answer holds. */
const CALLS: Record<string, { args: Record<string, unknown>; holds: string }> = {
	search_patterns: { args: { query: 'try a flaky call again' }, holds: 'retry-backoff' },
	get_pattern: { args: { id: 'job-queue' }, holds: 'Job queue must hold' },
	get_file_excerpt: { args: { path: 'src/bulkhead.ts' }, holds: "return 'bulkhead';" },
	trace_capability: { args: { capability: 'background jobs that survive a crash' }, holds: 'src/job-queue.ts' },
	recommend_emulation_plan: {
		args: { capabilities: ['stop calling a service that keeps failing'] },
		holds: 'circuit-breaker',
	},
	validate_snippet: { args: { snippet: "import { a } from './a';" }, holds: 'relative-import-extension' },
};

/** What both generations of the client have in common. */
interface AnyClient {
	listTools(): Promise<{ tools: { name: string }[] }>;
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
	getInstructions(): string | undefined;
	getServerVersion(): { name: string } | undefined;
	close(): Promise<void>;
}

async function useEveryTool(client: AnyClient): Promise<void> {
	try {
		expect(client.getServerVersion()).toMatchObject({ name: 'v10r-patterns' });
		expect(client.getInstructions()).toContain('search_patterns');
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
		expect(Object.keys(CALLS)).toEqual(TOOLS.map(({ name }) => name));
		for (const [name, { args, holds }] of Object.entries(CALLS)) {
			expect(await client.callTool({ name, arguments: args }), name).toMatchObject({
				content: [{ type: 'text', text: expect.stringContaining(holds) }],
				isError: false,
			});
		}
		expect(await client.callTool({ name: 'search_patterns', arguments: {} })).toMatchObject({ isError: true });
		await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({ code: -32602 });
	} finally {
		await client.close();
	}
}

describe.each([
	['from source', () => fromSource],
	['as a bundle', () => bundle],
])('over the server %s', (_, launch) => {
	const parameters = () => {
		const { command, args } = launch();
		return { command, args: [...args, '--root', repository.root], cwd: '/', stderr: 'pipe' as const };
	};

	it.each([
		['legacy', 'legacy' as const, '2025-11-25'],
		['automatic', 'auto' as const, '2026-07-28'],
		['pinned', { pin: '2026-07-28' }, '2026-07-28'],
	])('client 2.x with %s negotiation uses every tool', async (_mode, mode, version) => {
		const client = new ModernClient({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
		await client.connect(new ModernTransport(parameters()));
		expect(client.getNegotiatedProtocolVersion()).toBe(version);
		await useEveryTool(client);
	});

	it('client 1.x uses every tool', async () => {
		const client = new LegacyClient({ name: 'test', version: '0' });
		await client.connect(new LegacyTransport(parameters()));
		await useEveryTool(client);
	});
});
