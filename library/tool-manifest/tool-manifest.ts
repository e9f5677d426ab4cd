/**
 * A closed list of the tools that a model may call. The manifest stands between text that a model wrote and code that
 * acts: it decides by name, scope and parsed arguments, and answers every failure as data that the model can read.
 *
 * Why so strict: OWASP Top 10 for LLM Applications 2025, LLM06 "Excessive Agency"; the split between a failed tool and a
 * failed protocol follows the Model Context Protocol, "Tools: error handling" (`isError` in the result).
 */

/** What a tool does to the world. Scopes are spelled `<area>:<effect>`. */
export type Effect = 'read' | 'write';

/** Whom a session acts for. Comes from authentication, never from the conversation. */
export interface Caller {
	readonly id: string;
	/** Exact scopes such as `tickets:read`. There are no wildcards, and no scope contains another. */
	readonly scopes: readonly string[];
}

export interface ToolContext {
	readonly caller: Caller;
	readonly signal: AbortSignal;
}

export type ToolErrorCode = 'unknown_tool' | 'forbidden' | 'invalid_arguments' | 'failed' | 'aborted';

/** The only two ways in which a call ends. `message` is written for the model: what was wrong and what to do. */
export type ToolResult =
	| { readonly ok: true; readonly value: unknown }
	| { readonly ok: false; readonly error: { readonly code: ToolErrorCode; readonly message: string } };

/** Thrown by a handler when the model should read the message ("ticket 7 is closed"). Any other error is hidden. */
export class ToolError extends Error {
	override readonly name = 'ToolError';
}

/** What the model is told of a tool. */
export interface ToolListing {
	readonly name: string;
	readonly description: string;
	/** JSON Schema of an object; only its `properties` can be passed. */
	readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolDefinition<Args> extends ToolListing {
	/** The kind of thing the tool touches: `tickets`. With `effect` it gives the scope. */
	readonly area: string;
	readonly effect: Effect;
	/** Turns untrusted JSON data into arguments or throws (a zod schema's `parse` fits). */
	readonly parse: (input: unknown) => Args;
	readonly handle: (args: Args, context: ToolContext) => unknown;
}

/** A declared tool with its argument type closed over, so that tools of all types fit one list. */
export interface Tool extends ToolListing {
	readonly effect: Effect;
	readonly scope: string;
	/** Parses at once; the function that it returns runs the handler. */
	readonly prepare: (input: unknown) => (context: ToolContext) => unknown;
}

/** Declares a tool. The scope is derived, so a write cannot be filed under a read scope. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
	const { name, description, input, area, effect, parse, handle } = definition;
	return {
		name,
		description,
		input,
		effect,
		scope: `${area}:${effect}`,
		prepare: (raw) => {
			const args = parse(raw);
			return (context) => handle(args, context);
		},
	};
}

export interface ManifestOptions {
	/** Argument names that would let a model say who it is, in any case, `_` or `-` aside. Declaring one is refused. */
	readonly identityArguments?: readonly string[];
	/** Longest JSON text of one call's arguments, in UTF-16 units. */
	readonly maxArgumentLength?: number;
	/** Receives the errors that the model is not shown. */
	readonly onError?: (error: unknown, call: { tool: string; callerId: string }) => void;
}

/** The tools of one session: the caller is captured, so `call` has no parameter for it. */
export interface BoundTools {
	list(): ToolListing[];
	/** `args` as the model sent them: JSON text or a value. Never rejects. */
	call(name: string, args: unknown, signal?: AbortSignal): Promise<ToolResult>;
}

const IDENTITY = ['caller', 'callerId', 'user', 'userId', 'tenant', 'tenantId', 'principal', 'onBehalfOf'];
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const SCOPE = /^[a-z][a-z0-9-]*:(read|write)$/;

/**
 * Builds the manifest and returns the function that opens a session for a caller.
 * @throws Error when a declaration or an option is wrong: a mistake here must stop the process from starting, not wait
 *   for a call
 */
