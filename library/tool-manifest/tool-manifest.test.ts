import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './tool-manifest.demo.ts';
import {
	type Caller,
	createManifest,
	defineTool,
	type ManifestOptions,
	type ToolContext,
	ToolError,
	type ToolResult,
} from './tool-manifest.ts';

const ann: Caller = { id: 'ann', scopes: ['tickets:read', 'tickets:write'] };

/** Two ordinary tools and a record of what their handlers were given. */
function desk(options: ManifestOptions = {}, handle?: (args: unknown, context: ToolContext) => unknown) {
	const ran: { tool: string; args: unknown; caller: string }[] = [];
	const id = z.strictObject({ id: z.number().int() });
	const read = defineTool({
		name: 'read_ticket',
		description: 'Reads a ticket.',
		area: 'tickets',
		effect: 'read',
		input: z.toJSONSchema(id),
		parse: (input) => id.parse(input),
		handle: (args, context) => {
			ran.push({ tool: 'read_ticket', args, caller: context.caller.id });
			return handle ? handle(args, context) : `ticket ${args.id}`;
		},
	});
	const close = defineTool({
		name: 'close_ticket',
		description: 'Closes a ticket.',
		area: 'tickets',
		effect: 'write',
		input: z.toJSONSchema(id),
		parse: (input) => id.parse(input),
		handle: (args, context) => {
			ran.push({ tool: 'close_ticket', args, caller: context.caller.id });
			return handle ? handle(args, context) : 'closed';
		},
	});
	const tools = [read, close];
	return { tools, ran, open: createManifest(tools, options) };
}

const code = (result: ToolResult) => (result.ok ? 'ok' : result.error.code);
const message = (result: ToolResult) => (result.ok ? '' : result.error.message);

