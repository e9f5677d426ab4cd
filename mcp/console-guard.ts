/** The methods that print to stdout. */
const PRINTING = [
	...(['log', 'info', 'debug', 'dir', 'dirxml', 'table'] as const),
	...(['group', 'groupCollapsed', 'count', 'timeLog', 'timeEnd'] as const),
];

/** What is needed of a console. */
export type GuardedConsole = Pick<Console, (typeof PRINTING)[number] | 'error'>;

/** Sends everything that is printed with `console` to stderr: stdout carries frames and nothing else. */
export function guardConsole(target: GuardedConsole): void {
	for (const method of PRINTING) target[method] = (...items: unknown[]) => target.error(...items);
}
