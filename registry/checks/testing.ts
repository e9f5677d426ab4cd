import { registry } from '../fixtures.ts';
import { formatPath } from '../parse.ts';
import { memoryFiles } from '../repository-files.ts';
import type { PatternRecord, Registry } from '../schema.ts';
import type { Check, CheckContext } from './check.ts';

/** What a check runs on in tests: a few records, files by path, and a fixed day. */
export interface Given {
	patterns: readonly PatternRecord[];
	files?: Readonly<Record<string, string>>;
	registry?: Partial<Registry>;
}

export const TODAY = '2026-06-30';

export function contextOf({ patterns, files = {}, registry: fields = {} }: Given): CheckContext {
	return { registry: registry(patterns, fields), files: memoryFiles(files), today: TODAY };
}

/** What a check finds, each as `severity path: message`. */
export function findings(check: Check, given: Given): string[] {
	return check(contextOf(given)).map(({ severity, path, message }) => `${severity} ${formatPath(path)}: ${message}`);
}

/** The fixes that a check gives. */
export function fixes(check: Check, given: Given): string[] {
	return check(contextOf(given)).map(({ fix }) => fix);
}
