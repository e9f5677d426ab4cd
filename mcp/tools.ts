import type { Library } from '../registry/library.ts';
import type { ToolDefinition, ToolPorts, ToolResult } from '../registry/query.ts';
import { ErrorCode, RpcError } from './json-rpc.ts';

/** The tools with everything they need: what the protocol lists and calls. */
export interface Tools {
	definitions: readonly ToolDefinition[];
	/** @throws RpcError -32602 for a name that is no tool; anything else thrown is a fault of the server */
	call(name: string, args: unknown): ToolResult;
}

/** The query layer's half of the binding. */
export interface QueryLayer {
	TOOLS: readonly ToolDefinition[];
	callTool(library: Library, ports: ToolPorts, name: string, args: unknown): ToolResult;
}

/**
 * Binds the query layer to a library that is loaded at the first call and kept. While it cannot be loaded every call is
 * answered with the reason, and the next one tries again, so building the registry needs no restart.
 * @param describeFailure the reason as text when loading failed in a way that the user can mend, else nothing
 */
export function bindTools(
	query: QueryLayer,
	ports: ToolPorts,
	load: () => Library,
	describeFailure: (error: unknown) => string | undefined,
): Tools {
	let library: Library | undefined;
	return {
		definitions: query.TOOLS,
		call(name, args) {
			if (!query.TOOLS.some((tool) => tool.name === name)) throw unknownTool(name, query.TOOLS);
			try {
				library ??= load();
			} catch (error) {
				const text = describeFailure(error);
				if (text === undefined) throw error;
				return { text, isError: true };
			}
			return query.callTool(library, ports, name, args);
		},
	};
}

function unknownTool(name: string, tools: readonly ToolDefinition[]): RpcError {
	const names = tools.map((tool) => tool.name).join(', ');
	return new RpcError(ErrorCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}. The tools are ${names}.`);
}
