import type { ToolDefinition, ToolResult } from '../registry/query.ts';
import { BATCH_VERSION, checkModernMeta, isModern, META_SERVER, MODERN_VERSIONS, negotiate } from './eras.ts';
import {
	classify,
	ErrorCode,
	errorReply,
	isObject,
	type Reply,
	type RequestId,
	RpcError,
	resultReply,
} from './json-rpc.ts';

/** What the protocol serves. Nothing here knows what a tool does. */
export interface Service {
	info: { name: string; version: string };
	instructions: string;
	listTools(): Promise<readonly ToolDefinition[]>;
	/** @throws RpcError -32602 for a name that is no tool; anything else thrown is a fault of the server */
	callTool(name: string, args: unknown): Promise<ToolResult>;
	/** Takes the details of a fault, which the client does not see. */
	log(text: string): void;
}

/** What goes back for a message: nothing for a notification, a list for a batch. */
export type Answer = Reply | Reply[] | undefined;

/** One connection. Requests are independent of each other: replies come when they are ready. */
export interface Session {
	/** Takes one message as text; resolves to the message to send back, or to nothing when there is none. Never rejects. */
	receive(text: string): Promise<Answer>;
}

/** How long clients may keep discovery and the tool list, which change only with the server's version. */
const CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const;

interface Pending {
	id: RequestId;
	cancelled: boolean;
}

/** Speaks both eras of the protocol over `service`, in one process and in any order. */
export function createSession(service: Service): Session {
	const pending = new Set<Pending>();
	/** What `initialize` agreed on; it decides nothing but whether batches exist. */
	let agreed: string | undefined;

	return { receive };

	async function receive(text: string): Promise<Answer> {
		let value: unknown;
		try {
			value = JSON.parse(text);
		} catch {
			return errorReply(null, new RpcError(ErrorCode.parseError, 'Parse error: the line is not JSON'));
		}
		if (!Array.isArray(value)) return answer(value);
		if (agreed !== BATCH_VERSION)
			return invalid(null, `batches exist only in ${BATCH_VERSION}; send one object a line`);
		if (value.length === 0) return invalid(null, 'the batch is empty');
		const replies = (await Promise.all(value.map(answerInBatch))).filter((reply) => reply !== undefined);
		return replies.length > 0 ? replies : undefined;
	}

	function answerInBatch(value: unknown): Promise<Reply | undefined> {
		const message = classify(value);
		if (message.kind === 'request' && message.method === 'initialize')
			return Promise.resolve(invalid(message.id, 'initialize cannot be part of a batch'));
		if (message.kind === 'request' && isModern(message.method, message.params))
			return Promise.resolve(invalid(message.id, `batches do not exist in ${MODERN_VERSIONS[0]}`));
		return answer(value);
	}

	async function answer(value: unknown): Promise<Reply | undefined> {
		const message = classify(value);
		if (message.kind === 'invalid') return invalid(message.id, message.reason);
		if (message.kind === 'response') return undefined;
		if (message.kind === 'notification') {
			if (message.method === 'notifications/cancelled') cancel(message.params);
			return undefined;
		}
		const entry: Pending = { id: message.id, cancelled: false };
		pending.add(entry);
		let reply: Reply;
		try {
			reply = resultReply(message.id, await dispatch(message.method, message.params));
		} catch (error) {
			reply = errorReply(message.id, asRpcError(error, message.method));
		}
		pending.delete(entry);
		return entry.cancelled ? undefined : reply;
	}

	function cancel(params: unknown): void {
		if (!isObject(params)) return;
		for (const entry of pending) if (entry.id === params.requestId) entry.cancelled = true;
	}

	async function dispatch(method: string, params: unknown): Promise<object> {
		if (params !== undefined && params !== null && !isObject(params))
			throw new RpcError(ErrorCode.invalidParams, 'Invalid params: expected an object');
		const given = isObject(params) ? params : {};
		return isModern(method, given) ? modern(method, given) : legacy(method, given);
	}

	async function modern(method: string, params: Record<string, unknown>): Promise<object> {
		checkModernMeta(params);
		const result = await modernResult(method, params);
		return { resultType: 'complete', ...result, _meta: { [META_SERVER]: service.info } };
	}

	async function modernResult(method: string, params: Record<string, unknown>): Promise<object> {
		if (method === 'server/discover') {
			const { instructions } = service;
			return { supportedVersions: MODERN_VERSIONS, capabilities: { tools: {} }, instructions, ...CACHE };
		}
		if (method === 'tools/list') return { ...(await listTools(params)), ...CACHE };
		if (method === 'tools/call') return callTool(params);
		throw unknownMethod(method);
	}

	async function legacy(method: string, params: Record<string, unknown>): Promise<object> {
		if (method === 'initialize') {
			agreed = negotiate(params.protocolVersion);
			const { info, instructions } = service;
			return { protocolVersion: agreed, capabilities: { tools: {} }, serverInfo: info, instructions };
		}
		if (method === 'ping') return {};
		if (method === 'tools/list') return listTools(params);
		if (method === 'tools/call') return callTool(params);
		throw unknownMethod(method);
	}

	async function listTools(params: Record<string, unknown>): Promise<object> {
		// The list has one page and so no cursor; some clients send an empty one all the same.
		if (params.cursor !== undefined && params.cursor !== null && params.cursor !== '')
			throw new RpcError(ErrorCode.invalidParams, 'Invalid params: unknown cursor; tools/list has one page');
		return { tools: await service.listTools() };
	}

	async function callTool(params: Record<string, unknown>): Promise<object> {
		const { name, arguments: args } = params;
		if (typeof name !== 'string')
			throw new RpcError(ErrorCode.invalidParams, 'Invalid params: "name" must be the name of a tool');
		const { text, isError } = await service.callTool(name, args ?? {});
		return { content: [{ type: 'text', text }], isError };
	}

	function asRpcError(error: unknown, method: string): RpcError {
		if (error instanceof RpcError) return error;
		service.log(`fault in ${method}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		return new RpcError(ErrorCode.internalError, 'Internal error: the server failed, not the request; see its log');
	}
}

function invalid(id: RequestId | null, reason: string): Reply {
	return errorReply(id, new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`));
}

function unknownMethod(method: string): RpcError {
	return new RpcError(ErrorCode.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
}
