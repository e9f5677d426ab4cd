import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScriptStep } from './session-script.ts';

/** A step with the exact frames that went over the pipes, without their newline. A notification has no reply. */
export interface RecordedStep extends ScriptStep {
	sent: string;
	received?: string;
}

/** How to start a server, and what to call it in a message. */
export interface ServerCommand {
	command: string;
	args: readonly string[];
	cwd: string;
}

/** A server that says nothing for so long is taken for dead, in milliseconds. */
const PATIENCE = 30_000;

/**
 * This project's own server over a repository and a registry, run from source.
 * @throws Error when the source is not found, neither from where the build was started nor from this module
 */
export function ownServer(root: string, registry: string): ServerCommand {
	const starts = [process.cwd(), dirname(fileURLToPath(import.meta.url))];
	const home = starts.map((start) => folderWith(start, 'mcp/main.ts')).find((folder) => folder !== undefined);
	if (home === undefined)
		throw new Error(`The MCP session cannot be recorded: there is no mcp/main.ts at or above ${starts.join(' or ')}.`);
	const args = ['--import', 'tsx', join(home, 'mcp/main.ts'), '--root', root, '--registry', registry];
	return { command: process.execPath, args, cwd: home };
}

function folderWith(start: string, file: string): string | undefined {
	for (let folder = start; ; folder = dirname(folder)) {
		if (existsSync(join(folder, file))) return folder;
		if (folder === dirname(folder)) return undefined;
	}
}

/**
 * Starts a server, sends it the steps one by one, each after the reply to the last, and returns the frames as they went.
 * @throws Error with what the server wrote to stderr, when it does not start, ends too early or falls silent
 */
export async function recordSession(
	steps: readonly ScriptStep[],
	server: ServerCommand,
	patience = PATIENCE,
): Promise<RecordedStep[]> {
	const child = spawn(server.command, [...server.args], { cwd: server.cwd, stdio: 'pipe' });
	let stderr = '';
	let rest = '';
	const lines: string[] = [];
	let wake: () => void = () => undefined;
	let over: string | undefined;
	const end = (why: string) => {
		over ??= why;
		wake();
	};
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		const parts = (rest + text).split('\n');
		rest = parts.pop() ?? '';
		lines.push(...parts);
		wake();
	});
	child.stdin.on('error', () => undefined);
	child.on('error', (error) => end(`it does not start: ${error.message}`));
	child.on('close', (code) => end(`it ended with code ${code}`));

	const fail = (step: ScriptStep, why: string) =>
		new Error(
			`The MCP session cannot be recorded: no reply to ${step.message.method}, ${why}.\n` +
				`Server: ${[server.command, ...server.args].join(' ')}\n${stderr.trim() || '(nothing on stderr)'}`,
		);
	const reply = async (step: ScriptStep): Promise<string> => {
		const timer = setTimeout(() => end(`nothing came for ${patience} ms`), patience);
		try {
			for (;;) {
				const line = lines.shift();
				if (line !== undefined) return line;
				if (over !== undefined) throw fail(step, over);
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		} finally {
			clearTimeout(timer);
		}
	};
	try {
		const recorded: RecordedStep[] = [];
		for (const step of steps) {
			const sent = JSON.stringify(step.message);
			child.stdin.write(`${sent}\n`);
			recorded.push(step.message.id === undefined ? { ...step, sent } : { ...step, sent, received: await reply(step) });
		}
		return recorded;
	} finally {
		child.stdin.end();
		child.kill();
	}
}
