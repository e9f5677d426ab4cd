import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { viewFrame } from './frame-view.ts';
import { ownServer, recordSession } from './session-recorder.ts';
import { sessionScript } from './session-script.ts';

const card = {
	id: 'retry-backoff',
	title: 'Retry with backoff',
	asks: ['call a flaky API safely'],
	capabilities: ['bounded retries'],
	docs: [{ path: 'library/retry-backoff/README.md#how-to-port-it' }],
};
const repository = join(import.meta.dirname, '../../..');
const script = sessionScript(card);

describe('sessionScript', () => {
	it('has both eras over one connection, with an id of its own for each request', () => {
		const ids = script.flatMap(({ message }) => message.id ?? []);
		expect(new Set(ids).size).toBe(ids.length);
		expect(new Set(script.map(({ era }) => era))).toEqual(new Set(['handshake', 'stateless']));
		expect(script.map(({ message }) => message.method)).toEqual(
			expect.arrayContaining(['initialize', 'server/discover']),
		);
	});
});

describe('recordSession', () => {
	const server = ownServer(repository, join(import.meta.dirname, 'session.fixture.json'));

	it('records the frames of the real server, the same every time', async () => {
		const steps = await recordSession(script, server);
		expect(steps.map(({ title }) => title)).toEqual(script.map(({ title }) => title));
		const replies = steps.map(({ received }) => (received === undefined ? undefined : JSON.parse(received)));
		expect(replies.map((reply) => reply?.id)).toEqual(script.map(({ message }) => message.id));
		expect(replies[0]).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
		expect(replies[7]).toMatchObject({ result: { resultType: 'complete', supportedVersions: ['2026-07-28'] } });
		expect(replies.at(-1)).toMatchObject({ error: { code: -32022 } });
		expect(steps.map(({ sent }) => JSON.parse(sent))).toEqual(script.map(({ message }) => message));
		expect(await recordSession(script, server)).toEqual(steps);
	});

	const broken = (code: string) => ({ command: process.execPath, args: ['-e', code], cwd: repository });

	it('says what the server wrote when it does not start', async () => {
		const failing = recordSession(script, broken('console.error("no such option"); process.exit(3)'));
		await expect(failing).rejects.toThrow(
			/cannot be recorded: no reply to initialize, it ended with code 3[\s\S]*no such option/,
		);
	});

	it('says so when there is no such program', async () => {
		const failing = recordSession(script, { command: '/no/such/program', args: [], cwd: repository });
		await expect(failing).rejects.toThrow(/does not start: .*ENOENT/);
	});

	it('does not wait forever for a server that is silent', async () => {
		const failing = recordSession(script, broken('setTimeout(() => {}, 60000)'), 300);
		await expect(failing).rejects.toThrow(/nothing came for 300 ms/);
	});
});

describe('viewFrame', () => {
	it('shows the whole frame as lines, coloured and escaped', () => {
		const { json, lines, bytes } = viewFrame('{"id":1,"a":"<b>","ok":true,"n":null}');
		expect(json.replace(/<\/?span[^>]*>/g, '').replaceAll('&quot;', '"')).toBe(
			'{\n  "id": 1,\n  "a": "&lt;b&gt;",\n  "ok": true,\n  "n": null\n}',
		);
		expect(json).toContain('<span class="t-f">&quot;id&quot;</span>: <span class="t-n">1</span>');
		expect(lines).toBe(6);
		expect(bytes).toBe(38);
	});

	it('takes the text of a result out of its string', () => {
		const view = viewFrame('{"id":1,"result":{"content":[{"type":"text","text":"a\\nb"}],"isError":false}}');
		expect(view).toMatchObject({ text: 'a\nb', gist: 'text, 3 characters' });
	});

	it.each([
		['{"method":"ping","id":1}', 'ping'],
		['{"method":"tools/call","params":{"name":"get_pattern"}}', 'tools/call get_pattern'],
		['{"id":1,"result":{}}', 'an empty result'],
		['{"id":1,"result":{"tools":[1,2]}}', '2 tools'],
		['{"id":1,"error":{"code":-32022,"message":"no"}}', 'error -32022: no'],
	])('says in a line what %s is', (frame, gist) => {
		expect(viewFrame(frame).gist).toBe(gist);
	});
});
