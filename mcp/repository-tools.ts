import { callTool, TOOLS, type ToolPorts } from '../registry/query.ts';
import type { Voice } from '../registry/voice.ts';
import { loadLibrary, RegistryFileError } from './registry-file.ts';
import { createRules } from './repository-rules.ts';
import { createFileReader } from './security.ts';
import { checkSnippet } from './snippet.ts';
import { bindTools, type Tools } from './tools.ts';

export interface ToolOptions {
	/** The repository whose files the excerpts show. */
	root: string;
	registryFile: string;
	/** How errors name tools and arguments; as clients do when absent. */
	voice?: Voice;
}

/** The six tools over one repository on disk. The server imports this module at the first request that needs a tool. */
export function createRepositoryTools({ root, registryFile, voice }: ToolOptions): Tools {
	const rules = createRules(root);
	const ports: ToolPorts = {
		readFile: createFileReader(root),
		checkSnippet(snippet, language) {
			const found = rules();
			return found.ok ? checkSnippet(snippet, language, found.set) : found;
		},
	};
	return bindTools(
		{ TOOLS, callTool: (library, ports, name, args) => callTool(library, ports, name, args, voice) },
		ports,
		() => loadLibrary(registryFile),
		(error) => (error instanceof RegistryFileError ? error.message : undefined),
	);
}
