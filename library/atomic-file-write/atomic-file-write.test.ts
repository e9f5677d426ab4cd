import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { demo, RULES } from './atomic-file-write.demo.ts';
import { MemoryDisk } from './atomic-file-write.memory.ts';
import { nodeFiles, writeFileAtomic } from './atomic-file-write.node.ts';
import { type Files, replaceFile, UnconfirmedWriteError } from './atomic-file-write.ts';

const OLD = 'the old bytes, all of them';
const NEW = 'the new bytes, which are rather longer than the old';
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined) => new TextDecoder().decode(data);

/** `files`, with `before` called ahead of each operation and able to fail it. A close happens even when it fails. */
function tapped(files: Files, before: (step: string, path: string) => void): Files {
	const tap = async <T>(step: string, path: string, work: () => Promise<T>): Promise<T> => {
		before(step, path);
		return work();
	};
	const close = async (step: string, path: string, work: () => Promise<void>) => {
		await work();
		before(step, path);
	};
	return {
		...files,
		find: (path) => tap('find', path, () => files.find(path)),
		create: async (path, mode) => {
			const open = await tap('create', path, () => files.create(path, mode));
			return {
				writeFile: (data) => tap('writeFile', path, () => open.writeFile(data)),
				chmod: (bits) => tap('chmod', path, () => open.chmod(bits)),
				sync: () => tap('sync', path, () => open.sync()),
				close: () => close('close', path, () => open.close()),
			};
		},
		openFolder: async (path) => {
			const open = await tap('openFolder', path, () => files.openFolder(path));
			return {
				sync: () => tap('syncFolder', path, () => open.sync()),
				close: () => close('closeFolder', path, () => open.close()),
			};
		},
		rename: (from, to) => tap('rename', from, () => files.rename(from, to)),
		remove: (path) => tap('remove', path, () => files.remove(path)),
	};
}

const STEPS = [
	'find',
	'openFolder',
	'create',
	'writeFile',
	'chmod',
	'sync',
	'close',
	'rename',
	'syncFolder',
	'closeFolder',
];

