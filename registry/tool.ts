import { inputSchema, type Parameters, readArguments, type Values } from './arguments.ts';
import type { Example } from './examples.ts';
import type { Library } from './library.ts';
import type { Voice } from './voice.ts';

/** What the query layer needs from outside: how a file of the repository is read, and how snippet rules are run. */
export interface ToolPorts {
	/** Reads a file of the library's repository by its path from the root, as far as the caller may see it. */
	readFile(path: string): FileRead;
	/** Findings of the snippet rules as text for an agent, or that there are none; or why no rules can be run. */
	checkSnippet(snippet: string, language: string | undefined): string | { problem: string };
}

/** A file's text, cut at the reader's limit when `truncated`; or why it is not given, in words safe to show anyone. */
export type FileRead = { ok: true; text: string; bytes: number; truncated: boolean } | { ok: false; reason: string };

/** A tool as clients see it: these three members and no other, since some clients drop a list that has more. */
export interface ToolDefinition {
	name: string;
	description: string;
	inputSchema: { type: 'object'; properties: Record<string, unknown>; required?: string[] };
}

/** The answer of a tool. `isError` means that the arguments were wrong and the text says how to mend the call. */
export interface ToolResult {
	text: string;
	isError: boolean;
}

/** What a tool answers to arguments that were read. */
type Handler<P extends Parameters> = (
	library: Library,
	values: Values<P>,
	ports: ToolPorts,
	voice: Voice,
) => string | Refused;

/** Why a handler cannot answer; `advise` asks for a call that works to be shown beside it. */
export interface Refused {
	problem: string;
	advise?: boolean;
}

/** A tool bound to its handler. */
export interface Tool {
	definition: ToolDefinition;
	example: Example;
	answer(library: Library, ports: ToolPorts, given: unknown, voice: Voice): ToolResult;
}

/** Binds a tool's declaration to its handler: reads the arguments, and turns what is wrong into advice. */
export function tool<P extends Parameters>(
	name: string,
	description: string,
	parameters: P,
	example: Example,
	handle: Handler<P>,
): Tool {
	return {
		definition: { name, description, inputSchema: inputSchema(parameters) },
		example,
		answer(library, ports, given, voice) {
			const refuse = ({ problem, advise }: Refused): ToolResult => {
				// Looked for only now: it may read files.
				const advice = advise ? workingCall(name, example(library, ports.readFile), voice) : '';
				const end = advice === '' ? '' : problem.endsWith('.') ? ' ' : '. ';
				return { text: `${voice.tool(name)}: ${problem}${end}${advice}`, isError: true };
			};
			const read = readArguments(parameters, given, (parameter) => voice.argument(name, parameter));
			if (!read.ok) return refuse({ problem: read.problem, advise: true });
			const answer = handle(library, read.values, ports, voice);
			if (typeof answer !== 'string') return refuse(answer);
			return { text: [answer, ...read.notes.map((note) => `Note: ${note}.`)].join('\n'), isError: false };
		},
	};
}

/** A call of a tool with the arguments of its example, or that none can work. */
export function workingCall(name: string, example: Record<string, unknown> | undefined, voice: Voice): string {
	if (example) return `${voice.works}: ${voice.call(name, example)}`;
	return 'No call of it can work yet: the library has no card, or no file that its cards cite can be read';
}
