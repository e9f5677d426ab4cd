import { oneLine } from './card.ts';
import type { Library } from './library.ts';
import type { PatternRecord } from './schema.ts';
import type { FileRead } from './tool.ts';

/**
 * Arguments that work in this very library: an error that shows a call must not show one that fails too. Undefined when
 * the library has nothing that such a call could be about.
 */
export type Example = (library: Library, readFile: (path: string) => FileRead) => Record<string, unknown> | undefined;

/** Most files that are tried for an example. */
const MAX_TRIES = 40;

/** A task in the words of the library's own cards. */
export const searchExample: Example = (library) => ({ query: taskOf(sampleCards(library)[0]) });

export const patternExample: Example = (library) => {
	const [card] = sampleCards(library);
	if (!card) return undefined;
	const wanted = ['invariants', 'code', 'when_to_use', 'docs', 'summary'] as const;
	const filled = wanted.filter((section) => card[section].length > 0).slice(0, 2);
	return { id: card.id, ...(filled.length > 0 ? { sections: filled } : {}) };
};

/** The first file that a card cites and that can be read; a registry may be served without its repository. */
export const excerptExample: Example = (library, readFile) => {
	const cited = sampleCards(library).flatMap(({ docs, code, tests }) => [...docs, ...code, ...tests]);
	const files = cited
		.filter(({ kind }) => kind === undefined || kind === 'file' || kind === 'anchor')
		.map(({ path }) => path.replace(/#.*$/s, ''));
	const path = [...new Set(files)]
		.slice(0, MAX_TRIES - 1)
		.concat('README.md')
		.find((one) => readFile(one).ok);
	return path === undefined ? undefined : { path, start_line: 1, line_count: 40 };
};

export const traceExample: Example = (library) => {
	const [card] = sampleCards(library);
	return { capability: shortened(card?.capabilities[0] ?? '') || taskOf(card) };
};

export const planExample: Example = (library) => {
	const tasks = sampleCards(library).slice(0, 2).map(taskOf);
	return { capabilities: tasks.length > 0 ? [...new Set(tasks)] : [taskOf(undefined)] };
};

export const snippetExample: Example = () => ({ snippet: 'export const now = () => Date.now();' });

/** The cards in the order of every surface, deep ones first: they answer the most calls. */
function sampleCards({ patterns }: Library): PatternRecord[] {
	return [...patterns.filter(({ tier }) => tier === 'deep'), ...patterns.filter(({ tier }) => tier !== 'deep')];
}

function taskOf(card: PatternRecord | undefined): string {
	return shortened(card?.asks[0] ?? '') || shortened(card?.title ?? '') || card?.id || 'the task in plain words';
}

function shortened(text: string): string {
	return oneLine(text)
		.slice(0, 120)
		.replace(/\p{Surrogate}$/u, '');
}
