import { callTool, TOOLS } from '../registry/query.ts';
import { loadLibrary, RegistryFileError } from './registry-file.ts';
import { createFileReader } from './security.ts';
import { checkSnippet } from './snippet.ts';
import { bindTools, type Tools } from './tools.ts';

export interface ToolOptions {
	/** The repository whose files the excerpts show. */
	root: string;
	registryFile: string;
}

/** The six tools over one repository on disk. The server imports this module at the first request that needs a tool. */
export function createRepositoryTools({ root, registryFile }: ToolOptions): Tools {
	return bindTools(
		{ TOOLS, callTool },
		{ readFile: createFileReader(root), checkSnippet },
		() => loadLibrary(registryFile),
		(error) => (error instanceof RegistryFileError ? error.message : undefined),
	);
}
