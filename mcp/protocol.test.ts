import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEGACY_VERSIONS, MODERN_VERSIONS } from './eras.ts';
import { fakeService, MODERN_META } from './fake-service.ts';
import { createSession } from './protocol.ts';

const SERVER_META = { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '1.2.3' } };

function open() {
	const fake = fakeService();
	const session = createSession(fake.service);
	const send = (message: unknown) => session.receive(JSON.stringify(message));
	const request = (method: string, params?: unknown, id: unknown = 1) => send({ jsonrpc: '2.0', id, method, params });
	const modern = (method: string, params: object = {}, meta: object = MODERN_META) =>
		request(method, { ...params, _meta: meta });
	return { ...fake, session, send, request, modern };
}

const error = (code: number, id: unknown = 1) => ({
	jsonrpc: '2.0',
	id,
	error: expect.objectContaining({ code, message: expect.any(String) }),
});
const result = (value: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, result: value });

describe('legacy era', () => {
	it.each(LEGACY_VERSIONS)('agrees on %s when it is asked for', async (protocolVersion) => {
		const { request } = open();
		expect(await request('initialize', { protocolVersion, capabilities: {}, clientInfo: {} })).toEqual(
			result({
				protocolVersion,
				capabilities: { tools: {} },
				serverInfo: { name: 'fake', version: '1.2.3' },
				instructions: 'Ask first.',
			}),
		);
	});

	it.each(['2099-01-01', '2026-07-28', '', 7, undefined])(
		'answers initialize for %j with the newest it speaks',
		async (protocolVersion) => {
			const { request } = open();
			expect(await request('initialize', { protocolVersion })).toMatchObject({
				result: { protocolVersion: '2025-11-25' },
			});
		},
	);

	it('answers ping and tools/list before initialize', async () => {
		const { request } = open();
		expect(await request('ping')).toEqual(result({}));
		expect(await request('ping', null)).toEqual(result({}));
		expect(await request('tools/list')).toMatchObject({ result: { tools: [{ name: 'echo' }] } });
	});

	it('answers a call with text, and nothing modern in it', async () => {
		const { request } = open();
		expect(await request('tools/call', { name: 'echo', arguments: { a: 1 } })).toEqual(
			result({ content: [{ type: 'text', text: '{"a":1}' }], isError: false }),
		);
	});

	it.each([undefined, null])('takes arguments of %j as none', async (args) => {
		const { request } = open();
		expect(await request('tools/call', { name: 'echo', arguments: args })).toMatchObject({
			result: { content: [{ text: '{}' }] },
		});
	});

	it('answers wrong arguments with a result that is an error, not with a protocol error', async () => {
		const { request } = open();
		expect(await request('tools/call', { name: 'refuse' })).toEqual(
			result({ content: [{ type: 'text', text: 'query: expected text' }], isError: true }),
		);
	});

	it('ignores fields of _meta that other revisions define', async () => {
		const { request } = open();
		const _meta = { progressToken: 1, 'io.modelcontextprotocol/related-task': { taskId: 'x' } };
		expect(await request('tools/list', { _meta })).toMatchObject({ result: { tools: [{}] } });
		expect(await request('tools/list', { _meta })).not.toMatchObject({ result: { resultType: 'complete' } });
	});
});

