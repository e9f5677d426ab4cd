import { runCli } from './cli.ts';
import { processSurroundings } from './surroundings.ts';

// A reader that has seen enough (`… | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code !== 'EPIPE') throw error;
	process.exit(process.exitCode ?? 0);
});

process.exitCode = await runCli(process.argv.slice(2), processSurroundings(import.meta.url));
