/** JSON-RPC 2.0 as MCP uses it: what a message is, and the replies to it. */

export type RequestId = string | number;

/** Codes of JSON-RPC 2.0, section 5.1, and the one of MCP 2026-07-28 that a stdio server can send. */
export const ErrorCode = {
	parseError: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internalError: -32603,
	unsupportedProtocolVersion: -32022,
} as const;

/** A refusal that goes to the client as it stands: `message` must be fit for it to see. */
export class RpcError extends Error {
	override readonly name = 'RpcError';
	readonly code: number;
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.code = code;
		this.data = data;
	}
}

export type Message =
	| { kind: 'request'; id: RequestId; method: string; params: unknown }
	| { kind: 'notification'; method: string; params: unknown }
	/** An answer to a request; the server sends none, so it is dropped. */
	| { kind: 'response' }
	| { kind: 'invalid'; id: RequestId | null; reason: string };

export type Reply =
	| { jsonrpc: '2.0'; id: RequestId; result: object }
	| { jsonrpc: '2.0'; id: RequestId | null; error: { code: number; message: string; data?: unknown } };

/** What a parsed value is. A value without an id and with a method is a notification, however odd the rest of it. */
export function classify(value: unknown): Message {
	if (!isObject(value))
		return { kind: 'invalid', id: null, reason: `expected one JSON-RPC object, found ${kind(value)}` };
	const { jsonrpc, id, method, params } = value;
	if (!('id' in value)) {
		if (typeof method === 'string') return { kind: 'notification', method, params };
		return { kind: 'invalid', id: null, reason: 'no method' };
	}
	if (!('method' in value) && ('result' in value || 'error' in value)) return { kind: 'response' };
	if (!isRequestId(id)) return { kind: 'invalid', id: null, reason: 'id must be a string or a safe integer' };
	if (jsonrpc !== '2.0') return { kind: 'invalid', id, reason: 'jsonrpc must be "2.0"' };
	if (typeof method !== 'string') return { kind: 'invalid', id, reason: 'method must be a string' };
	return { kind: 'request', id, method, params };
}

export function resultReply(id: RequestId, result: object): Reply {
	return { jsonrpc: '2.0', id, result };
}

export function errorReply(id: RequestId | null, error: RpcError): Reply {
	const { code, message, data } = error;
	return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** MCP allows no null and no fraction; past 2^53 a number would come back as another one. */
function isRequestId(value: unknown): value is RequestId {
	return typeof value === 'string' || Number.isSafeInteger(value);
}

function kind(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
