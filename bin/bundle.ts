import { chmod, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const SHEBANG = '#!/usr/bin/env node';
/** CommonJS libraries inside an ES module still call `require` for Node's own modules. */
const REQUIRE = [
	"import { createRequire as createRequireOfBundle } from 'node:module';",
	'const require = createRequireOfBundle(import.meta.url);',
].join('\n');

/** The programs that are shipped, each as one file that runs without node_modules. The server has no libraries in it. */
export const BUNDLES = [
	{ entry: 'mcp/main.ts', output: 'mcp.js', banner: SHEBANG },
	{ entry: 'bin/v10r-patterns.ts', output: 'cli.js', banner: `${SHEBANG}\n${REQUIRE}` },
] as const;

const OPTIONS: BuildOptions = {
	bundle: true,
	platform: 'node',
	target: 'node20.19',
	format: 'esm',
	// Libraries with a UMD build for `main` hide their parts from a bundler there.
	mainFields: ['module', 'main'],
	legalComments: 'inline',
	logLevel: 'warning',
};

/** Writes the bundles of the sources at `root` into `folder`, and returns their paths. */
export async function buildBundles(root: string, folder: string): Promise<string[]> {
	return Promise.all(
		BUNDLES.map(async ({ entry, output, banner }) => {
			const file = join(folder, output);
			const draft = `${file}.${process.pid}.tmp`;
			await build({ ...OPTIONS, absWorkingDir: root, entryPoints: [entry], outfile: draft, banner: { js: banner } });
			await chmod(draft, 0o755);
			// In one step, so that a server which is just starting reads the old file or the new one.
			await rename(draft, file);
			return file;
		}),
	);
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
	const root = dirname(dirname(self));
	for (const file of await buildBundles(root, join(root, 'dist'))) {
		process.stdout.write(`${file}: ${Math.ceil((await stat(file)).size / 1024)} KB\n`);
	}
}
