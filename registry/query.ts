import type { Library } from './library.ts';

/** What the query layer needs from outside: how a file of the repository is read, and how snippet rules are run. */
export interface ToolPorts {
	/** Reads a file of the library's repository by its path from the root, as far as the caller may see it. */
	readFile(path: string): FileRead;
	/** Findings of the snippet rules as text for an agent, or that there are none. */
	checkSnippet(snippet: string, language: string | undefined): string;
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

/** The six tools, in the order in which clients list them. */
export const TOOLS: readonly ToolDefinition[] = [];

/**
 * Answers one call.
 * @throws UnknownToolError when no tool has that name; any other exception is a fault of the server
 */
export function callTool(_library: Library, _ports: ToolPorts, name: string, _args: unknown): ToolResult {
	throw new UnknownToolError(name);
}

/** The name of a tool that does not exist. */
export class UnknownToolError extends Error {
	constructor(name: string) {
		super(`Unknown tool: ${name}`);
		this.name = 'UnknownToolError';
	}
}
