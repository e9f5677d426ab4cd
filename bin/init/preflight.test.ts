import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Workplace, workplace } from '../testing.ts';
import { writeFaults } from './preflight.ts';
import type { Step } from './steps.ts';

let place: Workplace;
let outside: string;
beforeEach(() => {
	place = workplace({ 'keep.txt': 'kept' });
	outside = mkdtempSync(join(tmpdir(), 'outside-'));
	writeFileSync(join(outside, 'a.txt'), 'theirs');
});
afterEach(() => {
	place.remove();
	rmSync(outside, { recursive: true, force: true });
});

const TARGETS = ['registry/registry.json', 'README.md', 'package.json', '.github/workflows/patterns.yml'];

/** Puts a link, a folder or the like at a path of the repository. */
function at(path: string, make: (absolute: string) => void): void {
	mkdirSync(dirname(join(place.root, path)), { recursive: true });
	make(join(place.root, path));
}

async function expectRefusal(message: string): Promise<void> {
	const before = readdirSync(place.root, { recursive: true });
	for (const more of [[], ['--dry-run'], ['--json']]) {
		const { code, out, err } = await place.run(['init', ...more]);
		expect([code, out]).toEqual([2, '']);
		expect(err).toBe(`${message}\nNothing was written.\n`);
	}
	expect(readdirSync(place.root, { recursive: true })).toEqual(before);
	expect(readdirSync(outside)).toEqual(['a.txt']);
	expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('theirs');
}

describe('init writes nothing at all', () => {
	it.each(TARGETS)('where %s is a folder', async (path) => {
		at(path, (absolute) => mkdirSync(absolute));
		await expectRefusal(`${path} is a folder, but a file belongs there. Move it away.`);
	});

	it.each(TARGETS)('where %s is a link that leads nowhere', async (path) => {
		at(path, (absolute) => symlinkSync(join(outside, 'gone.txt'), absolute));
		await expectRefusal(`${path} is a link that leads nowhere. Remove it, or make what it points to.`);
	});

	it.each(TARGETS)('where %s is a link that leads out of the repository', async (path) => {
		at(path, (absolute) => symlinkSync(join(outside, 'a.txt'), absolute));
		await expectRefusal(
			`${path} is a link that leads out of the repository. Replace it with a file or a folder of its own.`,
		);
	});

	it.each(['registry', '.github', '.github/workflows'])(
		'where the folder %s is a link that leads out',
		async (path) => {
			at(path, (absolute) => symlinkSync(outside, absolute));
			await expectRefusal(
				`${path} is a link that leads out of the repository. Replace it with a file or a folder of its own.`,
			);
		},
	);

	it('where a file stands for a folder', async () => {
		place.put('registry', 'a file');
		await expectRefusal('registry is no folder, but registry/registry.json belongs in it. Move it away.');
	});

	it('where a pipe stands for a file, which it does not wait for', async () => {
		at('README.md', (absolute) => execFileSync('mkfifo', [absolute]));
		await expectRefusal('README.md is no regular file. Move it away.');
	});

	it('where the disk would not let it', async () => {
		const { code, out, err } = await place.run(['init'], { mayWrite: (path) => !path.endsWith(place.root) });
		expect([code, out]).toEqual([2, '']);
		expect(err).toBe(
			`${place.root} cannot be written. Change its rights, or run init as its owner.\nNothing was written.\n`,
		);
		expect(place.snapshot()).toEqual({ 'keep.txt': 'kept' });
	});

	it('and names everything that stands in the way', async () => {
		at('README.md', (absolute) => mkdirSync(absolute));
		at('package.json', (absolute) => symlinkSync('nowhere', absolute));
		await expectRefusal(
			'README.md is a folder, but a file belongs there. Move it away.\npackage.json is a link that leads nowhere. Remove it, or make what it points to.',
		);
	});
});

describe('init', () => {
	it('works through links that stay in the repository', async () => {
		mkdirSync(join(place.root, 'parts'));
		at('registry', (absolute) => symlinkSync('parts', absolute));
		expect(await place.run(['init'])).toMatchObject({ code: 0 });
		expect(readdirSync(join(place.root, 'parts'))).toEqual(['registry.json']);
	});

	it('asks for the rights to each file and folder that a step changes, and for no other', () => {
		place.put('README.md', '# Shop\n');
		const steps: Step[] = [
			{ kind: 'create', path: 'registry/registry.json', text: '', note: '' },
			{ kind: 'extend', path: 'README.md', text: '', note: '' },
			{ kind: 'leave', path: 'keep.txt', note: '' },
		];
		const asked: string[] = [];
		const faults = writeFaults(place.root, steps, (path) => {
			asked.push(path);
			return !path.endsWith('README.md');
		});
		expect(asked.map((path) => path.slice(place.root.length))).toEqual(['', '/README.md', '']);
		expect(faults).toEqual(['README.md cannot be written. Change its rights, or run init as its owner.']);
		expect(writeFaults(place.root, steps, () => false)).toContain(
			`${place.root} cannot be written. Change its rights, or run init as its owner.`,
		);
		expect(writeFaults(place.root, steps)).toEqual([]);
	});
});
