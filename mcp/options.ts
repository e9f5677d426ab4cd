import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { frozenRegistryPath } from './paths.ts';
import { SERVER_NAME, SERVER_VERSION } from './version.ts';

/** What the command line asks for. */
export type Command =
	| { kind: 'serve'; root: string; registryFile: string }
	| { kind: 'print'; text: string }
	| { kind: 'refuse'; text: string };

export interface Surroundings {
	env: Record<string, string | undefined>;
	/** Where relative paths on the command line begin. */
	cwd: string;
	/** The root when neither a flag nor the environment names one. */
	defaultRoot: string;
}

export const USAGE = `${SERVER_NAME} ${SERVER_VERSION}: a read-only MCP server (stdio) over a pattern registry

Usage: node mcp/main.ts [options]     (Node 22.18 or newer, or Bun)
       node dist/mcp.js [options]     (Node 20 or newer)

Options:
  --root DIR       repository whose files the excerpts show; default: V10R_ROOT, else the one this file stands in
  --registry FILE  registry to serve, frozen or authored; default: public/registry.json under the root
  --help           print this and exit
  --version        print the version and exit
`;

/** Reads the arguments (without the runtime and the script). Flags win over the environment, the environment over defaults. */
export function readCommand(args: readonly string[], { env, cwd, defaultRoot }: Surroundings): Command {
	let values: { root?: string; registry?: string; help?: boolean; version?: boolean };
	try {
		({ values } = parseArgs({
			args: [...args],
			options: {
				root: { type: 'string' },
				registry: { type: 'string' },
				help: { type: 'boolean', short: 'h' },
				version: { type: 'boolean', short: 'v' },
			},
		}));
	} catch (error) {
		return { kind: 'refuse', text: `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}` };
	}
	if (values.help) return { kind: 'print', text: USAGE };
	if (values.version) return { kind: 'print', text: `${SERVER_VERSION}\n` };
	const empty = (['root', 'registry'] as const).find((flag) => values[flag] === '');
	if (empty) return { kind: 'refuse', text: `--${empty} is empty: name a path\n\n${USAGE}` };
	const root = resolve(cwd, values.root ?? (env.V10R_ROOT || defaultRoot));
	const registryFile = values.registry === undefined ? frozenRegistryPath(root) : resolve(cwd, values.registry);
	return { kind: 'serve', root, registryFile };
}