describe('modern era', () => {
	it('answers server/discover without a handshake', async () => {
		const { modern } = open();
		expect(await modern('server/discover')).toEqual(
			result({
				resultType: 'complete',
				supportedVersions: ['2026-07-28'],
				capabilities: { tools: {} },
				instructions: 'Ask first.',
				ttlMs: expect.any(Number),
				cacheScope: 'public',
				_meta: SERVER_META,
			}),
		);
	});

	it('lists and calls with what a modern result carries', async () => {
		const { modern } = open();
		expect(await modern('tools/list')).toEqual(
			result({
				resultType: 'complete',
				tools: [expect.objectContaining({ name: 'echo' })],
				ttlMs: expect.any(Number),
				cacheScope: 'public',
				_meta: SERVER_META,
			}),
		);
		expect(await modern('tools/call', { name: 'echo', arguments: {} })).toEqual(
			result({
				resultType: 'complete',
				content: [{ type: 'text', text: '{}' }],
				isError: false,
				_meta: SERVER_META,
			}),
		);
	});

	it('has no ping and no other method', async () => {
		const { modern } = open();
		for (const method of ['ping', 'resources/list', 'toString', '__proto__'])
			expect(await modern(method)).toEqual(error(-32601));
	});

	it('needs no clientInfo', async () => {
		const { modern } = open();
		const { 'io.modelcontextprotocol/clientInfo': _, ...meta } = MODERN_META;
		expect(await modern('tools/list', {}, meta)).toMatchObject({ result: { resultType: 'complete' } });
	});

	it.each([
		['no clientCapabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }],
		['clientCapabilities that is a list', { 'io.modelcontextprotocol/clientCapabilities': [] }],
		['no protocolVersion', { 'io.modelcontextprotocol/protocolVersion': undefined }],
		['a protocolVersion that is a number', { 'io.modelcontextprotocol/protocolVersion': 20260728 }],
		['a clientInfo that is text', { 'io.modelcontextprotocol/clientInfo': 'me' }],
	])('refuses %s and names the key', async (_, change) => {
		const { modern } = open();
		const [key] = Object.keys(change);
		expect(await modern('tools/list', {}, { ...MODERN_META, ...change })).toMatchObject({
			error: { code: -32602, message: expect.stringContaining(key ?? '') },
		});
	});

	it('refuses server/discover without _meta as the modern request that it is', async () => {
		const { request } = open();
		expect(await request('server/discover')).toEqual(error(-32602));
	});

	it.each(['2099-01-01', '2025-11-25'])('refuses the version %s and says which are supported', async (requested) => {
		const { modern } = open();
		const meta = { 'io.modelcontextprotocol/protocolVersion': requested };
		expect(await modern('tools/list', {}, meta)).toMatchObject({
			error: { code: -32022, data: { supported: MODERN_VERSIONS, requested } },
		});
	});
});

describe('both eras in one process', () => {
	it('answers discover, then initialize, then a legacy tools/list', async () => {
		const { modern, request } = open();
		expect(await modern('server/discover')).toMatchObject({ result: { resultType: 'complete' } });
		expect(await request('initialize', { protocolVersion: '2025-06-18' })).toMatchObject({
			result: { protocolVersion: '2025-06-18' },
		});
		expect(await request('tools/list')).toEqual(result({ tools: [expect.objectContaining({ name: 'echo' })] }));
	});

	it('serves a modern request after the handshake, and takes initialize as legacy whatever its _meta', async () => {
		const { modern } = open();
		expect(await modern('initialize', { protocolVersion: '2025-03-26' })).toMatchObject({
			result: { protocolVersion: '2025-03-26' },
		});
		expect(await modern('tools/list')).toMatchObject({ result: { resultType: 'complete' } });
	});

	it('never refuses a handshake for its version, and refuses a modern request for it with those that are spoken', async () => {
		const { modern, request } = open();
		const version = '2099-01-01';
		expect(await request('initialize', { protocolVersion: version })).toMatchObject({
			result: { protocolVersion: LEGACY_VERSIONS[0] },
		});
		const meta = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': version };
		expect(await modern('tools/list', {}, meta)).toMatchObject({
			error: { code: -32022, data: { supported: MODERN_VERSIONS, requested: version } },
		});
	});

	it('takes a request with any of the modern keys as modern, and names the key that it lacks', async () => {
		const { modern } = open();
		for (const key of Object.keys(MODERN_META)) {
			const meta = { [key]: Object(MODERN_META)[key] };
			const lacking = key.endsWith('protocolVersion') ? 'clientCapabilities' : 'protocolVersion';
			expect(await modern('tools/list', {}, meta), key).toMatchObject({
				error: { code: -32602, message: expect.stringContaining(`io.modelcontextprotocol/${lacking}`) },
			});
		}
	});
});

describe('malformed messages', () => {
	it.each([
		[[], null],
		[42, null],
		['text', null],
		[null, null],
		[true, null],
		[{}, null],
		[{ id: 1 }, 1],
		[{ jsonrpc: '2.0', id: null, method: 'ping' }, null],
		[{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, null],
		[{ jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }, null],
		[{ jsonrpc: '2.0', id: {}, method: 'ping' }, null],
		[{ jsonrpc: '2.0', id: 3, method: 4 }, 3],
		[{ jsonrpc: '1.0', id: 'x', method: 'ping' }, 'x'],
		[{ id: 5, method: 'ping' }, 5],
		[{ jsonrpc: '2.0', method: 1 }, null],
	])('%j is an invalid request', async (message, id) => {
		const { send, request } = open();
		expect(await send(message)).toEqual(error(-32600, id));
		expect(await request('tools/list')).toMatchObject({ result: {} });
	});

	it.each(['{', '', '{"a":1}{"b":2}', "{'a':1}"])('%j is a parse error with id null', async (line) => {
		const { session, request } = open();
		expect(await session.receive(line)).toEqual(error(-32700, null));
		expect(await request('ping')).toEqual(result({}));
	});

	it.each([
		['tools/call', null],
		['tools/call', {}],
		['tools/call', { name: 7 }],
		['tools/call', { name: 'nope' }],
		['tools/call', []],
		['tools/list', 'x'],
		['tools/list', { cursor: 'page2' }],
	])('%s with params %j has invalid params', async (method, params) => {
		const { request } = open();
		expect(await request(method, params, 7)).toEqual(error(-32602, 7));
	});

	it('an unknown method is not found', async () => {
		const { request } = open();
		for (const method of ['resources/list', 'logging/setLevel', 'constructor', ''])
			expect(await request(method)).toEqual(error(-32601));
	});

	it('a fault is the server’s own, told to the log and not to the client', async () => {
		const { request, log } = open();
		const reply = await request('tools/call', { name: 'crash' });
		expect(reply).toEqual(error(-32603));
		expect(JSON.stringify(reply)).not.toContain('secret');
		expect(log.join('\n')).toContain('/secret/path is broken');
		expect(await request('ping')).toEqual(result({}));
	});

	it('nothing that is received makes it reject, and a request with a valid id gets that id back', async () => {
		const anything = fc.anything({ withNullPrototype: false, withBigInt: false, maxDepth: 3 });
		const message = fc.record(
			{
				jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', 2),
				id: fc.oneof(fc.string(), fc.maxSafeInteger(), anything),
				method: fc.constantFrom<unknown>('tools/call', 'tools/list', 'initialize', 'server/discover', 'x', 3),
				params: fc.oneof(anything, fc.record({ _meta: anything, name: anything })),
			},
			{ requiredKeys: [] },
		);
		await fc.assert(
			fc.asyncProperty(fc.oneof(message, anything), async (value) => {
				const { session } = open();
				const text = JSON.stringify(value) ?? 'undefined';
				const reply = await session.receive(text);
				const parsed: unknown = text === 'undefined' ? undefined : JSON.parse(text);
				const { id, method, jsonrpc } = Object(parsed);
				const valid = (typeof id === 'string' || Number.isSafeInteger(id)) && typeof method === 'string';
				if (valid && jsonrpc === '2.0') expect(reply).toMatchObject({ jsonrpc: '2.0', id });
			}),
		);
	});
});

describe('notifications and responses', () => {
	it.each([
		{ jsonrpc: '2.0', method: 'notifications/initialized' },
		{ jsonrpc: '2.0', method: 'notifications/whatever', params: null },
		{ jsonrpc: '2.0', method: 'notifications/cancelled' },
		{ jsonrpc: '2.0', method: 'tools/call', params: { name: 'crash' } },
		{ jsonrpc: '2.0', method: 'initialize' },
		{ method: 'x' },
		{ jsonrpc: '2.0', id: 4, result: {} },
		{ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } },
	])('%j gets silence', async (message) => {
		expect(await open().send(message)).toBeUndefined();
	});

	it('a cancelled request gets no reply; others do', async () => {
		const { request, send, release } = open();
		const cancelled = request('tools/call', { name: 'wait' }, 'a');
		const kept = request('tools/call', { name: 'wait' }, 'b');
		await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
		release();
		expect(await cancelled).toBeUndefined();
		expect(await kept).toMatchObject({ id: 'b', result: {} });
	});

	it('a cancellation names its request by type too, and one that comes late changes nothing', async () => {
		const { request, send, release } = open();
		const kept = request('tools/call', { name: 'wait' }, 1);
		await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } });
		release();
		expect(await kept).toMatchObject({ id: 1 });
		await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
		expect(await request('ping', {}, 1)).toEqual(result({}));
	});
});

