import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegistry } from '../registry/read.ts';
import { diskFiles } from '../registry/repository-files.node.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { validateRegistry } from '../registry/validate.ts';

const root = join(import.meta.dirname, '..');
const file = 'registry/registry.json';
const text = readFileSync(join(root, file), 'utf8');
const { patterns } = readRegistry(JSON.parse(text));
const folders = readdirSync(join(root, 'library'), { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name)
	.sort();
const cards = new Map(patterns.map((pattern) => [pattern.id, pattern]));
/** Cards of the library: those whose code is in a folder of their own. */
const ofLibrary = patterns.filter(({ code }) => code.some(({ path }) => path.startsWith('library/')));

/** The newest date that a card attests, so that the test does not age. */
const today =
	patterns
		.map(({ verifiedAt = '' }) => verifiedAt)
		.sort()
		.at(-1) ?? '';

describe('the registry of this repository', () => {
	it('has no error and no warning', () => {
		const diagnostics = validateRegistry({ text, file, files: diskFiles(root), today });
		expect(diagnostics.map(({ record, message }) => `${record}: ${message}`)).toEqual([]);
	});

	it('holds a deep, proven card with every invariant pinned for each pattern', () => {
		const shallow = patterns.filter(
			({ tier, maturity, invariants }) =>
				tier !== 'deep' ||
				maturity !== 'proven' ||
				invariants.length === 0 ||
				invariants.some((one) => typeof one === 'string'),
		);
		expect(shallow.map(({ id }) => id)).toEqual([]);
		expect(patterns.length).toBeGreaterThanOrEqual(41);
	});

	it('gives every card at least eight asks', () => {
		expect(patterns.filter(({ asks }) => asks.length < 8).map(({ id }) => id)).toEqual([]);
	});
});

describe('the folders of the library', () => {
	it.each(folders)('%s has a card that cites its code, tests, README and scenario', (id) => {
		const card = cards.get(id) as PatternRecord;
		expect(card, `no card "${id}" in ${file}`).toBeDefined();
		expect(card.code.map(({ path }) => path)).toContain(`library/${id}/${id}.ts`);
		expect(card.tests.map(({ path }) => path)).toContain(`library/${id}/${id}.test.ts`);
		expect(card.docs.some(({ path }) => path.startsWith(`library/${id}/README.md`))).toBe(true);
		expect(card.showcases.map(({ path }) => path)).toContain(`/showcases/${id}/`);
	});

	it('hold a scenario each', () => {
		expect(folders.filter((id) => !existsSync(join(root, 'library', id, `${id}.demo.ts`)))).toEqual([]);
	});

	it('are there for every card of the library', () => {
		const lost = ofLibrary.filter(({ id, category }) => !folders.includes(id) && !SYSTEM.includes(category));
		expect(lost.map(({ id }) => id)).toEqual([]);
		expect(folders.length).toBeGreaterThanOrEqual(24);
	});
});

/** Categories of patterns that this system itself shows; their code is the system's own. */
const SYSTEM = ['registry', 'surfaces', 'retrieval', 'server', 'site'];
