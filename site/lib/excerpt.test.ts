import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { excerpt } from './excerpt.ts';

const filler = (count: number) => Array.from({ length: count }, (_, i) => `\tconst line${i} = ${i};`);
const block = (head: string, count: number) => [head, ...filler(count), '}', ''];
const imports = ['import a from "a";', 'import b from "b";', '', ...block('export interface Options {', 10)];

describe('excerpt', () => {
	it('shows a short file whole', () => {
		expect(excerpt(['import a from "a";', ...block('export class A {', 30)], 'lib/a.ts')).toEqual({ from: 1, to: 34 });
	});

	it('begins at what is named like the file, with the comment before it', () => {
		const lines = [
			...imports,
			...block('export function other() {', 40),
			'/**',
			' * Says why.',
			' */',
			...block('export class RetryBudget {', 30),
			...filler(30),
		];
		const { from, to } = excerpt(lines, 'library/retry/retry-budget.ts');
		expect(lines[from - 1]).toBe('/**');
		expect(lines[from + 2]).toBe('export class RetryBudget {');
		expect(to - from).toBe(27);
	});

	it('begins at the longest function or class where none is named like the file', () => {
		const lines = [
			...imports,
			...block('export const table = {', 50),
			...block('export function small() {', 3),
			...block('export async function large(', 20),
			...filler(30),
		];
		expect(lines[excerpt(lines, 'a/thing.ts').from - 1]).toBe('export async function large(');
	});

	it('folds away no handful of lines, above or below', () => {
		expect(excerpt(['import a from "a";', '', ...block('export class A {', 50)], 'a.ts').from).toBe(1);
		const lines = [...imports, ...block('export class A {', 28)];
		expect(excerpt(lines, 'a.ts')).toEqual({ from: imports.length + 1, to: lines.length });
	});

	it('begins at the top where nothing is exported', () => {
		expect(excerpt(filler(90), 'a/thing.py')).toEqual({ from: 1, to: 28 });
	});

	it('begins at no import in the modules of this library', () => {
		const modules = readdirSync('library')
			.map((id) => `library/${id}/${id}.ts`)
			.filter(existsSync);
		expect(modules.length).toBeGreaterThan(15);
		for (const path of modules) {
			const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
			const { from, to } = excerpt(lines, path);
			expect(lines.slice(from - 1, to).join('\n'), path).toMatch(/^export .*(?:class|function|const)/m);
			if (from > 1) expect(lines[from - 1], path).toMatch(/^(?:\/\*|\/\/|export )/);
		}
	});
});
