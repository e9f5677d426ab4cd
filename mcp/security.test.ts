import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileReader } from './security.ts';

/** What lies outside the root; no answer may hold any part of it. */
const SECRET = 'the-secret-outside';
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);

let top: string;
let root: string;
let read: ReturnType<typeof createFileReader>;
const socket = createServer();

beforeAll(async () => {
	top = realpathSync(mkdtempSync(join(tmpdir(), 'containment-')));
	root = join(top, 'repo');
	const put = (path: string, content: string | Uint8Array) => writeFileSync(join(top, path), content);
	for (const folder of ['repo/docs/deep', 'repo/.git', 'repo-evil', 'outside/folder', 'repo/config'])
		mkdirSync(join(top, folder), { recursive: true });
	put('repo/README.md', '# Readme\n');
	put('repo/docs/guide.md', 'guide');
	put('repo/docs/deep/note.txt', 'note');
	put('repo/empty.md', '');
	put('repo/.git/config', SECRET);
	put('repo/.env', SECRET);
	put('repo/.env.example', 'PORT=\n');
	put('repo/config/prod.PEM', SECRET);
	put('repo/picture.png', PNG);
	put(
		'repo/latin.txt',
		Uint8Array.from([0x63, 0x61, 0x66, 0xe9, ...Buffer.from(' is one word among many others here')]),
	);
	put(
		'repo/noise.bin',
		Uint8Array.from({ length: 300 }, (_, index) => 128 + (index % 100)),
	);
	put('repo/late-nul.txt', `${'text '.repeat(5000)}\0`);
	put('repo/bom.md', '\uFEFF# Mark\n');
	put('repo-evil/secret.md', SECRET);
	put('outside/secret.md', SECRET);
	put('outside/folder/secret.md', SECRET);
	const link = (target: string, path: string) => symlinkSync(target, join(root, path));
	link('../outside/secret.md', 'link-file.md');
	link(join(top, 'outside/folder'), 'link-folder');
	link('../outside/missing.md', 'link-missing.md');
	link('../repo-evil', 'link-sibling');
	link('..', 'docs/up');
	link('../..', 'docs/out');
	link('README.md', 'inside.md');
	link('docs', 'inside-folder');
	link('.env', 'harmless.md');
	link('.git', 'history');
	link('loop', 'loop');
	link('/dev/zero', 'zero');
	execFileSync('mkfifo', [join(root, 'pipe.md')]);
	await new Promise<void>((resolve) => socket.listen(join(root, 'socket.md'), resolve));
	read = createFileReader(root);
});

afterAll(async () => {
	await new Promise((resolve) => socket.close(resolve));
	rmSync(top, { recursive: true, force: true });
});

const reasonOf = (path: string) => {
	const result = read(path);
	return result.ok ? 'ok' : result.reason;
};

