import { readCommand } from './options.ts';
import { defaultRoot } from './paths.ts';
import { serveProcess } from './serve-process.ts';

const command = readCommand(process.argv.slice(2), {
	env: process.env,
	cwd: process.cwd(),
	defaultRoot: defaultRoot(import.meta.url),
});

if (command.kind === 'serve') {
	await serveProcess({ root: command.root, registryFile: command.registryFile });
} else if (command.kind === 'print') {
	process.stdout.write(command.text);
} else {
	process.stderr.write(command.text);
	process.exitCode = 2;
}
