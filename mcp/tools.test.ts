import { describe, expect, it } from 'vitest';
import { createLibrary, type Library } from '../registry/library.ts';
import { readRegistry } from '../registry/read.ts';
import { bindTools, type QueryLayer } from './tools.ts';

const library = createLibrary(readRegistry({ patterns: [] }));
const ports = { readFile: () => ({ ok: false as const, reason: 'no' }), checkSnippet: () => 'clean' };
const query: QueryLayer = {
	TOOLS: [{ name: 'ask', description: 'Asks.', inputSchema: { type: 'object', properties: {} } }],
	callTool: (given, _ports, name, args) => ({
		text: `${given === library} ${name} ${JSON.stringify(args)}`,
		isError: false,
	}),
};
const describeFailure = (error: unknown) => (error instanceof RangeError ? error.message : undefined);

/** Tools over a loader that does what `steps` say, one a call. */
function bind(...steps: (Library | Error)[]) {
	let loads = 0;
	const tools = bindTools(
		query,
		ports,
		() => {
			const step = steps[loads++];
			if (step === undefined || step instanceof Error) throw step;
			return step;
		},
		describeFailure,
	);
	return { tools, loads: () => loads };
}

describe('bound tools', () => {
	it('load the library at the first call and keep it', () => {
		const { tools, loads } = bind(library);
		expect(tools.definitions).toBe(query.TOOLS);
		expect(loads()).toBe(0);
		expect(tools.call('ask', { a: 1 })).toEqual({ text: 'true ask {"a":1}', isError: false });
		tools.call('ask', {});
		expect(loads()).toBe(1);
	});

	it('say why the library cannot be loaded, and try again at the next call', () => {
		const { tools } = bind(new RangeError('build it first'), library);
		expect(tools.call('ask', {})).toEqual({ text: 'build it first', isError: true });
		expect(tools.call('ask', {})).toMatchObject({ isError: false });
	});

	it('let through a failure that nobody can mend from outside', () => {
		expect(() => bind(new Error('broken')).tools.call('ask', {})).toThrow('broken');
	});

	it.each(['nope', 'toString', '__proto__', ''])('refuse %j, which is no tool, and name those that are', (name) => {
		const { tools, loads } = bind(library);
		expect(() => tools.call(name, {})).toThrow(
			expect.objectContaining({ code: -32602, message: expect.stringContaining('ask') }),
		);
		expect(loads()).toBe(0);
	});
});