describe('file reader', () => {
	it.each([
		['README.md', '# Readme\n'],
		['./docs//guide.md', 'guide'],
		['inside.md', '# Readme\n'],
		['inside-folder/deep/note.txt', 'note'],
		['docs/up/README.md', '# Readme\n'],
		['empty.md', ''],
		['.env.example', 'PORT=\n'],
		['bom.md', '# Mark\n'],
	])('reads %j', (path, text) => {
		expect(read(path)).toMatchObject({ ok: true, text, truncated: false });
	});

	it('gives one and the same answer for what is missing, what is outside, and what a link outside might hold', () => {
		const missing = reasonOf('docs/missing.md');
		expect(missing).toMatch(/no readable file of the repository/);
		for (const path of [
			...['link-file.md', 'link-missing.md', 'link-folder/secret.md', 'link-folder/missing.md', 'link-folder'],
			...['link-sibling/secret.md', 'docs/out/outside/secret.md', 'docs/out/repo-evil/secret.md', 'docs/out/nowhere'],
			...['README.md/x', 'loop', 'zero', 'docs/out', `${'x'.repeat(300)}.md`],
		])
			expect(reasonOf(path), path).toBe(missing);
	});

	it.each([
		'../repo-evil/secret.md',
		'../outside/secret.md',
		'docs/../../outside/secret.md',
		'%2e%2e/outside/secret.md',
	])('refuses %j without looking', (path) => {
		expect(reasonOf(path)).toMatch(/"\.\." segment|percent/);
	});

	it('refuses an absolute path, also one into the root', () => {
		expect(reasonOf(join(root, 'README.md'))).toMatch(/relative/);
		expect(reasonOf('/etc/hostname')).toMatch(/relative/);
	});

	it.each(['.env', '.ENV', '.git/config', '.Git/config', 'config/prod.PEM', 'config/prod.pem'])('denies %j', (path) => {
		expect(reasonOf(path)).toMatch(/never shown/);
	});

	it('never shows what is denied under the harmless name of a link', () => {
		for (const path of ['harmless.md', 'history/config']) expect(reasonOf(path), path).toMatch(/never shown/);
	});

	it('refuses at once what is no regular file: a FIFO nobody writes to, a socket', () => {
		for (const path of ['pipe.md', 'socket.md']) expect(reasonOf(path), path).toMatch(/no regular file/);
	});

	it('says that a folder is one', () => {
		for (const path of ['docs', 'inside-folder', 'docs/deep/']) expect(reasonOf(path)).toMatch(/folder/);
		expect(reasonOf('docs/up')).toMatch(/no readable file/);
	});

	it('refuses what is binary, wherever it shows', () => {
		for (const path of ['picture.png', 'noise.bin', 'late-nul.txt']) expect(reasonOf(path), path).toMatch(/binary/);
	});

	it('shows text with a few bytes of another encoding', () => {
		expect(read('latin.txt')).toMatchObject({ ok: true, text: expect.stringContaining('caf\ufffd is') });
	});

	it('holds when the root itself is reached through a link', () => {
		symlinkSync(root, join(top, 'alias'));
		const alias = createFileReader(join(top, 'alias'));
		expect(alias('README.md')).toMatchObject({ ok: true });
		expect(alias('link-file.md')).toMatchObject({ ok: false });
	});

	it('says the same of every path when the root does not exist', () => {
		expect(createFileReader(join(top, 'nowhere'))('README.md')).toEqual({ ok: false, reason: reasonOf('missing.md') });
	});

	it('reads a hard link, which is a file of the repository like any other', () => {
		linkSync(join(root, 'README.md'), join(root, 'hard.md'));
		expect(read('hard.md')).toMatchObject({ ok: true });
	});
});

describe('bounded reading', () => {
	const limited = (content: string | Uint8Array, limit: number) => {
		writeFileSync(join(root, 'limited.md'), content);
		return createFileReader(root, limit)('limited.md');
	};

	it('cuts a long file at the end of a line and says so', () => {
		expect(limited('first\nsecond\nthird\n', 15)).toEqual({
			ok: true,
			text: 'first\nsecond\n',
			bytes: 19,
			truncated: true,
		});
	});

	it('cuts a line that is longer than all that is read, not inside a character', () => {
		expect(limited('ab—cd', 4)).toEqual({ ok: true, text: 'ab', bytes: 7, truncated: true });
	});

	it('does not cut a file of exactly the limit', () => {
		expect(limited('12345', 5)).toEqual({ ok: true, text: '12345', bytes: 5, truncated: false });
	});

	it('reads the beginning of 50 MB', () => {
		const result = limited(`${'x'.repeat(99)}\n`.repeat(500_000), 2 * 1024 * 1024);
		expect(result).toMatchObject({ ok: true, bytes: 50_000_000, truncated: true });
		expect(result.ok && result.text.length).toBeLessThanOrEqual(2 * 1024 * 1024);
		rmSync(join(root, 'limited.md'));
	});
});

it('no path, however it is put together, gives anything of what lies outside or is denied', () => {
	const names = [
		...[
			'..',
			'.',
			'',
			'docs',
			'deep',
			'up',
			'out',
			'repo',
			'repo-evil',
			'outside',
			'folder',
			'secret.md',
			'link-file.md',
		],
		...[
			'link-folder',
			'link-sibling',
			'inside-folder',
			'history',
			'harmless.md',
			'.git',
			'.Git',
			'config',
			'.env',
			'.ENV',
		],
		// Whole ways out, which single names would seldom make.
		...['link-folder/secret.md', 'link-sibling/secret.md', 'docs/out/outside/secret.md', '../outside/secret.md'],
		...['prod.PEM', 'prod.pem', 'README.md', 'pipe.md', 'loop', '%2e%2e', '..\\', '\0', '/', 'alias', '.env.example'],
	];
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...names), { maxLength: 7 }), fc.boolean(), (parts, absolute) => {
			const path = absolute ? join(root, parts.join('/').replaceAll('\0', '')) : parts.join('/');
			const result = read(path);
			expect(JSON.stringify(result)).not.toContain(SECRET);
			expect(JSON.stringify(result)).not.toContain(top);
			if (!result.ok) expect(result.reason).not.toMatch(/E[A-Z]{4,}|outside\/|evil/);
		}),
		{ numRuns: 3000 },
	);
});
