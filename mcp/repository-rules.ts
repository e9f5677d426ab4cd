import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { jsonFaultPlace } from './json-place.ts';
import { type RuleFault, readRules } from './rule-form.ts';
import { createFileReader } from './security.ts';
import { BUILT_IN, type RuleSet } from './snippet.ts';

/** Where a repository keeps rules of its own; without the file, the built-in ones hold. */
export const RULES_PATH = 'registry/snippet-rules.json';

/** Most bytes of the file. */
const MAX_RULES_BYTES = 256 * 1024;
/** Longest snippet that a repository's own rules are run over: their patterns are not timed as the built-in ones are. */
export const OWN_RULES_MAX_SNIPPET = 20_000;
const MAX_SHOWN = 5;

/** The text of a repository's rules, that there are none, or why they cannot be read. */
export type RulesText = { kind: 'none' } | { kind: 'text'; text: string } | { kind: 'unreadable'; reason: string };

/** The rules that hold in a repository, or why its own cannot be used, in words for whoever can mend them. */
export type RepositoryRules = { ok: true; set: RuleSet } | { ok: false; problem: string };

/** Reads the file as the server reads any other: inside the root, regular, bounded. Never throws for what is there. */
export function readRulesText(root: string): RulesText {
	if (!isThere(join(root, RULES_PATH))) return { kind: 'none' };
	const read = createFileReader(root, MAX_RULES_BYTES)(RULES_PATH);
	if (!read.ok) return { kind: 'unreadable', reason: read.reason };
	if (read.truncated) return { kind: 'unreadable', reason: `the file is longer than ${MAX_RULES_BYTES} bytes` };
	return { kind: 'text', text: read.text };
}

/**
 * The rules that hold in the repository at `root`, read anew whenever its file has changed, so that mending it needs no
 * restart.
 */
export function createRules(root: string): () => RepositoryRules {
	let last: { text: string; rules: RepositoryRules } | undefined;
	return () => {
		const read = readRulesText(root);
		if (read.kind === 'none') return { ok: true, set: BUILT_IN };
		if (read.kind === 'unreadable') return unusable(`${RULES_PATH}: ${read.reason}.`);
		if (last?.text !== read.text) last = { text: read.text, rules: parseRules(read.text) };
		return last.rules;
	};
}

function parseRules(text: string): RepositoryRules {
	const json = text.replace(/^\uFEFF/, '');
	const fault = jsonFaultPlace(json);
	if (fault) return unusable(`${RULES_PATH}:${fault.line}:${fault.column} The file stops being valid JSON here.`);
	const value: unknown = JSON.parse(json);
	const read = readRules(value);
	if ('faults' in read) return unusable(...read.faults.map(faultLine));
	const whose = `this repository’s own conventions, ${RULES_PATH}`;
	return { ok: true, set: { rules: read.rules, whose, maxSnippet: OWN_RULES_MAX_SNIPPET } };
}

function faultLine({ path, message, fix }: RuleFault): string {
	const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
	return `${RULES_PATH}${place === '' ? '' : ` ${place.slice(1)}`}: ${message} ${fix}`;
}

function unusable(...lines: string[]): RepositoryRules {
	const more = lines.length - MAX_SHOWN;
	return {
		ok: false,
		problem: [
			'Nothing was checked: the rules of this repository cannot be used.',
			...lines.slice(0, MAX_SHOWN).map((line) => `- ${line}`),
			...(more > 0 ? [`- and ${more} more`] : []),
			'Mend the file, or delete it to have the built-in rules. `v10r-patterns validate` shows each line; the file is read again at the next call.',
		].join('\n'),
	};
}

/** Only a path that leads nowhere means that there is no file: one that cannot be looked at may be there. */
function isThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		// A file where the folder would be.
		return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR');
	}
}