describe('batches', () => {
	const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

	it('are answered as one list after initialize agreed on 2025-03-26', async () => {
		const { request, send } = open();
		await request('initialize', { protocolVersion: '2025-03-26' });
		const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
		expect(await send([ping(1), note, 3, ping(2)])).toEqual([result({}, 1), error(-32600, null), result({}, 2)]);
		expect(await send([note, note])).toBeUndefined();
		expect(await send([])).toEqual(error(-32600, null));
	});

	it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('are refused in %s', async (protocolVersion) => {
		const { request, send } = open();
		await request('initialize', { protocolVersion });
		expect(await send([ping(1)])).toEqual(error(-32600, null));
	});

	it('are refused before initialize, with one error', async () => {
		expect(await open().send([ping(1), ping(2)])).toEqual(error(-32600, null));
	});

	it('hold neither initialize nor a modern request', async () => {
		const { request, send } = open();
		await request('initialize', { protocolVersion: '2025-03-26' });
		const modern = { jsonrpc: '2.0', id: 8, method: 'tools/list', params: { _meta: MODERN_META } };
		expect(await send([{ ...ping(7), method: 'initialize' }, modern])).toEqual([error(-32600, 7), error(-32600, 8)]);
		expect(await send([ping(1)])).toEqual([result({}, 1)]);
	});
});
