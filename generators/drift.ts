import { createTwoFilesPatch } from 'diff';
import type { Standing } from './compare.ts';
import { LAYOUT } from './layout.ts';

/** The kinds of drift, in the order of the report. */
export const DRIFT_CLASSES = ['changed', 'line-endings', 'missing', 'orphan'] as const;
export type DriftClass = (typeof DRIFT_CLASSES)[number];

/** One file that is not what the registry says. */
export interface Drift {
	class: DriftClass;
	path: string;
	/** What puts it right. */
	fix: string;
	/** No build puts it right. */
	byHand?: true;
	/** For a changed file: a unified diff from the disk to the plan, cut when it is long. */
	patch?: string;
}

const PATCH_LINES = 120;
/** Lines that differ beyond which two files have too little in common for a diff to help. */
const MAX_EDITS = 4_000;

/** The drift in a comparison, by class and then in the plan's order. @param command the build, for the fixes */
export function driftOf(standings: readonly Standing[], command: string): Drift[] {
	const drifts = standings.map((standing) => oneDrift(standing, command)).filter((drift) => drift !== undefined);
	return DRIFT_CLASSES.flatMap((wanted) => drifts.filter((drift) => drift.class === wanted));
}

/** The report for people: every file under its class, its diff, and what puts it right. @param command the build */
export function formatDrift(drifts: readonly Drift[], command: string): string {
	if (drifts.length === 0) return 'Generated files are up to date.\n';
	const blocks = DRIFT_CLASSES.flatMap((wanted) => {
		const found = drifts.filter((drift) => drift.class === wanted);
		if (found.length === 0) return [];
		const files = found.map(({ path, fix, patch }) => `  ${path}\n    ${fix}\n${patch ?? ''}`);
		return [`${HEADINGS[wanted]} (${found.length})\n${files.join('')}`];
	});
	return `${blocks.join('\n')}\n${summary(drifts, command)}\n`;
}

const HEADINGS: Record<DriftClass, string> = {
	changed: 'Changed: the file is not what the registry says',
	'line-endings': 'Line endings: nothing else differs',
	missing: 'Missing',
	orphan: 'Orphan: no record has this page',
};

function oneDrift(standing: Standing, command: string): Drift | undefined {
	const { state, path } = standing;
	if (state === 'same') return undefined;
	if (state === 'missing') return { class: state, path, fix: `Run ${command} to write it.` };
	if (state === 'orphan') {
		if (standing.ours) return { class: state, path, fix: `Run ${command} to remove it.` };
		const fix = `No build wrote it, so no build removes it: move it out of ${LAYOUT.pages}/, which holds generated files only.`;
		return { class: state, path, fix, byHand: true };
	}
	if (state === 'line-endings') {
		return {
			class: state,
			path,
			fix: `Run ${command}, and keep git from converting it: "* text=auto eol=lf" in .gitattributes.`,
		};
	}
	return { class: state, path, fix: `Run ${command}.`, patch: patchOf(path, standing.disk, standing.planned) };
}

function patchOf(path: string, disk: string, planned: string): string {
	const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, disk, planned, 'on disk', 'from the registry', {
		context: 2,
		maxEditLength: MAX_EDITS,
	});
	if (patch === undefined) return '(the two have too little in common for a diff)\n';
	const lines = patch.replace(/\n$/, '').split('\n').slice(1);
	const more = lines.length - PATCH_LINES;
	return `${lines.slice(0, PATCH_LINES).join('\n')}\n${more > 0 ? `(${more} more lines of this diff)\n` : ''}`;
}

function summary(drifts: readonly Drift[], command: string): string {
	const counts = DRIFT_CLASSES.map((wanted) => ({
		wanted,
		count: drifts.filter((drift) => drift.class === wanted).length,
	})).filter(({ count }) => count > 0);
	const files = drifts.length === 1 ? '1 file' : `${drifts.length} files`;
	const byHand = drifts.filter((drift) => drift.byHand).length;
	const fixes = [
		...(byHand < drifts.length ? [`Fix: ${command}`] : []),
		...(byHand > 0 ? [`Move by hand: ${byHand === 1 ? '1 file' : `${byHand} files`} that no build wrote.`] : []),
	];
	return `${files} out of date (${counts.map(({ wanted, count }) => `${count} ${wanted}`).join(', ')}). ${fixes.join('\n')}`;
}
