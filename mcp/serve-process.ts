import { guardConsole } from './console-guard.ts';
import { createLog } from './log.ts';
import type { ToolOptions } from './repository-tools.ts';
import { start } from './start.ts';

/** How long a signal waits for a client that reads slowly, in milliseconds. */
const GRACE_MS = 2000;

/**
 * Makes this process the server: frames on stdin and stdout, the rest on stderr, until the input ends or a signal comes;
 * then exits with 0 once every reply is out. A second signal exits at once.
 */
export async function serveProcess(options: ToolOptions): Promise<never> {
	guardConsole(console);
	const stop = new AbortController();
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (stop.signal.aborted) process.exit(0);
			stop.abort();
			setTimeout(() => process.exit(0), GRACE_MS).unref();
		});
	}
	await start({
		...options,
		input: process.stdin,
		output: process.stdout,
		stop: stop.signal,
		log: createLog(() => process.stderr),
	});
	// Whatever still holds the process (an open stdin after a signal) must not keep it.
	process.exit(0);
}
