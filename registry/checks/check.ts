import type { Problem } from '../problem.ts';
import type { RepositoryFiles } from '../repository-files.ts';
import type { PatternRecord, Registry } from '../schema.ts';

/** What a check may look at. `today` is a date, YYYY-MM-DD, given from outside so that a result can be repeated. */
export interface CheckContext {
	registry: Registry;
	files: RepositoryFiles;
	today: string;
}

/** One part of the contract: finds everything that breaks it. Pure over its context. */
export type Check = (context: CheckContext) => Problem[];

/** A check of each record by itself. */
export function eachPattern(
	check: (record: PatternRecord, path: readonly (string | number)[], context: CheckContext) => Problem[],
): Check {
	return (context) => context.registry.patterns.flatMap((record, index) => check(record, ['patterns', index], context));
}
