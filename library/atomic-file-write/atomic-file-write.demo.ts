import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { MemoryDisk } from './atomic-file-write.memory.ts';
import { replaceFile } from './atomic-file-write.ts';

/** The card's rules that the scenario checks, to the letter. */
export const RULES = {
	whole: 'A reader sees the old bytes in full or the new bytes in full, never a mix and never an empty file.',
	order: 'The file is fsynced before the rename and the folder after it, and success is reported only then.',
	failure: 'A failure before the rename leaves the old file as it was and no temporary file, whatever the step.',
	mode: 'The permission bits of a replaced file are kept, and the temporary file is never more open than they are.',
	folder: 'The temporary file lies in the folder of the real target, so that the rename never crosses a file system.',
	writers:
		'Concurrent writers never share a temporary file: it is created exclusively, and a name that is taken is left alone.',
} as const;

const PATH = '/data/config.json';
const PAGES = 8;
const PAGE_MS = 5;
const MODE = 0o640;

/** The steps that show on the timeline; the pages of a write would drown them. */
const NOTED = new Set(['create', 'truncate', 'sync', 'rename', 'sync-folder', 'remove']);

const page = (text: string) => new TextEncoder().encode(text.repeat(4 * PAGES));
const name = (bytes: Uint8Array): string => {
	const text = new TextDecoder().decode(bytes);
	if (text.length !== 4 * PAGES) return text === '' ? 'empty' : 'cut short';
	return new Set(text).size === 1 ? text.charAt(0) : 'a mix';
};

