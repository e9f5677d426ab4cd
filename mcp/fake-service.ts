import { ErrorCode, RpcError } from './json-rpc.ts';
import type { Service } from './protocol.ts';

/** A service for tests: `echo` answers with its arguments, `refuse` with advice, `crash` throws, `wait` waits for `release`. */
export function fakeService() {
	const log: string[] = [];
	let release: () => void = () => undefined;
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	const service: Service = {
		info: { name: 'fake', version: '1.2.3' },
		instructions: 'Ask first.',
		async listTools() {
			return [{ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: {} } }];
		},
		async callTool(name, args) {
			if (name === 'echo') return { text: JSON.stringify(args), isError: false };
			if (name === 'refuse') return { text: 'query: expected text', isError: true };
			if (name === 'crash') throw new Error('/secret/path is broken');
			if (name === 'wait') {
				await released;
				return { text: 'waited', isError: false };
			}
			throw new RpcError(ErrorCode.invalidParams, `Unknown tool: ${name}`);
		},
		log: (text) => log.push(text),
	};
	return { service, log, release };
}

/** The `_meta` of a modern request. */
export const MODERN_META = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientCapabilities': {},
	'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
};
