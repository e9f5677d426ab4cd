import type { Output } from './frame-writer.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { createSession } from './protocol.ts';
import type { ToolOptions } from './repository-tools.ts';
import { serve } from './server.ts';
import type { Tools } from './tools.ts';
import { SERVER_NAME, SERVER_VERSION } from './version.ts';

export interface StartOptions extends ToolOptions {
	input: AsyncIterable<Uint8Array>;
	output: Output;
	stop?: AbortSignal;
	log(text: string): void;
}

/**
 * Runs the server over a repository until its input ends or `stop` fires. The query layer and the registry are loaded at
 * the first request that needs them: `initialize` and `server/discover` wait for neither.
 */
export async function start({ root, registryFile, log, ...connection }: StartOptions): Promise<void> {
	let tools: Promise<Tools> | undefined;
	const loaded = () => {
		tools ??= import('./repository-tools.ts').then((module) => module.createRepositoryTools({ root, registryFile }));
		return tools;
	};
	const session = createSession({
		info: { name: SERVER_NAME, version: SERVER_VERSION },
		instructions: INSTRUCTIONS,
		listTools: async () => (await loaded()).definitions,
		callTool: async (name, args) => (await loaded()).call(name, args),
		log,
	});
	await serve(session, connection);
}