describe('tool-manifest', () => {
	it('runs a declared tool with parsed arguments, given as a value or as JSON text', async () => {
		const { open, ran } = desk();
		expect(await open(ann).call('read_ticket', { id: 7 })).toEqual({ ok: true, value: 'ticket 7' });
		expect(await open(ann).call('read_ticket', '{"id":8}')).toEqual({ ok: true, value: 'ticket 8' });
		expect(ran.map((call) => call.args)).toEqual([{ id: 7 }, { id: 8 }]);
	});

	it('refuses every name that is not declared, inherited names and other spellings too', async () => {
		const { open, ran } = desk();
		const others = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'READ_TICKET', ' read_ticket', 'get', ''];
		for (const name of others) expect(code(await open(ann).call(name, { id: 1 }))).toBe('unknown_tool');
		await fc.assert(
			fc.asyncProperty(fc.string(), async (name) => {
				fc.pre(name !== 'read_ticket' && name !== 'close_ticket');
				expect(code(await open(ann).call(name, { id: 1 }))).toBe('unknown_tool');
			}),
			{ seed: 1, numRuns: 60 },
		);
		expect(ran).toEqual([]);
	});

	it('does not learn a tool, nor a changed one, after it was built', async () => {
		const { open, tools, ran } = desk();
		const [read] = tools;
		if (!read) throw new Error('no tool');
		tools.push({ ...read, name: 'late_tool' });
		Object.assign(read, { scope: 'public:read', prepare: () => () => 'swapped' });
		expect(code(await open(ann).call('late_tool', { id: 1 }))).toBe('unknown_tool');
		expect(await open(ann).call('read_ticket', { id: 1 })).toEqual({ ok: true, value: 'ticket 1' });
		expect(ran).toHaveLength(1);
	});

	it('stops the build on a bad name, a duplicate, a wrong scope or an input without properties', () => {
		const { tools } = desk();
		const [read] = tools;
		if (!read) throw new Error('no tool');
		expect(() => createManifest([{ ...read, name: 'read ticket' }])).toThrow(/a name is a letter/);
		expect(() => createManifest([read, read])).toThrow(/declared twice/);
		expect(() => createManifest([{ ...read, scope: '*:write' }])).toThrow(/is not <area>:read/);
		expect(() => createManifest([{ ...read, input: { type: 'object' } }])).toThrow(/"properties"/);
	});

	it('runs no handler on arguments that are malformed, mistyped, undeclared or too long', async () => {
		const { open, ran } = desk({ maxArgumentLength: 40 });
		const session = open(ann);
		const bad: unknown[] = [{ id: '7' }, {}, undefined, '', '{"id":7', '[7]', [7], 'null', 7, { id: 1.5 }];
		bad.push({ id: 7, force: true }, '{"id":7,"__proto__":{"admin":true}}', { id: 7n }, `{"id":7${' '.repeat(40)}}`);
		for (const args of bad) expect(code(await session.call('close_ticket', args))).toBe('invalid_arguments');
		expect(ran).toEqual([]);
		expect(message(await session.call('close_ticket', { id: 7, force: true }))).toBe(
			'Unknown argument "force". Accepted: id.',
		);
	});

	it('refuses an undeclared argument, or a list, even when the parser would let it pass', async () => {
		const seen: unknown[] = [];
		const lax = defineTool({
			name: 'lax',
			description: '',
			area: 'tickets',
			effect: 'read',
			input: { type: 'object', properties: {} },
			parse: (input) => input,
			handle: (args) => seen.push(args),
		});
		const session = createManifest([lax])(ann);
		expect(code(await session.call('lax', { admin: true }))).toBe('invalid_arguments');
		expect(code(await session.call('lax', []))).toBe('invalid_arguments');
		expect(code(await session.call('lax', undefined))).toBe('ok');
		expect(seen).toEqual([{}]);
	});

	it('hands the handler what the parser returned, cut off from the object that was passed', async () => {
		const seen: { tags: string[] }[] = [];
		const tag = defineTool({
			name: 'tag',
			description: '',
			area: 'tickets',
			effect: 'write',
			input: { type: 'object', properties: { tags: {} } },
			parse: (input) => input as { tags: string[] },
			handle: async (args) => {
				await Promise.resolve();
				seen.push(args);
			},
		});
		const passed = { tags: ['a'] };
		const pending = createManifest([tag])(ann).call('tag', passed);
		passed.tags.push('added after the check');
		await pending;
		expect(seen).toEqual([{ tags: ['a'] }]);
	});

	it('acts for the captured caller, whatever the session object becomes', async () => {
		const { open, ran } = desk();
		const session = { id: 'bob', scopes: ['tickets:read'] };
		const tools = open(session);
		session.id = 'root';
		session.scopes.push('tickets:write');
		expect(code(await tools.call('read_ticket', { id: 1 }))).toBe('ok');
		expect(code(await tools.call('close_ticket', { id: 1 }))).toBe('forbidden');
		expect(ran).toEqual([{ tool: 'read_ticket', args: { id: 1 }, caller: 'bob' }]);
	});

	it('keeps a handler from changing the caller of the session', async () => {
		const { open } = desk({}, (_, { caller }) => (caller.scopes as string[]).push('admin:write'));
		const tools = open({ id: 'bob', scopes: ['tickets:read'] });
		expect(code(await tools.call('read_ticket', { id: 1 }))).toBe('failed');
		expect(tools.list().map((tool) => tool.name)).toEqual(['read_ticket']);
	});

	it('keeps the caller out of reach of arguments that are named like it', async () => {
		let seen: ToolContext | undefined;
		const echo = defineTool({
			name: 'echo',
			description: '',
			area: 'tickets',
			effect: 'read',
			input: { type: 'object', properties: { caller: {}, signal: {} } },
			parse: (input) => input as object,
			handle: (_, context) => {
				seen = context;
			},
		});
		const tools = createManifest([echo], { identityArguments: [] })(ann);
		await tools.call('echo', { caller: { id: 'root', scopes: ['*'] }, signal: null });
		expect(seen?.caller).toEqual(ann);
		expect(seen?.signal).toBeInstanceOf(AbortSignal);
	});

	it('refuses to build with a tool that declares an identity argument, however it is spelled', () => {
		const { tools } = desk();
		const [read] = tools;
		if (!read) throw new Error('no tool');
		for (const argument of ['userId', 'user_id', 'USER-ID', 'tenant', 'on_behalf_of']) {
			const input = { type: 'object', properties: { id: {}, [argument]: {} } };
			expect(() => createManifest([{ ...read, input }])).toThrow(`"${argument}" is the caller's identity`);
		}
		expect(() => createManifest([{ ...read, input: { properties: { assignee: {} } } }])).not.toThrow();
	});

	it('returns every failure of a handler as data', async () => {
		const failures: (() => unknown)[] = [
			() => {
				throw new Error('thrown at once');
			},
			() => Promise.reject(new Error('rejected')),
			() => Promise.reject(undefined),
			() => {
				throw 'a string';
			},
		];
		const brokenLog = () => {
			throw new Error('log is full');
		};
		for (const failure of failures)
			for (const options of [{}, { onError: brokenLog }]) {
				const { open } = desk(options, failure);
				expect(code(await open(ann).call('read_ticket', { id: 1 }))).toBe('failed');
			}
	});

	it('shows the model a ToolError but sends any other error only to the operator', async () => {
		const logged: unknown[] = [];
		const onError = (error: unknown, call: object) => logged.push(error, call);
		const secret = new Error('connect postgres://app:hunter2@10.0.0.5');
		const hidden = desk({ onError }, () => Promise.reject(secret));
		const result = await hidden.open(ann).call('read_ticket', { id: 1 });
		expect(JSON.stringify(result)).not.toMatch(/hunter2|postgres/);
		expect(logged).toEqual([secret, { tool: 'read_ticket', callerId: 'ann' }]);

		const shown = desk({ onError }, () => Promise.reject(new ToolError('Ticket 1 is closed. Reopen it first.')));
		expect(message(await shown.open(ann).call('read_ticket', { id: 1 }))).toBe('Ticket 1 is closed. Reopen it first.');
		expect(logged).toHaveLength(2);
	});

	it('needs the exact scope, and neither effect stands for the other', async () => {
		const { open, ran } = desk();
		const attempt = async (scopes: string[], name: string) =>
			code(await open({ id: 'bob', scopes }).call(name, { id: 1 }));
		expect(await attempt(['tickets:read'], 'close_ticket')).toBe('forbidden');
		expect(await attempt(['tickets:write'], 'read_ticket')).toBe('forbidden');
		for (const scope of ['*', 'tickets', 'tickets:*', 'tickets:', 'ticket:read', 'tickets:read:all', 'Tickets:read'])
			expect(await attempt([scope], 'read_ticket')).toBe('forbidden');
		expect(await attempt([], 'read_ticket')).toBe('forbidden');
		expect(ran).toEqual([]);
		expect(await attempt(['tickets:read'], 'read_ticket')).toBe('ok');
		expect(await attempt(['tickets:write'], 'close_ticket')).toBe('ok');
	});

	it('derives a scope from the effect, so that a write is never filed as a read', () => {
		expect(desk().tools.map((tool) => tool.scope)).toEqual(['tickets:read', 'tickets:write']);
	});

	it('lists exactly the tools that the caller may call', async () => {
		const { open } = desk();
		const names = (scopes: string[]) =>
			open({ id: 'bob', scopes })
				.list()
				.map((tool) => tool.name);
		expect(names([])).toEqual([]);
		expect(names(['tickets:read'])).toEqual(['read_ticket']);
		expect(names(['tickets:write'])).toEqual(['close_ticket']);
		expect(Object.keys(open(ann).list()[0] ?? {})).toEqual(['name', 'description', 'input']);
	});

	it('answers an aborted call at once though the handler ignores the signal, and tells of the doubt', async () => {
		const clock = new VirtualClock();
		let late: (error: Error) => void = () => undefined;
		const { open } = desk({}, () => new Promise((_, reject) => (late = reject)));
		const abort = new AbortController();
		clock.after(50, () => abort.abort());
		const [written, read] = await clock.run(
			Promise.all([
				open(ann).call('close_ticket', { id: 1 }, abort.signal),
				open(ann).call('read_ticket', { id: 1 }, abort.signal),
			]),
		);
		expect([code(written), code(read)]).toEqual(['aborted', 'aborted']);
		expect(message(written)).toMatch(/may have taken effect/);
		expect(message(read)).not.toMatch(/may have taken effect/);
		// The failure that comes later must not surface as an unhandled rejection.
		late(new Error('too late'));
		await Promise.resolve();
	});

	it('hands the signal to the handler and calls an abort an abort, not a failure', async () => {
		const clock = new VirtualClock();
		const logged: unknown[] = [];
		const { open } = desk({ onError: (error) => logged.push(error) }, (_, { signal }) => clock.sleep(100, signal));
		const abort = new AbortController();
		clock.after(10, () => abort.abort(new Error('user left')));
		expect(code(await clock.run(open(ann).call('read_ticket', { id: 1 }, abort.signal)))).toBe('aborted');
		expect(logged).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	it('refuses a length limit that would limit nothing', () => {
		for (const maxArgumentLength of [Number.NaN, 0, -1])
			expect(() => desk({ maxArgumentLength })).toThrow(`maxArgumentLength is ${maxArgumentLength}`);
	});

	it('runs nothing for a signal that was aborted before, and leaves no listener behind after a call', async () => {
		const { open, ran } = desk();
		expect(code(await open(ann).call('read_ticket', { id: 1 }, AbortSignal.abort()))).toBe('aborted');
		expect(ran).toEqual([]);
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		await open(ann).call('read_ticket', { id: 1 }, signal);
		await Promise.resolve();
		expect(added).toHaveBeenCalledTimes(1);
		expect(removed.mock.calls[0]?.slice(0, 2)).toEqual(added.mock.calls[0]?.slice(0, 2));
	});
});

describe('tool-manifest scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			grant: ['read', 'write', 'both', 'none'],
			turns: [1, 4],
			outage: [0, 50, 100],
		});
	});

	it('shows the failures without it', async () => {
		expect((await playScenario(demo, { pattern: false })).broken.length).toBeGreaterThanOrEqual(4);
	});
});
