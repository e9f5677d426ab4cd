import type { Artifact } from './artifact.ts';
import type { Disk } from './disk.ts';
import { LAYOUT } from './layout.ts';
import { isGeneratedPage } from './pattern-page.ts';

/** How a file on the disk stands to the plan. `disk` is its text there; `ours` says that an earlier build wrote it. */
export type Standing =
	| { state: 'same'; path: string }
	| { state: 'missing'; path: string; bytes: Uint8Array }
	| { state: 'changed' | 'line-endings'; path: string; bytes: Uint8Array; planned: string; disk: string }
	| { state: 'orphan'; path: string; ours: boolean };

/** Compares the plan with the disk, byte by byte; build and check both act on the result. Writes nothing. */
export async function compareWithDisk(disk: Disk, artifacts: readonly Artifact[]): Promise<Standing[]> {
	const standings: Standing[] = [];
	for (const artifact of artifacts) standings.push(await compareOne(disk, artifact));
	const planned = new Set(artifacts.map(({ path }) => path));
	for (const path of await disk.list(LAYOUT.pages)) {
		if (planned.has(path)) continue;
		const bytes = path.endsWith('.md') ? await disk.read(path) : undefined;
		standings.push({ state: 'orphan', path, ours: bytes !== undefined && isGeneratedPage(path, decode(bytes)) });
	}
	return standings;
}

async function compareOne(disk: Disk, { path, text }: Artifact): Promise<Standing> {
	const bytes = new TextEncoder().encode(text);
	const found = await disk.read(path);
	if (!found) return { state: 'missing', path, bytes };
	if (Buffer.compare(bytes, found) === 0) return { state: 'same', path };
	const there = decode(found);
	const state = withLineFeeds(there) === withLineFeeds(text) ? 'line-endings' : 'changed';
	return { state, path, bytes, planned: text, disk: there };
}

function withLineFeeds(text: string): string {
	return text.replace(/\r\n?/g, '\n');
}

/** A byte order mark is a difference like any other. */
function decode(bytes: Uint8Array): string {
	return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
