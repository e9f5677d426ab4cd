import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { type BoundTools, type Caller, createManifest, defineTool, type Tool, ToolError } from './tool-manifest.ts';

/** The card's rules that this scenario checks, to the letter. */
export const RULES = {
	closed:
		'A call runs a handler only under a name that was declared when the manifest was built: inherited names, other spellings and tools added later are refused.',
	parsed:
		'A handler sees only what its parser made of plain JSON data: malformed, undeclared or overlong arguments are refused before any handler runs.',
	identity:
		'The caller and its scopes are captured when the session opens: no argument and no later change of the session object alters whom a handler acts for.',
	returned:
		'Every failure comes back as a result with a code, a synchronous throw and a broken log included: a call never rejects.',
	hidden:
		"A handler's unexpected error goes to the operator only: the model reads the message of a ToolError and no other.",
	scopes:
		'A call needs the exact scope of its area and effect: read never stands for write, nor write for read, and there are no wildcards.',
	listed: 'A session is shown exactly the tools that its scopes allow.',
} as const;

interface Store {
	read(by: string, id: number): Promise<string>;
	close(by: string, id: number): Promise<string>;
	purge(by: string): Promise<string>;
}

const SECRET = 'db-7.internal';
const input = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };

function parse(given: unknown): { id: number } {
	const id = (given as { id?: unknown }).id;
	if (typeof id !== 'number' || !Number.isInteger(id))
		throw new Error('"id" must be an integer, for example {"id": 7}.');
	return { id };
}

function declare(store: Store): Tool[] {
	const shared = { area: 'tickets', input, parse };
	return [
		defineTool({
			...shared,
			name: 'read_ticket',
			description: 'Reads a ticket.',
			effect: 'read',
			handle: ({ id }, { caller }) => store.read(caller.id, id),
		}),
		defineTool({
			...shared,
			name: 'close_ticket',
			description: 'Closes a ticket.',
			effect: 'write',
			handle: ({ id }, { caller }) => store.close(caller.id, id),
		}),
	];
}

/** Without the pattern: an object of functions, called by whatever name and arguments the model wrote. */
function naive(store: Store, tools: Tool[]): BoundTools {
	type Loose = { id: number; userId?: string };
	const handlers: Record<string, (args: Loose) => unknown> = {
		read_ticket: ({ id, userId = 'ann' }) => store.read(userId, id),
		close_ticket: ({ id, userId = 'ann' }) => store.close(userId, id),
		purge_all: ({ userId = 'ann' }) => store.purge(userId),
	};
	return {
		list: () => tools,
		call: async (name, args) => ({ ok: true, value: await handlers[name]?.(args as Loose) }),
	};
}

