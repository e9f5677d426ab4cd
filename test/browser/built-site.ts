import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { diskFiles } from '../../registry/repository-files.node.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shelf = join(root, '.cache', 'test-sites');

/** How long a test file may wait for the site, in milliseconds: others may be building it. */
export const BUILD_TIMEOUT = 600_000;

/** What a build depends on, beside the installed packages. */
const SOURCES = ['site', 'registry', 'library', 'mcp', 'docs', 'public'];
const FILES = ['astro.config.mjs', 'package-lock.json', 'README.md', 'CONTRIBUTING.md'];

/**
 * The folder of the site built below a base, `/` or `/name`. It is built once for what its sources are, whichever test
 * file asks first; the others wait for it, and later runs find it as long as nothing changed.
 */
export async function builtSite(base: string): Promise<string> {
	const name = `${base.replaceAll('/', '_')}-${sourcesHash()}`;
	const folder = join(shelf, name);
	mkdirSync(shelf, { recursive: true });
	const done = join(folder, '.done');
	while (!existsSync(done)) {
		// One build at a time, since builds share the folder of generated types.
		const release = takeLock(join(shelf, 'lock'));
		if (!release) {
			await sleep(250);
			continue;
		}
		try {
			if (!existsSync(done)) {
				rmSync(folder, { recursive: true, force: true });
				await build(base, folder);
				writeFileSync(done, '');
			}
		} finally {
			release();
		}
	}
	const now = new Date();
	utimesSync(done, now, now);
	removeOld(name);
	return folder;
}

async function build(base: string, folder: string): Promise<void> {
	// What the test runner sets for itself would make it a test build.
	const inherited = Object.entries(process.env).filter(
		([name]) => !/^(?:VITE|NODE_ENV|BASE_URL|MODE|DEV|PROD|SSR)/.test(name),
	);
	const env = {
		...Object.fromEntries(inherited),
		ASTRO_TELEMETRY_DISABLED: '1',
		SITE_URL: `https://example.org${base}`,
		V10R_SITE_OUT: folder,
		V10R_SITE_CACHE: join(shelf, 'cache'),
	};
	const astro = join(root, 'node_modules/astro/astro.js');
	await promisify(execFile)(process.execPath, [astro, 'build', '--silent'], { cwd: root, env, maxBuffer: 1e8 });
}

function sourcesHash(): string {
	const hash = createHash('sha256');
	const files = diskFiles(root);
	for (const path of [...SOURCES.flatMap((folder) => files.list(folder)), ...FILES]) {
		if (/\.test\.ts$/.test(path) && !path.startsWith('library/')) continue;
		const file = join(root, path);
		if (existsSync(file)) hash.update(path).update('\0').update(readFileSync(file));
	}
	return hash.digest('hex').slice(0, 16);
}

/** Takes a lock that dies with its process; the function that gives it back, or undefined when another has it. */
function takeLock(path: string): (() => void) | undefined {
	try {
		writeFileSync(path, String(process.pid), { flag: 'wx' });
		return () => rmSync(path, { force: true });
	} catch {
		if (isAbandoned(path)) rmSync(path, { force: true });
		return undefined;
	}
}

function isAbandoned(path: string): boolean {
	try {
		const holder = Number(readFileSync(path, 'utf8'));
		if (!Number.isInteger(holder) || holder <= 0) return Date.now() - statSync(path).mtimeMs > 5000;
		process.kill(holder, 0);
		return false;
	} catch (error) {
		return error instanceof Error && 'code' in error && error.code === 'ESRCH';
	}
}

/** Builds of other sources that no run has used for an hour. */
function removeOld(kept: string): void {
	for (const name of readdirSync(shelf)) {
		const done = join(shelf, name, '.done');
		if (name === kept || !existsSync(done)) continue;
		if (Date.now() - statSync(done).mtimeMs > 3_600_000) rmSync(join(shelf, name), { recursive: true, force: true });
	}
}
