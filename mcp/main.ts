import { guardConsole } from './console-guard.ts';
import { readCommand } from './options.ts';
import { defaultRoot } from './paths.ts';
import { start } from './start.ts';

/** How long a signal waits for a client that reads slowly, in milliseconds. */
const GRACE_MS = 2000;

guardConsole(console);
// When the client closed stderr too, a log line is lost; that must not end the server.
process.stderr.on('error', () => undefined);

const command = readCommand(process.argv.slice(2), {
	env: process.env,
	cwd: process.cwd(),
	defaultRoot: defaultRoot(import.meta.url),
});

if (command.kind === 'print') {
	process.stdout.write(command.text);
} else if (command.kind === 'refuse') {
	process.stderr.write(command.text);
	process.exitCode = 2;
} else {
	const stop = new AbortController();
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (stop.signal.aborted) process.exit(0);
			stop.abort();
			setTimeout(() => process.exit(0), GRACE_MS).unref();
		});
	}
	await start({
		root: command.root,
		registryFile: command.registryFile,
		input: process.stdin,
		output: process.stdout,
		stop: stop.signal,
		log: (text) => process.stderr.write(`${text}\n`),
	});
	// Whatever still holds the process (an open stdin after a signal) must not keep it.
	process.exit(0);
}