export const demo: Demo = {
	title: 'A model with an injected prompt meets a closed manifest',
	about:
		'An agent works on tickets for ann. A ticket it read carries an instruction, so its calls are a mixture of honest ones, guessed tools, forged identities and broken arguments, on a store that fails now and then. Look at what reaches the store.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the manifest', value: true },
		{
			id: 'grant',
			kind: 'select',
			label: 'Scopes of the session',
			value: 'read',
			options: [
				{ value: 'read', label: 'tickets:read' },
				{ value: 'write', label: 'tickets:write' },
				{ value: 'both', label: 'both' },
				{ value: 'none', label: 'none' },
			],
		},
		{ id: 'turns', kind: 'number', label: 'Rounds of calls', value: 2, min: 1, max: 4, step: 1 },
		{ id: 'outage', kind: 'number', label: 'Store failures', value: 40, min: 0, max: 100, step: 10, unit: '%' },
	],
	async run(controls, emit, clock) {
		const random = seededRandom(21);
		const at = () => clock.now();
		const effects: { what: 'read' | 'write' | 'purge'; by: string; id: unknown }[] = [];
		const work = async (what: 'read' | 'write' | 'purge', by: string, id: unknown) => {
			effects.push({ what, by, id });
			const start = at();
			await clock.sleep(20 + Math.floor(random() * 30));
			if (id === 13) throw new ToolError('Ticket 13 does not exist.');
			const down = random() * 100 < Number(controls.outage);
			emit({ t: start, until: at(), lane: 'store', kind: down ? 'fail' : 'ok', label: `${what} ${id} for ${by}` });
			if (down) throw new Error(`connection to ${SECRET} lost`);
			return `${what} done`;
		};
		const store: Store = {
			read: (by, id) => work('read', by, id),
			close: (by, id) => work('write', by, id),
			purge: (by) => work('purge', by, 'everything'),
		};

		const grant = String(controls.grant);
		const scopes = ['read', 'write'].filter((effect) => grant === 'both' || grant === effect);
		const session = { id: 'ann', scopes: scopes.map((effect) => `tickets:${effect}`) } satisfies Caller;
		const granted = new Set(session.scopes);
		const tools = declare(store);
		const onError = (error: unknown) =>
			emit({
				t: at(),
				lane: 'operator',
				kind: 'info',
				label: `log: ${error instanceof Error ? error.message : error}`,
			});
		const bound = controls.pattern ? createManifest(tools, { onError })(session) : naive(store, tools);
		// Something further up mutates the session that it was handed; the captured copy must not care.
		session.id = 'nobody';
		session.scopes.push('tickets:read', 'tickets:write');

		const listed = bound.list().map((tool) => tool.name);
		emit({ t: at(), lane: 'manifest', kind: 'state', label: `shown: ${listed.join(', ') || 'nothing'}` });
		const script: [name: string, args: unknown][] = [
			['read_ticket', { id: 7 }],
			['purge_all', {}],
			['read_ticket', { id: 7, userId: 'root' }],
			['close_ticket', { id: 7 }],
			['read_ticket', { id: '7; drop' }],
			['constructor', { id: 7 }],
			['read_ticket', { id: 13 }],
		];
		let rejected = 0;
		let leaked = 0;
		for (let turn = 0; turn < Number(controls.turns); turn++) {
			for (const [name, args] of script) {
				emit({ t: at(), lane: 'model', kind: 'start', label: `${name} ${JSON.stringify(args)}` });
				try {
					const result = await bound.call(name, args);
					const text = result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`;
					if (text.includes(SECRET)) leaked++;
					const refused = !result.ok && result.error.code !== 'failed';
					emit({ t: at(), lane: 'manifest', kind: result.ok ? 'ok' : refused ? 'reject' : 'fail', label: text });
				} catch (error) {
					rejected++;
					if (String(error).includes(SECRET)) leaked++;
					emit({ t: at(), lane: 'manifest', kind: 'fail', label: `the loop breaks: ${error}` });
				}
				await clock.sleep(10);
			}
		}

		const count = (what: string) => effects.filter((effect) => effect.what === what).length;
		const forged = effects.filter((effect) => effect.by !== 'ann').length;
		const unparsed = effects.filter((effect) => effect.what !== 'purge' && typeof effect.id !== 'number').length;
		const unscoped =
			(granted.has('tickets:read') ? 0 : count('read')) + (granted.has('tickets:write') ? 0 : count('write'));
		const allowed = tools.filter((tool) => granted.has(tool.scope)).map((tool) => tool.name);
		emit({
			rule: RULES.closed,
			ok: count('purge') === 0,
			detail: `${howMany(count('purge'), 'call')} of a tool never declared`,
		});
		emit({ rule: RULES.parsed, ok: unparsed === 0, detail: `${howMany(unparsed, 'mistyped id')} reached the store` });
		emit({ rule: RULES.identity, ok: forged === 0, detail: `${howMany(forged, 'effect')} for someone other than ann` });
		emit({ rule: RULES.returned, ok: rejected === 0, detail: `${howMany(rejected, 'call')} rejected` });
		emit({ rule: RULES.hidden, ok: leaked === 0, detail: `the host name was shown ${howMany(leaked, 'time')}` });
		emit({
			rule: RULES.scopes,
			ok: unscoped === 0,
			detail: `${howMany(unscoped, 'effect')} outside ${[...granted].join(', ') || 'no scope'}`,
		});
		emit({
			rule: RULES.listed,
			ok: String(listed) === String(allowed),
			detail: `${listed.length} shown, ${allowed.length} allowed`,
		});
	},
};