export const demo: Demo = {
	title: 'Replacing a file under readers, rivals and a failing disk',
	about:
		'Several writers replace one file, page by page, while a reader polls it; then the disk fills up or the power goes. ' +
		'Watch what the reader gets: with the pattern always one whole version, without it pieces.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Write to a temporary file and rename', value: true },
		{ id: 'writers', kind: 'number', label: 'Writers', value: 3, min: 1, max: 4, step: 1 },
		{
			id: 'fault',
			kind: 'select',
			label: 'What goes wrong',
			value: 'power',
			options: [
				{ value: 'none', label: 'Nothing' },
				{ value: 'full', label: 'The disk fills up' },
				{ value: 'power', label: 'The power goes' },
			],
		},
		{ id: 'at', kind: 'number', label: 'It goes wrong after', value: 55, min: 0, max: 120, step: 5, unit: 'ms' },
	],
	async run(controls, emit, clock) {
		const random = seededRandom(7);
		const began = clock.now();
		const t = () => clock.now() - began;
		let full = false;
		const widest = new Map<string, number>();
		const disk = new MemoryDisk(async (step, at) => {
			await clock.sleep(step === 'write' ? PAGE_MS : 1);
			if (NOTED.has(step)) emit({ t: t(), lane: 'disk', kind: 'info', label: `${step} ${at}` });
			for (const path of disk.paths()) widest.set(path, (widest.get(path) ?? 0) | (disk.read(path)?.mode ?? 0));
			if (full && step === 'write') throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
		});
		disk.put(PATH, page('o'), MODE);

		const cancelFault = clock.after(Number(controls.at), () => {
			if (controls.fault === 'full') full = true;
			if (controls.fault === 'power') disk.powerCut(random);
			if (controls.fault !== 'none') {
				const label = full ? 'no space left' : 'power lost';
				emit({ t: t(), lane: 'disk', kind: 'fail', label });
			}
		});

		const write = async (letter: string, delay: number) => {
			await clock.sleep(delay);
			const start = t();
			try {
				if (controls.pattern) await replaceFile(disk, PATH, page(letter), { randomName });
				else await disk.overwrite(PATH, page(letter));
				emit({ t: start, until: t(), lane: `writer ${letter}`, kind: 'ok', label: `wrote ${letter}, reported done` });
				return { letter, done: true, logged: disk.log.length };
			} catch (error) {
				if (!(error instanceof Error && 'code' in error)) throw error;
				const label = error.message;
				emit({ t: start, until: t(), lane: `writer ${letter}`, kind: 'fail', label });
				return { letter, done: false, logged: disk.log.length };
			}
		};
		const names: string[] = [];
		const randomName = () => {
			const next = Math.floor(random() * 2 ** 32).toString(16);
			names.push(next);
			return next;
		};

		const reads: string[] = [];
		let writing = true;
		const read = async () => {
			while (writing) {
				const seen = name(disk.read(PATH)?.bytes ?? new Uint8Array());
				const label = seen.length === 1 ? `reads version ${seen}` : `reads ${seen}`;
				emit({ t: t(), lane: 'reader', kind: seen.length === 1 ? 'ok' : 'fail', label });
				reads.push(seen);
				await clock.sleep(6);
			}
		};
		const reading = read();
		const letters = ['A', 'B', 'C', 'D'].slice(0, Number(controls.writers));
		const results = await Promise.all(letters.map((letter, index) => write(letter, index * 13)));
		writing = false;
		await reading;
		cancelFault();

		const failedWhileRunning = controls.fault === 'power' ? [] : results.filter((result) => !result.done);
		const litter = disk.paths().filter((path) => path !== PATH);
		const untouched = failedWhileRunning.every(({ letter }) => !reads.includes(letter));
		// A last power cut, whatever happened before: what was reported as done must outlive it.
		if (controls.fault !== 'power') disk.powerCut(random);
		disk.restart();
		const left = disk.read(PATH);
		const final = name(left?.bytes ?? new Uint8Array());
		emit({ t: t(), lane: 'disk', kind: 'state', label: `after a restart the file holds ${final}` });

		const done = results.filter((result) => result.done);
		const ordered = done.every(({ logged }) => {
			const log = disk.log.slice(0, logged);
			return names.some((temp) => {
				const path = `/data/.${temp}.tmp`;
				const synced = log.indexOf(`sync ${path}`);
				const renamed = log.indexOf(`rename ${path} ${PATH}`);
				return synced >= 0 && synced < renamed && log.lastIndexOf('sync /data') > renamed;
			});
		});
		const pieces = [...reads, final].filter((seen) => seen.length > 1);
		const lost = done.length > 0 && final === 'o';
		emit({
			rule: RULES.whole,
			ok: pieces.length === 0,
			detail: pieces.length
				? `${pieces.length} of ${howMany(reads.length + 1, 'read')}: ${pieces[0]}`
				: howMany(reads.length + 1, 'read'),
		});
		emit({
			rule: RULES.order,
			ok: ordered && !lost,
			detail: `${howMany(done.length, 'write')} reported done; ${final} after the restart`,
		});
		emit({
			rule: RULES.failure,
			ok: untouched && (controls.fault === 'power' || litter.length === 0),
			detail: `${failedWhileRunning.length} failed with the power on; ${howMany(litter.length, 'temporary file')}`,
		});
		const temps = [...widest].filter(([path]) => path !== PATH);
		emit({
			rule: RULES.mode,
			ok: left?.mode === MODE && temps.every(([, mode]) => (mode & ~MODE) === 0),
			detail: `0${left?.mode.toString(8)}`,
		});
		const strays = temps.filter(([path]) => disk.folderOf(path) !== disk.folderOf(PATH));
		emit({
			rule: RULES.folder,
			ok: strays.length === 0,
			detail: `${howMany(temps.length, 'temporary file')}, ${strays.length} elsewhere`,
		});
		const created = disk.log.filter((line) => line.startsWith('create '));
		const collided = controls.fault === 'none' && done.length < letters.length;
		emit({
			rule: RULES.writers,
			ok: new Set(created).size === created.length && pieces.every((seen) => seen !== 'a mix') && !collided,
			detail: `${howMany(letters.length, 'writer')}, ${howMany(created.length, 'temporary file')}`,
		});
	},
};
