import { createColors } from 'picocolors';
import { type Surroundings, wantsColour } from './surroundings.ts';

/** Prints data as JSON for programs. */
export function printJson(value: unknown, { stdout }: Surroundings): void {
	stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints an answer of the query layer for people: the same text as agents get, with its headings set off by colour. */
export function printAnswer(text: string, { stdout, env }: Surroundings): void {
	stdout.write(`${paintAnswer(text, wantsColour(stdout, env))}\n`);
}

/** Colours an answer by the shape of its lines; removing the colour gives the text back. */
export function paintAnswer(text: string, colour: boolean): string {
	if (!colour) return text;
	const paint = createColors(true);
	return text
		.split('\n')
		.map((line) => {
			if (/^#{1,6} /.test(line)) return paint.bold(line);
			if (/^(?:Withheld|Not shown|Left out|Next|Note)\b/.test(line)) return paint.dim(line);
			const graded = /^(.*?)\[(strong|partial|weak)\](.*)$/.exec(line);
			if (!graded) return line;
			const [, before = '', grade = '', after = ''] = graded;
			const tone = grade === 'strong' ? paint.green : grade === 'partial' ? paint.yellow : paint.dim;
			return `${before}${tone(`[${grade}]`)}${after}`;
		})
		.join('\n');
}