describe('atomic-file-write', () => {
	let root = '';
	let folder = '';
	let file = '';
	let count = 0;
	beforeAll(async () => {
		root = await mkdtemp(join(tmpdir(), 'atomic-file-write-'));
	});
	afterAll(() => rm(root, { recursive: true }));
	beforeEach(async () => {
		folder = join(root, String(count++));
		file = join(folder, 'config.json');
		await mkdir(folder);
		await writeFile(file, OLD);
	});

	it('writes text as UTF-8 and bytes as they are, to a new file or over an old one', async () => {
		await writeFileAtomic(file, 'naïve — 検索');
		expect(await readFile(file, 'utf8')).toBe('naïve — 検索');
		await writeFileAtomic(join(folder, 'new'), Uint8Array.of(0, 255, 10));
		expect([...(await readFile(join(folder, 'new')))]).toEqual([0, 255, 10]);
		await writeFileAtomic(file, '');
		expect(await readFile(file, 'utf8')).toBe('');
		expect((await readdir(folder)).sort()).toEqual(['config.json', 'new']);
	});

	it('shows a reader one whole version at every moment of a write', async () => {
		const seen = new Set<string>();
		const disk = new MemoryDisk(async () => {
			seen.add(text(disk.read('/d/f')?.bytes));
		});
		disk.put('/d/f', bytes(OLD), 0o644);
		await replaceFile(disk, '/d/f', NEW);
		seen.add(text(disk.read('/d/f')?.bytes));
		expect([...seen]).toEqual([OLD, NEW]);
	});

	it('leaves one whole version after a power cut at any step, whatever part was flushed', async () => {
		let steps = 0;
		const dry = new MemoryDisk(async () => void steps++);
		dry.put('/d/f', bytes(OLD), 0o644);
		await replaceFile(dry, '/d/f', NEW);
		expect(steps).toBeGreaterThan(STEPS.length);
		const outcomes = new Set<string>();
		for (let cut = 1; cut <= steps; cut++) {
			for (let seed = 0; seed < 30; seed++) {
				let step = 0;
				const disk = new MemoryDisk(async () => {
					if (++step === cut) disk.powerCut(seededRandom(seed));
				});
				disk.put('/d/f', bytes(OLD), 0o644);
				await replaceFile(disk, '/d/f', NEW).catch(() => undefined);
				disk.restart();
				outcomes.add(text(disk.read('/d/f')?.bytes));
			}
		}
		expect([...outcomes].sort()).toEqual([NEW, OLD]);
	});

	it('reports success only when the new file would outlive a power cut', async () => {
		for (let seed = 0; seed < 50; seed++) {
			// A slow fsync, so that a rename that doesn't wait for it overtakes it.
			const slow = () => new Promise<void>((resolve) => setImmediate(resolve));
			const disk = new MemoryDisk(async (step) => void (step.startsWith('sync') && (await slow())));
			disk.put('/d/f', bytes(OLD), 0o644);
			await replaceFile(disk, '/d/f', NEW, { randomName: () => 'x' });
			disk.powerCut(seededRandom(seed));
			disk.restart();
			expect(text(disk.read('/d/f')?.bytes)).toBe(NEW);
			const temp = '/d/.x.tmp';
			expect(disk.log).toEqual([`create ${temp}`, `write ${temp}`, `sync ${temp}`, `rename ${temp} /d/f`, 'sync /d']);
		}
	});

	it('puts the temporary file into the folder of the real target', async () => {
		const elsewhere = join(folder, 'elsewhere');
		await mkdir(elsewhere);
		await symlink(file, join(elsewhere, 'link'));
		const created: string[] = [];
		const files = tapped(nodeFiles, (step, path) => {
			if (step === 'create') created.push(nodeFiles.folderOf(path));
		});
		await writeFileAtomic(join(elsewhere, 'link'), NEW, { files });
		await writeFileAtomic(join(elsewhere, 'new'), NEW, { files });
		const real = async (path: string) => (await nodeFiles.find(path))?.path;
		expect(await Promise.all(created.map(real))).toEqual([await real(folder), await real(elsewhere)]);
	});

	it('replaces what a symbolic link points to and keeps the link', async () => {
		await symlink('config.json', join(folder, 'link'));
		await writeFileAtomic(join(folder, 'link'), NEW);
		expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
		expect(await readFile(file, 'utf8')).toBe(NEW);
	});

	it('keeps the permission bits of the file that it replaces, and is never more open on the way', async () => {
		for (const mode of [0o600, 0o666, 0o755, 0o440]) {
			await nodeFiles.remove(file);
			await writeFileAtomic(file, OLD, { mode });
			expect((await stat(file)).mode & 0o7777).toBe(mode);
			await writeFileAtomic(file, NEW);
			expect((await stat(file)).mode & 0o7777).toBe(mode);
		}
		await writeFileAtomic(join(folder, 'new'), NEW);
		expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o666 & ~process.umask());
		const modes: number[] = [];
		const disk = new MemoryDisk(async () => {
			for (const path of disk.paths()) if (path !== '/d/f') modes.push(disk.read(path)?.mode ?? 0o777);
		});
		disk.put('/d/f', bytes(OLD), 0o600);
		await replaceFile(disk, '/d/f', NEW);
		expect(new Set(modes)).toEqual(new Set([0o600]));
	});

	it('leaves the old file and no temporary file when any step before the rename fails, on the real disk', async () => {
		const tried: string[] = [];
		for (const failing of STEPS.slice(0, STEPS.indexOf('rename') + 1)) {
			const files = tapped(nodeFiles, (step) => {
				if (step === failing) throw Object.assign(new Error(`no ${step}`), { code: 'EIO' });
			});
			await expect(writeFileAtomic(file, NEW, { files })).rejects.toThrow(`no ${failing}`);
			expect(await readdir(folder)).toEqual(['config.json']);
			expect(await readFile(file, 'utf8')).toBe(OLD);
			tried.push(failing);
		}
		expect(tried).toHaveLength(8);
	});

	it('leaves the old file and no temporary file when it is aborted at any step before the rename', async () => {
		for (const step of STEPS) {
			const stop = new AbortController();
			const files = tapped(nodeFiles, (now) => {
				if (now === step) stop.abort(new Error('stopped'));
			});
			const write = writeFileAtomic(file, NEW, { files, signal: stop.signal });
			if (STEPS.indexOf(step) < STEPS.indexOf('rename')) {
				await expect(write).rejects.toThrow('stopped');
				expect(await readFile(file, 'utf8')).toBe(OLD);
			} else {
				await write;
				expect(await readFile(file, 'utf8')).toBe(NEW);
				await writeFile(file, OLD);
			}
			expect(await readdir(folder)).toEqual(['config.json']);
		}
		const used: string[] = [];
		const files = tapped(nodeFiles, (now) => used.push(now));
		const aborted = writeFileAtomic(file, NEW, { files, signal: AbortSignal.abort(new Error('early')) });
		await expect(aborted).rejects.toThrow('early');
		expect(used).toEqual([]);
	});

	it('reports the step that failed, not the clean-up that failed after it', async () => {
		const files = tapped(nodeFiles, (step) => {
			if (['writeFile', 'close', 'remove', 'closeFolder'].includes(step)) throw new Error(`no ${step}`);
		});
		await expect(writeFileAtomic(file, NEW, { files })).rejects.toThrow('no writeFile');
		expect(await readFile(file, 'utf8')).toBe(OLD);
	});

	it('says that the file is replaced but unconfirmed when the fsync of its folder fails', async () => {
		const broken = new Error('EIO');
		const files = tapped(nodeFiles, (step) => {
			if (step === 'syncFolder') throw broken;
		});
		const failed = await writeFileAtomic(file, NEW, { files }).catch((error: unknown) => error);
		expect(failed).toBeInstanceOf(UnconfirmedWriteError);
		expect(failed).toMatchObject({ cause: broken, message: expect.stringContaining('is replaced') });
		expect(await readFile(file, 'utf8')).toBe(NEW);
		expect(await readdir(folder)).toEqual(['config.json']);
	});

	it('gives every concurrent writer a file of its own and leaves the whole of one', async () => {
		const versions = Array.from({ length: 24 }, (_, index) => String.fromCharCode(97 + index).repeat(20_000));
		let writing = true;
		const torn: number[] = [];
		const read = async () => {
			while (writing) {
				const seen = await readFile(file, 'utf8');
				if (seen !== OLD && !versions.includes(seen)) torn.push(seen.length);
			}
		};
		const reading = read();
		await Promise.all(versions.map((version) => writeFileAtomic(file, version)));
		writing = false;
		await reading;
		expect(torn).toEqual([]);
		expect(versions).toContain(await readFile(file, 'utf8'));
		expect(await readdir(folder)).toEqual(['config.json']);
	});

	it('takes another name when one is taken, and never touches a file that it did not create', async () => {
		await writeFile(join(folder, '.taken.tmp'), 'a rival at work');
		const names = ['taken', 'taken', 'free'];
		await writeFileAtomic(file, NEW, { randomName: () => names.shift() ?? 'none' });
		expect(await readFile(file, 'utf8')).toBe(NEW);
		await expect(writeFileAtomic(file, OLD, { randomName: () => 'taken' })).rejects.toMatchObject({ code: 'EEXIST' });
		expect(await readFile(join(folder, '.taken.tmp'), 'utf8')).toBe('a rival at work');
		expect(await readFile(file, 'utf8')).toBe(NEW);
	});

	it('writes the bytes of the moment of the call, though the caller reuses its buffer', async () => {
		const buffer = Buffer.from('first');
		const write = writeFileAtomic(file, buffer);
		buffer.fill('x');
		await write;
		expect(await readFile(file, 'utf8')).toBe('first');
	});

	it('replaces a file whose name is as long as a name can be', async () => {
		const long = join(folder, 'n'.repeat(255));
		await writeFileAtomic(long, NEW);
		expect(await readFile(long, 'utf8')).toBe(NEW);
	});

	it('refuses a folder that is missing and a target that is a folder', async () => {
		await expect(writeFileAtomic(join(folder, 'no', 'file'), NEW)).rejects.toMatchObject({ code: 'ENOENT' });
		await mkdir(join(folder, 'sub', 'full'), { recursive: true });
		await expect(writeFileAtomic(join(folder, 'sub'), NEW)).rejects.toMatchObject({
			code: expect.stringMatching(/EISDIR|EEXIST|ENOTEMPTY|EPERM/),
		});
		expect((await readdir(folder)).sort()).toEqual(['config.json', 'sub']);
	});

	describe('scenario', () => {
		it('keeps every rule with the pattern on, whatever goes wrong and when', async () => {
			await expectEveryRule(
				demo,
				RULES,
				{
					writers: [1, 2, 4],
					fault: ['none', 'full', 'power'],
					at: Array.from({ length: 18 }, (_, i) => 7 * i),
				},
				4,
			);
		});

		it('shows torn reads without the pattern', async () => {
			const { broken, events } = await playScenario(demo, { pattern: false });
			expect(broken).toContain(RULES.whole);
			expect(events.length).toBeGreaterThan(14);
		});
	});
});
