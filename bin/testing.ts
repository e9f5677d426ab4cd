import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCli } from './cli.ts';
import type { Surroundings } from './surroundings.ts';

/** What a command line gave. */
export interface Outcome {
	code: number;
	out: string;
	err: string;
}

/** A temporary folder in which tests run command lines without a process. */
export interface Workplace {
	root: string;
	put(path: string, text: string): void;
	text(path: string): string;
	/** Every file below the folder with its text. */
	snapshot(): Record<string, string>;
	run(args: readonly string[], more?: Partial<Surroundings> & { input?: string; isTTY?: boolean }): Promise<Outcome>;
	remove(): void;
}

export function workplace(files: Readonly<Record<string, string>> = {}): Workplace {
	const root = mkdtempSync(join(tmpdir(), 'cli-'));
	const place: Workplace = {
		root,
		put(path, text) {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), text);
		},
		text: (path) => readFileSync(join(root, path), 'utf8'),
		snapshot() {
			const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
			const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
			return Object.fromEntries(paths.map((path) => [path, place.text(path)]));
		},
		async run(args, { input = '', isTTY = false, ...more } = {}) {
			let out = '';
			let err = '';
			const code = await runCli(args, {
				cwd: root,
				env: {},
				stdout: { write: (text) => (out += text), isTTY },
				stderr: { write: (text) => (err += text), isTTY },
				readInput: async () => input,
				ownRoot: join(root, 'no-library-of-its-own'),
				invocation: 'node /opt/patterns/dist/cli.js',
				isClone: true,
				today: '2026-06-30',
				...more,
			});
			return { code, out, err };
		},
		remove: () => rmSync(root, { recursive: true, force: true }),
	};
	for (const [path, text] of Object.entries(files)) place.put(path, text);
	return place;
}
