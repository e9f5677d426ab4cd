import { ErrorCode, isObject, RpcError } from './json-rpc.ts';

/**
 * The two eras of the protocol. A modern request (2026-07-28) says in its own `_meta` which revision it speaks, and the
 * server keeps nothing between requests; a legacy client opens with the `initialize` handshake.
 */

/** Revisions of the modern era, as `server/discover` and the error for other versions name them. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** Revisions of the handshake era, newest first. */
export const LEGACY_VERSIONS: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The only revision in which several messages may come as one JSON array. */
export const BATCH_VERSION = '2025-03-26';

export const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const META_CLIENT = 'io.modelcontextprotocol/clientInfo';
export const META_SERVER = 'io.modelcontextprotocol/serverInfo';

/** The version that answers `initialize`: the asked one if it is spoken, otherwise the newest of the handshake era. */
export function negotiate(asked: unknown): string {
	return LEGACY_VERSIONS.find((version) => version === asked) ?? LEGACY_VERSIONS[0];
}

/**
 * Whether a request is of the modern era: its `_meta` has one of the keys that only modern requests have, or its method
 * exists only there. Any of the keys counts, so that a modern client that forgot one is told which. `initialize` is
 * always legacy.
 */
export function isModern(method: string, params: unknown): boolean {
	if (method === 'initialize') return false;
	if (method === 'server/discover') return true;
	const meta = metaOf(params);
	return meta !== undefined && [META_VERSION, META_CAPABILITIES, META_CLIENT].some((key) => Object.hasOwn(meta, key));
}

/**
 * Refuses a modern request whose `_meta` is not as the revision demands. The version is judged first, since another
 * revision may demand another shape.
 * @throws RpcError -32602 for a missing or mistyped key, -32022 for a revision that is not spoken
 */
export function checkModernMeta(params: unknown): void {
	const meta = metaOf(params) ?? {};
	const requested = meta[META_VERSION];
	if (typeof requested !== 'string') throw badMeta(META_VERSION, 'a string', `"${MODERN_VERSIONS[0]}"`);
	if (!MODERN_VERSIONS.includes(requested)) {
		throw new RpcError(ErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', {
			supported: MODERN_VERSIONS,
			requested,
		});
	}
	if (!isObject(meta[META_CAPABILITIES])) throw badMeta(META_CAPABILITIES, 'an object', '{}');
	if (Object.hasOwn(meta, META_CLIENT) && !isObject(meta[META_CLIENT])) {
		throw badMeta(META_CLIENT, 'an object', '{"name": "my-client", "version": "1.0.0"}');
	}
}

function badMeta(key: string, expected: string, example: string): RpcError {
	return new RpcError(
		ErrorCode.invalidParams,
		`Invalid params: _meta["${key}"] must be ${expected}, for example ${example}`,
	);
}

function metaOf(params: unknown): Record<string, unknown> | undefined {
	const meta = isObject(params) ? params._meta : undefined;
	return isObject(meta) ? meta : undefined;
}
