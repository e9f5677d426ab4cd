import { applyEdits, modify } from 'jsonc-parser';
import { MARKERS, RegionError } from '../../generators/index.ts';
import { replaceRegion } from '../../generators/regions.ts';
import { parseText } from '../../registry/parse.ts';
import { firstRegistry, type RepositoryFacts } from './first-registry.ts';
import type { GitFacts } from './git-facts.ts';
import { workflow } from './workflow.ts';

/** What `init` does to one file: writes it whole, or leaves it as it is and says why. */
export type Step =
	| { kind: 'create' | 'extend'; path: string; text: string; note: string }
	| { kind: 'leave'; path: string; note: string };

/** Texts of the files that are there already, by path from the root; undefined for those that are not. */
export type ReadText = (path: string) => string | undefined;

export const SCRIPTS = {
	'patterns:validate': 'v10r-patterns validate',
	'patterns:build': 'v10r-patterns build',
	'patterns:check': 'v10r-patterns check',
} as const;

export const WORKFLOW = '.github/workflows/patterns.yml';

/** Every file that a step may read or make. */
export const TARGETS = ['registry/registry.json', 'README.md', 'package.json', WORKFLOW] as const;

/**
 * What a repository needs to keep a registry: the registry itself, a place for the index in its README, scripts, and a
 * check in CI. Pure. Nothing that is there is changed except by adding to it.
 */
export function initSteps(read: ReadText, folder: string, git: GitFacts = {}): Step[] {
	const manifestText = read('package.json');
	const manifest = manifestText === undefined ? undefined : objectOf(manifestText);
	return [
		registryStep(read, { folder, git, ...(manifest ? { manifest } : {}) }),
		readmeStep(read('README.md'), folder),
		packageStep(manifestText, manifest),
		read(WORKFLOW) === undefined
			? { kind: 'create', path: WORKFLOW, text: workflow(manifest !== undefined), note: 'checks the patterns in CI' }
			: { kind: 'leave', path: WORKFLOW, note: 'is there already' },
	];
}

function registryStep(read: ReadText, facts: RepositoryFacts): Step {
	const path = 'registry/registry.json';
	if (read(path) !== undefined) return { kind: 'leave', path, note: 'is there already' };
	return { kind: 'create', path, text: firstRegistry(facts), note: 'one light record to begin with' };
}

function readmeStep(text: string | undefined, folder: string): Step {
	const path = 'README.md';
	const region = ['## Patterns', '', MARKERS.begin, MARKERS.end, ''];
	if (text === undefined) {
		return { kind: 'create', path, text: [`# ${folder}`, '', ...region].join('\n'), note: 'holds the pattern index' };
	}
	try {
		replaceRegion(path, text, '');
		return { kind: 'leave', path, note: 'has the markers already' };
	} catch (error) {
		if (!(error instanceof RegionError)) throw error;
		if (error.lines.length > 0) return { kind: 'leave', path, note: `mend its markers first: ${error.message}` };
	}
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const gap = text === '' ? '' : text.endsWith(`${eol}${eol}`) ? '' : text.endsWith('\n') ? eol : eol + eol;
	const extended = text + gap + region.join(eol);
	try {
		replaceRegion(path, extended, '');
	} catch (error) {
		if (!(error instanceof RegionError)) throw error;
		// An open code fence or comment would swallow the markers.
		return { kind: 'leave', path, note: 'it ends in an open code fence or comment; close it and run init again' };
	}
	return { kind: 'extend', path, text: extended, note: 'a place for the pattern index, at its end' };
}

function packageStep(text: string | undefined, manifest: Record<string, unknown> | undefined): Step {
	const path = 'package.json';
	if (text === undefined) return { kind: 'leave', path, note: 'there is none, so no scripts were added' };
	if (!manifest) return { kind: 'leave', path, note: 'is no JSON object, so no scripts were added' };
	const { scripts } = manifest;
	if (scripts !== undefined && !isObject(scripts)) return { kind: 'leave', path, note: 'its "scripts" is no object' };
	const missing = Object.entries(SCRIPTS).filter(([name]) => !Object.hasOwn(scripts ?? {}, name));
	if (missing.length === 0) return { kind: 'leave', path, note: 'has the scripts already' };
	const formattingOptions = formattingOf(text);
	const extended = missing.reduce(
		(changed, [name, command]) =>
			applyEdits(changed, modify(changed, ['scripts', name], command, { formattingOptions })),
		text,
	);
	return { kind: 'extend', path, text: extended, note: `scripts ${missing.map(([name]) => name).join(', ')}` };
}

function formattingOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
	const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
	return {
		insertSpaces: !indent.startsWith('\t'),
		tabSize: indent.startsWith('\t') ? 1 : indent.length,
		eol: text.includes('\r\n') ? '\r\n' : '\n',
	};
}

/** The JSON object that a text holds, if it is one. */
export function objectOf(text: string): Record<string, unknown> | undefined {
	const { data, problems } = parseText(text, 'package.json');
	return data && problems.length === 0 && isObject(data.value) ? data.value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
