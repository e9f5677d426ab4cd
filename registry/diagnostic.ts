import { createColors } from 'picocolors';

/** How much a finding weighs: an error fails the gate, a warning is for the curator. */
export type Severity = 'error' | 'warning';

/** One finding about an authored registry, complete enough to act on without opening anything else. */
export interface Diagnostic {
	severity: Severity;
	/** Id of the record, or undefined when the finding is about the registry as a whole. */
	record?: string;
	/** Path of the field inside the record (`docs[1].path`), or inside the registry; empty for the whole. */
	field: string;
	file: string;
	/** 1-based. */
	line: number;
	/** 1-based, in UTF-16 code units, as editors count. */
	column: number;
	/** What was found and what was expected. */
	message: string;
	/** What to do about it. */
	fix: string;
}

/** How many findings are errors and how many are warnings. */
export function countBySeverity(diagnostics: readonly Diagnostic[]): { errors: number; warnings: number } {
	const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
	return { errors, warnings: diagnostics.length - errors };
}

/**
 * Findings as text for a terminal: one block each, in the order given, and a count at the end. `colour` adds escape
 * codes; without it the text is plain, the same for every reader.
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], options: { colour: boolean }): string {
	const paint = createColors(options.colour);
	const blocks = diagnostics.map((diagnostic) => {
		const { severity, record, field, file, line, column, message, fix } = diagnostic;
		const label = severity === 'error' ? paint.red('error') : paint.yellow('warning');
		const where = [record, field].filter((part) => part !== undefined && part !== '').join(' · ');
		const head = `${paint.bold(`${file}:${line}:${column}`)} ${label}${where === '' ? '' : ` ${paint.cyan(where)}`}`;
		return `${head}\n  ${message}\n  ${paint.dim(`fix: ${fix}`)}\n`;
	});
	const { errors, warnings } = countBySeverity(diagnostics);
	const total = `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
	return [...blocks, errors > 0 ? paint.red(total) : total].join('\n');
}

function plural(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