export function createManifest(tools: readonly Tool[], options: ManifestOptions = {}): (caller: Caller) => BoundTools {
	const identity = new Set((options.identityArguments ?? IDENTITY).map(folded));
	const { maxArgumentLength = 100_000 } = options;
	if (!(maxArgumentLength >= 2)) throw new RangeError(`maxArgumentLength is ${maxArgumentLength}; expected 2 or more`);
	const declared = new Map<string, { tool: Tool; accepted: ReadonlySet<string> }>();
	for (const tool of tools) {
		const { name, scope, input } = tool;
		if (!NAME.test(name)) throw new Error(`tool "${name}": a name is a letter, then up to 63 of A-Z a-z 0-9 _ -`);
		if (!SCOPE.test(scope)) throw new Error(`tool "${name}": scope "${scope}" is not <area>:read or <area>:write`);
		if (declared.has(name)) throw new Error(`tool "${name}" is declared twice`);
		const properties = input.properties;
		if (typeof properties !== 'object' || properties === null)
			throw new Error(`tool "${name}": input must be the schema of an object with "properties", {} for none`);
		const accepted = new Set(Object.keys(properties));
		const forged = [...accepted].find((argument) => identity.has(folded(argument)));
		if (forged) throw new Error(`tool "${name}": "${forged}" is the caller's identity; read it from the context`);
		declared.set(name, { tool: { ...tool }, accepted });
	}

	return (session) => {
		const caller: Caller = Object.freeze({ id: session.id, scopes: Object.freeze([...session.scopes]) });
		const allowed = (tool: Tool) => caller.scopes.includes(tool.scope);

		const call = async (name: string, args: unknown, signal: AbortSignal): Promise<ToolResult> => {
			const entry = declared.get(name);
			if (!entry) return refused('unknown_tool', 'There is no tool of this name. Call one that was listed.');
			const { tool, accepted } = entry;
			if (!allowed(tool)) return refused('forbidden', `This session lacks the scope ${tool.scope}.`);
			let run: (context: ToolContext) => unknown;
			try {
				run = tool.prepare(plainObject(args, accepted, maxArgumentLength));
			} catch (error) {
				return refused('invalid_arguments', error instanceof Error ? error.message : 'The arguments are not valid.');
			}
			if (signal.aborted) return refused('aborted', 'The call was cancelled before it began.');
			try {
				return { ok: true, value: await untilAborted(() => run({ caller, signal }), signal) };
			} catch (error) {
				if (error === CANCELLED) {
					const doubt = tool.effect === 'write' ? ' It may have taken effect: read before you repeat it.' : '';
					return refused('aborted', `The call was cancelled.${doubt}`);
				}
				if (error instanceof ToolError) return refused('failed', error.message);
				try {
					options.onError?.(error, { tool: name, callerId: caller.id });
				} catch {
					// A broken log must not become the model's problem.
				}
				return refused('failed', 'The tool failed. The error was reported to the operator.');
			}
		};

		return {
			list: () =>
				[...declared.values()]
					.filter(({ tool }) => allowed(tool))
					.map(({ tool: { name, description, input } }) => ({ name, description, input })),
			call: (name, args, signal = new AbortController().signal) => call(name, args, signal),
		};
	};
}

function folded(argument: string): string {
	return argument.replace(/[_-]/g, '').toLowerCase();
}

function refused(code: ToolErrorCode, message: string): ToolResult {
	return { ok: false, error: { code, message } };
}

/** Reduces what the model sent to plain JSON data, so that no getter, prototype or shared reference gets past here. */
function plainObject(args: unknown, accepted: ReadonlySet<string>, maxLength: number): object {
	// Some model APIs send an empty string, or nothing, for a call without arguments.
	const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
	if (text !== undefined && text.length > maxLength)
		throw new Error(`Arguments are longer than ${maxLength} characters.`);
	const value: unknown = JSON.parse(text?.trim() || '{}');
	if (typeof value !== 'object' || value === null || Array.isArray(value))
		throw new Error('Arguments must be a JSON object.');
	const unknown = Object.keys(value).find((key) => !accepted.has(key));
	if (unknown !== undefined) {
		const known = [...accepted].join(', ') || 'none';
		throw new Error(`Unknown argument ${JSON.stringify(unknown.slice(0, 64))}. Accepted: ${known}.`);
	}
	return value;
}

const CANCELLED = Symbol('cancelled');

/** Settles as `work` does, or throws CANCELLED on abort; a handler that ignores the signal is left behind, quietly. */
function untilAborted(work: () => unknown, signal: AbortSignal): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(CANCELLED);
		signal.addEventListener('abort', onAbort, { once: true });
		// An async wrapper turns a synchronous throw into a rejection.
		(async () => work())()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', onAbort));
	});
}
