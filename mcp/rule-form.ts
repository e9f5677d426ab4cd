import { isObject } from './json-rpc.ts';
import { MAX_REPETITIONS, unboundedPart } from './pattern-bounds.ts';
import { LANGUAGES, SNIPPET_RULES, type SnippetRule } from './snippet.ts';

/** Something about a file of snippet rules that keeps it from being used. */
export interface RuleFault {
	/** Where it lies, from the root: `['rules', 2, 'pattern']`. */
	path: (string | number)[];
	/** What was found and what was expected. */
	message: string;
	/** What to do about it. */
	fix: string;
}

const FIELDS = ['id', 'languages', 'pattern', 'string', 'commentAllows', 'message', 'fix', 'pass', 'fail'] as const;
const MAX_RULES = 200;
const MAX_PATTERN = 1_000;
const MAX_TEXT = 500;
const LEAST_PASSING = 2;

/**
 * The rules of a parsed file, or everything about its form that keeps them from being run: unknown or missing fields,
 * patterns that do not compile or could run without end. Whether the examples hold is `fixtureFaults`'s to say. Needs no
 * library, so the server checks what it reads.
 */
export function readRules(value: unknown): { rules: SnippetRule[] } | { faults: RuleFault[] } {
	if (!isObject(value) || !Array.isArray(value.rules)) {
		const message = 'Expected an object with a list "rules".';
		return { faults: [{ path: [], message, fix: 'Write {"rules": [ … ]}, in the form of mcp/snippet-rules.json.' }] };
	}
	const { rules } = value;
	const faults = unknownFields(value, ['$schema', 'rules'], []);
	if (rules.length > MAX_RULES) {
		faults.push({
			path: ['rules'],
			message: `There are ${rules.length} rules, at most ${MAX_RULES} are run.`,
			fix: 'Leave to a linter what needs none of an agent’s attention.',
		});
	}
	const first = new Map<unknown, number>();
	for (const [index, rule] of rules.entries()) {
		const path = ['rules', index];
		faults.push(...ruleFaults(rule, path));
		const id = isObject(rule) ? rule.id : undefined;
		const before = first.get(id);
		if (typeof id !== 'string') continue;
		if (before === undefined) first.set(id, index);
		else faults.push({ path: [...path, 'id'], message: `rules[${before}] has this id too.`, fix: 'Give it another.' });
	}
	// Nothing in a rule without faults is of another type than its declaration says.
	return faults.length > 0 ? { faults } : { rules: rules as SnippetRule[] };
}

function ruleFaults(rule: unknown, path: (string | number)[]): RuleFault[] {
	if (!isObject(rule)) return [{ path, message: 'Expected an object.', fix: `Give it ${FIELDS.join(', ')}.` }];
	const faults = unknownFields(rule, FIELDS, path);
	const expect = (field: string, holds: boolean, expected: string, fix: string) => {
		const message = field in rule ? `Expected ${expected}.` : `The field ${JSON.stringify(field)} is missing.`;
		if (!holds) faults.push({ path: field in rule ? [...path, field] : path, message, fix });
	};
	const { id, languages, commentAllows, message, fix, pass, fail } = rule;
	const isKebab = typeof id === 'string' && id.length <= 60 && /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(id);
	expect(
		'id',
		isKebab,
		'a kebab-case name of at most 60 characters',
		'Comments allow a finding by this name: "no-any".',
	);
	const known = (each: unknown) => LANGUAGES.some((language) => language === each);
	expect(
		'languages',
		Array.isArray(languages) && languages.length > 0 && languages.every(known),
		`a list of ${LANGUAGES.join(', ')}`,
		'Name at least one of them; rules exist for these only.',
	);
	faults.push(...patternFaults(rule, 'pattern', 'gmu', path));
	if ('string' in rule) faults.push(...patternFaults(rule, 'string', 'u', path));
	if ('commentAllows' in rule) {
		expect(
			'commentAllows',
			typeof commentAllows === 'boolean',
			'true or false',
			'Leave it out where no comment helps.',
		);
	}
	expect('message', isSentence(message), `text of at most ${MAX_TEXT} characters`, 'Say why such code is wrong.');
	expect('fix', isSentence(fix), `text of at most ${MAX_TEXT} characters`, 'Say what to write instead.');
	expect(
		'pass',
		isTexts(pass) && pass.length >= LEAST_PASSING,
		`a list of at least ${LEAST_PASSING} pieces of code`,
		'Give code that the rule must let pass, near misses above all.',
	);
	expect(
		'fail',
		Array.isArray(fail) && fail.length > 0 && fail.every(isFailing),
		'a list of {"code": "…", "lines": [1]}, at least one',
		'Give code that the rule must find, with the 1-based line of every finding.',
	);
	return faults;
}

function patternFaults(
	rule: Record<string, unknown>,
	field: string,
	flags: string,
	path: (string | number)[],
): RuleFault[] {
	const source = rule[field];
	const fault = (message: string, fix: string): RuleFault[] => [
		{ path: field in rule ? [...path, field] : path, message, fix },
	];
	if (!(field in rule)) return fault(`The field "${field}" is missing.`, 'Add a regular expression, as text.');
	if (typeof source !== 'string' || source === '') {
		return fault('Expected a regular expression, as text.', 'Write it without slashes: "\\\\benum\\\\b".');
	}
	if (source.length > MAX_PATTERN) {
		return fault(`The pattern has ${source.length} characters, at most ${MAX_PATTERN} are run.`, 'Split the rule.');
	}
	let pattern: RegExp;
	try {
		pattern = new RegExp(source, flags);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return fault(
			`It does not compile with the flags ${flags}: ${reason}.`,
			'Mend it; in JSON a backslash is written twice.',
		);
	}
	// The built-in ones were timed over hostile snippets: a repository may keep what it wants of them.
	const unbounded = isBuiltIn(source) ? undefined : unboundedPart(source);
	if (unbounded !== undefined) {
		const fix = `Bound every repetition ("\\\\s{0,20}", at most ${MAX_REPETITIONS}), part neighbours by a character that neither matches, and put choices of single characters in a class.`;
		return fault(`It could run without end: ${unbounded}.`, fix);
	}
	if (flags.includes('g') && pattern.test(''))
		return fault('It matches the empty text, so it would find every place.', 'Let it ask for some code.');
	return [];
}

function unknownFields(object: object, known: readonly string[], path: (string | number)[]): RuleFault[] {
	return Object.keys(object)
		.filter((key) => !known.includes(key))
		.map((key) => ({
			path: [...path, key],
			message: `Unknown field ${JSON.stringify(key.slice(0, 60))}.`,
			fix: `Delete it. Fields here are ${known.join(', ')}.`,
		}));
}

function isSentence(value: unknown): boolean {
	return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT;
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isFailing(value: unknown): boolean {
	if (!isObject(value) || typeof value.code !== 'string' || !Array.isArray(value.lines)) return false;
	const { lines } = value;
	return (
		lines.length > 0 && lines.every((line) => Number.isInteger(line) && line > 0) && Object.keys(value).length === 2
	);
}

function isBuiltIn(source: string): boolean {
	return SNIPPET_RULES.some(({ pattern, string }) => source === pattern || source === string);
}
