import type { Files, OpenFile, OpenFolder } from './atomic-file-write.ts';

interface Inode {
	cached: Uint8Array;
	durable: Uint8Array;
	mode: number;
}

/** Called before every step of an operation, each page of a write included; may wait, or throw to make the step fail. */
export type Pace = (step: string, path: string) => Promise<void>;

/**
 * A disk in memory that forgets as real ones do: readers see what was written at once, but a power cut keeps only what
 * was synced, plus whatever part of the rest happened to be flushed. File bytes and folder entries are flushed apart.
 */
export class MemoryDisk implements Files {
	/** The operations that succeeded, in order: `sync /d/f`. */
	readonly log: string[] = [];
	#entries = new Map<string, Inode>();
	#durable = new Map<string, Inode>();
	#journal: { path: string; inode: Inode | undefined }[] = [];
	#powered = true;
	readonly #pace: Pace;
	readonly #pageBytes: number;
	static readonly umask = 0o022;

	constructor(pace: Pace = async () => undefined, pageBytes = 4) {
		this.#pace = pace;
		this.#pageBytes = pageBytes;
	}

	/** Puts a file on the disk, already synced. */
	put(path: string, data: Uint8Array, mode: number): void {
		const inode = { cached: data, durable: data, mode };
		this.#entries.set(path, inode);
		this.#durable.set(path, inode);
	}

	/** What a reader sees now. */
	read(path: string): { bytes: Uint8Array; mode: number } | undefined {
		const inode = this.#entries.get(path);
		return inode && { bytes: inode.cached.slice(), mode: inode.mode };
	}

	paths(): string[] {
		return [...this.#entries.keys()];
	}

	/** Every later step fails; `restart` shows what was left. `random` decides what was flushed by chance. */
	powerCut(random: () => number): void {
		this.#powered = false;
		const flushed = Math.floor(random() * (this.#journal.length + 1));
		for (const { path, inode } of this.#journal.slice(0, flushed)) setOrDelete(this.#durable, path, inode);
		for (const inode of new Set(this.#durable.values())) {
			if (inode.cached === inode.durable) continue;
			const pages = Math.ceil(inode.cached.length / this.#pageBytes);
			const kept = Math.floor(random() * (pages + 2)) - 1;
			if (kept >= 0) inode.durable = inode.cached.slice(0, kept * this.#pageBytes);
		}
	}

	restart(): void {
		this.#powered = true;
		this.#journal = [];
		this.#entries = new Map(this.#durable);
		for (const inode of this.#entries.values()) inode.cached = inode.durable;
	}

	async find(path: string) {
		await this.#step('find', path);
		const inode = this.#entries.get(path);
		return inode && { path, mode: inode.mode };
	}

	async create(path: string, mode: number): Promise<OpenFile> {
		await this.#step('create', path);
		if (this.#entries.has(path)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' });
		const inode = { cached: new Uint8Array(), durable: new Uint8Array(), mode: mode & ~MemoryDisk.umask };
		this.#link(path, inode);
		this.log.push(`create ${path}`);
		return this.#handle(path, inode);
	}

	/** What `writeFile` of most standard libraries does: empties the file and writes into it. */
	async overwrite(path: string, data: Uint8Array): Promise<void> {
		await this.#step('truncate', path);
		let inode = this.#entries.get(path);
		if (!inode) {
			inode = { cached: new Uint8Array(), durable: new Uint8Array(), mode: 0o666 & ~MemoryDisk.umask };
			this.#link(path, inode);
		}
		inode.cached = new Uint8Array();
		await this.#handle(path, inode).writeFile(data);
	}

	async openFolder(path: string): Promise<OpenFolder> {
		await this.#step('open-folder', path);
		return {
			sync: async () => {
				await this.#step('sync-folder', path);
				for (const { path: changed, inode } of this.#journal) setOrDelete(this.#durable, changed, inode);
				this.#journal = [];
				this.log.push(`sync ${path}`);
			},
			close: () => this.#step('close-folder', path),
		};
	}

	async rename(from: string, to: string): Promise<void> {
		await this.#step('rename', from);
		const inode = this.#entries.get(from);
		if (!inode) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT' });
		this.#link(to, inode);
		this.#link(from, undefined);
		this.log.push(`rename ${from} ${to}`);
	}

	async remove(path: string): Promise<void> {
		await this.#step('remove', path);
		this.#link(path, undefined);
		this.log.push(`remove ${path}`);
	}

	folderOf(path: string): string {
		return path.slice(0, path.lastIndexOf('/')) || '/';
	}

	entry(folder: string, name: string): string {
		return `${folder}/${name}`;
	}

	#handle(path: string, inode: Inode): OpenFile {
		return {
			writeFile: async (data) => {
				for (let at = 0; at < data.length; at += this.#pageBytes) {
					await this.#step('write', path);
					inode.cached = Uint8Array.of(
						...inode.cached.slice(0, at),
						...data.slice(at, at + this.#pageBytes),
						...inode.cached.slice(at + this.#pageBytes),
					);
				}
				this.log.push(`write ${path}`);
			},
			chmod: async (mode) => {
				await this.#step('chmod', path);
				inode.mode = mode;
			},
			sync: async () => {
				await this.#step('sync', path);
				inode.durable = inode.cached;
				this.log.push(`sync ${path}`);
			},
			close: () => this.#step('close', path),
		};
	}

	async #step(step: string, path: string): Promise<void> {
		if (this.#powered) await this.#pace(step, path);
		if (!this.#powered) throw Object.assign(new Error('EIO: the power is off'), { code: 'EIO' });
	}

	#link(path: string, inode: Inode | undefined): void {
		setOrDelete(this.#entries, path, inode);
		this.#journal.push({ path, inode });
	}
}

function setOrDelete(entries: Map<string, Inode>, path: string, inode: Inode | undefined): void {
	if (inode) entries.set(path, inode);
	else entries.delete(path);
}
