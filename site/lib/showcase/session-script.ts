import type { PatternRecord } from '../catalog.ts';

/** One message of the recorded session, and why it is sent. */
export interface ScriptStep {
	era: 'handshake' | 'stateless';
	title: string;
	about: string;
	message: { jsonrpc: '2.0'; id?: number; method: string; params?: Record<string, unknown> };
}

/** The revision that the stateless half speaks, and the newest one with a handshake. */
export const STATELESS = '2026-07-28';
export const HANDSHAKE = '2025-11-25';

const meta = (version: string) => ({
	'io.modelcontextprotocol/protocolVersion': version,
	'io.modelcontextprotocol/clientCapabilities': {},
	'io.modelcontextprotocol/clientInfo': { name: 'recorder', version: '1.0.0' },
});

/**
 * What a client sends in the recording: first as one with a handshake, then as one that says its revision in every
 * message, over the same connection. The questions are about `card`, so that any registry gives a session of its own.
 */
export function sessionScript(
	card: Pick<PatternRecord, 'id' | 'asks' | 'title' | 'capabilities' | 'docs'>,
): ScriptStep[] {
	const query = card.asks[0] ?? card.title;
	const document = card.docs.find(({ path }) => /\.md(?:#|$)/.test(path))?.path.replace(/#.*$/, '') ?? 'README.md';
	const capability = card.capabilities[0] ?? card.title;
	let id = 0;
	const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
	const handshake = (title: string, about: string, method: string, params?: Record<string, unknown>): ScriptStep => ({
		era: 'handshake',
		title,
		about,
		message: { jsonrpc: '2.0', id: ++id, method, ...(params ? { params } : {}) },
	});
	const stateless = (
		title: string,
		about: string,
		method: string,
		params: Record<string, unknown> = {},
		version = STATELESS,
	): ScriptStep => ({
		era: 'stateless',
		title,
		about,
		message: { jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: meta(version) } },
	});
	return [
		handshake(
			'initialize',
			'The client names the revision that it speaks, and the server agrees to it.',
			'initialize',
			{
				protocolVersion: HANDSHAKE,
				capabilities: {},
				clientInfo: { name: 'recorder', version: '1.0.0' },
			},
		),
		{
			era: 'handshake',
			title: 'notifications/initialized',
			about: 'A notification has no id, so nothing comes back.',
			message: { jsonrpc: '2.0', method: 'notifications/initialized' },
		},
		handshake('tools/list', 'The six tools, the same bytes every time.', 'tools/list'),
		handshake(
			'search_patterns',
			'A problem in somebody’s own words. Each hit comes with its grade and with what it matched.',
			'tools/call',
			call('search_patterns', { query, limit: 3 }),
		),
		handshake(
			'get_pattern',
			'Only what the next decision needs: what must hold, and how to check it. The rest is named and counted.',
			'tools/call',
			call('get_pattern', { id: card.id, sections: ['invariants'] }),
		),
		handshake(
			'search_patterns, not covered',
			'The library has nothing on this, and says so instead of naming its nearest card.',
			'tools/call',
			call('search_patterns', { query: 'protein structure prediction' }),
		),
		handshake('ping', 'Is anybody there?', 'ping'),
		stateless(
			'server/discover',
			'The same process, the other era: there is no handshake, every message says which revision it speaks.',
			'server/discover',
		),
		stateless('tools/list', 'The same tools, with how long the list may be kept.', 'tools/list'),
		stateless(
			'trace_capability',
			'From a capability to its documents, code, tests and proof.',
			'tools/call',
			call('trace_capability', { capability }),
		),
		stateless(
			'get_file_excerpt',
			'Numbered lines of a file that the card cites.',
			'tools/call',
			call('get_file_excerpt', { path: document, line_count: 12 }),
		),
		stateless(
			'get_file_excerpt, outside',
			'Outside the repository: refused, and not a word about what is there.',
			'tools/call',
			call('get_file_excerpt', { path: '../../etc/passwd' }),
		),
		stateless(
			'validate_snippet',
			'The library’s conventions, held against a piece of code.',
			'tools/call',
			call('validate_snippet', { snippet: 'const answer = reply as any;', language: 'ts' }),
		),
		stateless(
			'A revision that nobody speaks',
			'The error names the revisions that are spoken.',
			'tools/list',
			{},
			'2099-01-01',
		),
	];
}
