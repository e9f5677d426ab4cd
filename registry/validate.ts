import type { Check } from './checks/check.ts';
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
import { draftRegistry } from './draft.ts';
import { formatPath, type JsonPath, parseText } from './parse.ts';
import type { Problem } from './problem.ts';
import type { RepositoryFiles } from './repository-files.ts';
import { schemaProblems } from './schema-problems.ts';

/** The contract beyond the schema. The order is of no account: findings are sorted by their place in the file. */
const CHECKS: readonly Check[] = [
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
	const syntax = parsed.problems.map(
		({ line, column, message, fix, path }): Diagnostic => ({
			severity: 'error',
			...placeOf(path, parsed.data?.value),
			file,
			line,
			column,
			message,
			fix,
		}),
	);
	if (!parsed.data) return syntax;
	const { value } = parsed.data;
	const shape = schemaProblems(value);
	const draft = draftRegistry(value, shape);
	const context = draft && { registry: draft.registry, files, today };
	const contract = context ? CHECKS.flatMap((check) => check(context)) : [];
	const located = contract
		.map((problem) => ({ ...problem, path: draft?.sourcePath(problem.path) ?? problem.path }))
		.filter((problem) => !isConsequence(problem, shape));
	const diagnostics = [...shape, ...located].map(
		({ severity, path, at, message, fix }): Diagnostic => ({
			severity,
			...placeOf(path, value),
			file,
			...parsed.locate(path, at),
			message,
			fix,
		}),
	);
	return [...syntax, ...diagnostics].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** True when a field that the schema refused explains the finding: an unknown tier makes no missing docs. */
function isConsequence({ path }: Problem, shape: readonly Problem[]): boolean {
	const record = path.slice(0, 2);
	return shape.some(({ path: refused, at }) => {
		if (at === 'key') return false;
		if (startsWith(path, refused)) return true;
		const field = refused.length === 3 && startsWith(refused, record) ? refused[2] : undefined;
		return path.length > 2 && (field === 'tier' || field === 'maturity');
	});
}

function startsWith(path: JsonPath, start: JsonPath): boolean {
	return start.every((part, index) => path[index] === part);
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
