/** How an error names tools, arguments and calls: an agent reads tool names, a person at a terminal commands and options. */
export interface Voice {
	tool(name: string): string;
	/** @param name of a parameter of the tool */
	argument(tool: string, name: string): string;
	/** A call that can be made as it is printed. */
	call(tool: string, args: Readonly<Record<string, unknown>>): string;
	/** What such a call is. */
	works: string;
}

/** As MCP clients make calls: the tool's name and its arguments as JSON. */
export const TOOL_VOICE: Voice = {
	tool: (name) => name,
	argument: (_tool, name) => JSON.stringify(name),
	call: (tool, args) => `${tool} ${JSON.stringify(args)}`,
	works: 'A call that works',
};
