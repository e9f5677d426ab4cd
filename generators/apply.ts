import type { Artifact } from './artifact.ts';
import { SCRIPT_COMMAND } from './build-command.ts';
import { compareWithDisk } from './compare.ts';
import { type Disk, nodeDisk } from './disk.ts';
import { type Drift, driftOf } from './drift.ts';

/** What a build did. All paths are relative to the root. */
export interface BuildResult {
	/** Files written because they were missing or differed, in the plan's order. */
	written: string[];
	/** Pages of earlier builds whose record is gone. */
	removed: string[];
	/** Files in the pages' folder that no build wrote; they are left alone and still fail the check. */
	strays: Drift[];
	unchanged: number;
}

export interface ApplyPorts {
	disk?: Disk;
	/** The build as the repository runs it, for the fixes; see `buildCommand`. */
	command?: string;
}

/**
 * Brings the disk to the plan: writes the files that differ, each as a whole, then removes pages that earlier builds
 * wrote for records that are gone. Files that are right already are not touched.
 * @throws what the disk throws; files written before that are whole, and a second build does the rest
 */
export async function applyBuild(
	root: string,
	artifacts: readonly Artifact[],
	{ disk = nodeDisk(root), command = SCRIPT_COMMAND }: ApplyPorts = {},
): Promise<BuildResult> {
	const result: BuildResult = { written: [], removed: [], strays: [], unchanged: 0 };
	const standings = await compareWithDisk(disk, artifacts);
	for (const standing of standings) {
		const { state, path } = standing;
		if (state === 'same') result.unchanged++;
		else if (state === 'orphan') {
			if (!standing.ours) result.strays.push(...driftOf([standing], command));
		} else {
			await disk.write(path, standing.bytes);
			result.written.push(path);
		}
	}
	for (const standing of standings) {
		if (standing.state !== 'orphan' || !standing.ours) continue;
		await disk.remove(standing.path);
		result.removed.push(standing.path);
	}
	return result;
}

/** Where the disk departs from the plan; empty when a build would do nothing. Writes nothing. */
export async function diffArtifacts(
	root: string,
	artifacts: readonly Artifact[],
	{ disk = nodeDisk(root), command = SCRIPT_COMMAND }: ApplyPorts = {},
): Promise<Drift[]> {
	return driftOf(await compareWithDisk(disk, artifacts), command);
}
