import { checkAddresses } from './checks/addresses.ts';
import type { Check, CheckContext } from './checks/check.ts';
import { checkDependencies } from './checks/dependencies.ts';
import { checkMaturity } from './checks/maturity.ts';
import { checkPins } from './checks/pins.ts';
import { checkRefs } from './checks/refs.ts';
import { checkAskLength, checkSharedAsks, checkTerms } from './checks/search-text.ts';
import { checkRoutes } from './checks/site-routes.ts';
import { checkTier } from './checks/tier.ts';
import { checkDuplicates, checkUniqueIds } from './checks/unique.ts';
import { checkVocabulary } from './checks/vocabulary.ts';
import type { Diagnostic } from './diagnostic.ts';
import { type Draft, draftRegistry } from './draft.ts';
import { formatPath, type JsonPath, type ParsedText, parseText } from './parse.ts';
import type { Problem } from './problem.ts';
import { readRegistry } from './read.ts';
import type { RepositoryFiles } from './repository-files.ts';
import type { Registry } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';

/** The contract beyond the schema. The order is of no account: findings are sorted by their place in the file. */
const CHECKS: readonly Check[] = [
	checkAddresses,
	checkTier,
	checkMaturity,
	checkVocabulary,
	checkUniqueIds,
	checkDuplicates,
	checkDependencies,
	checkRefs,
	checkRoutes,
	checkPins,
	checkTerms,
	checkAskLength,
	checkSharedAsks,
];

export interface ValidationInput {
	/** The authored JSON. */
	text: string;
	/** Its path, as messages name it. */
	file: string;
	/** The repository that it describes. */
	files: RepositoryFiles;
	/** The date against which the age of proofs is told: YYYY-MM-DD. */
	today: string;
}

/**
 * Everything that is wrong with an authored registry, at once and in the order of the file: its JSON, its shape, and
 * the contract with the repository. Never throws for bad input. Pure over its ports.
 */
export function validateRegistry({ text, file, files, today }: ValidationInput): Diagnostic[] {
	const parsed = parseText(text);
	const syntax = syntaxDiagnostics(parsed, file);
	if (!parsed.data) return syntax;
	const shape = schemaProblems(parsed.data.value);
	const draft = draftRegistry(parsed.data.value, shape);
	const contract = draft ? contractProblems(draft, { registry: draft.registry, files, today }) : [];
	const problems = [...shape, ...contract];
	return inOrder([...syntax, ...locatedIn(parsed, problems, file)]);
}

function contractProblems(draft: Draft, context: CheckContext): Problem[] {
	return CHECKS.flatMap((check) => check(context))
		.filter(({ lacks = [] }) => !lacks.some((path) => draft.touched(draft.sourcePath(path))))
		.map((problem) => ({ ...problem, path: draft.sourcePath(problem.path) }))
		.filter(({ path }) => !isConsequence(path, draft));
}

/**
 * The registry of an authored file, as far as JSON and schema go; or what stands against reading it, so that nothing is
 * generated from half a record.
 */
export function readAuthored(text: string, file: string): { registry: Registry } | { diagnostics: Diagnostic[] } {
	const parsed = parseText(text);
	const shape = parsed.data ? schemaProblems(parsed.data.value) : [];
	if (!parsed.data || parsed.problems.length > 0 || shape.length > 0) {
		return { diagnostics: inOrder([...syntaxDiagnostics(parsed, file), ...locatedIn(parsed, shape, file)]) };
	}
	return { registry: readRegistry(parsed.data.value) };
}

function syntaxDiagnostics(parsed: ParsedText, file: string): Diagnostic[] {
	return parsed.problems.map(({ line, column, message, fix, path }) => ({
		severity: 'error',
		...placeOf(path, parsed.data?.value),
		file,
		line,
		column,
		message,
		fix,
	}));
}

function locatedIn(parsed: ParsedText, problems: readonly Problem[], file: string): Diagnostic[] {
	return problems.map(({ severity, path, at, message, fix }) => ({
		severity,
		...placeOf(path, parsed.data?.value),
		file,
		...parsed.locate(path, at),
		message,
		fix,
	}));
}

function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
	return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** True when what the schema refused explains a finding: an unknown tier does not make docs missing. */
function isConsequence(path: JsonPath, draft: Draft): boolean {
	const [list, index, field] = path;
	if (list !== 'patterns' || index === undefined) return draft.leftOut(path);
	const gradeUnknown = draft.leftOut([list, index, 'tier']) || draft.leftOut([list, index, 'maturity']);
	return draft.leftOut(path) || (gradeUnknown && path.length === 3 && field !== 'category' && field !== 'id');
}

/** The record of a path, by its id where it has one, and the rest of the path inside it. */
function placeOf(path: JsonPath, root: unknown): Pick<Diagnostic, 'record' | 'field'> {
	const [list, index, ...inside] = path;
	if (list !== 'patterns' || typeof index !== 'number') return { field: formatPath(path) };
	const records = (root as { patterns?: unknown } | null)?.patterns;
	const record: unknown = Array.isArray(records) ? records[index] : undefined;
	const id = typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined;
	return { record: typeof id === 'string' && id !== '' ? id : `(record ${index + 1})`, field: formatPath(inside) };
}
