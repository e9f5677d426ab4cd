import { z } from 'zod';

/**
 * The one declaration of a registry: the types that every reader uses, the strict validation for authors, and the JSON
 * Schema for editors all come from here. Code that runs without node_modules imports types only and reads with
 * `read.ts`; `validate.ts` checks what a schema cannot say.
 */

/** The branch that links into a repository name when its registry names none. */
export const DEFAULT_BRANCH = 'main';

/** Names that a record cannot have: devices on Windows, members of every object, and the section's own index page. */
export const RESERVED_IDS: ReadonlySet<string> = new Set([
	...['con', 'prn', 'aux', 'nul', 'constructor', 'prototype', 'index'],
	...Array.from({ length: 9 }, (_, n) => [`com${n + 1}`, `lpt${n + 1}`]).flat(),
]);

/** Longest id: it becomes a file name, a route and a table cell. */
export const MAX_ID_LENGTH = 64;

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const text = (about: string) =>
	z
		.string()
		.refine((value) => value.trim() !== '', 'must not be empty')
		.describe(about);
const slug = (about: string) =>
	z.string().max(MAX_ID_LENGTH).regex(kebab, 'must be kebab-case: a-z, 0-9 and single hyphens inside').describe(about);
const id = (about: string) =>
	slug(about).refine((value) => !RESERVED_IDS.has(value), 'is a reserved name; add a word to it');
const address = (about: string) =>
	z
		.string()
		.regex(/^(?:https?:\/\/[^\s?#]+)?$/, 'must be an absolute http(s) URL without query or fragment')
		.default('')
		.describe(about);
const list = <Item extends z.ZodType>(item: Item, about: string) => z.array(item).default([]).describe(about);

export const REF_KINDS = ['file', 'dir', 'route', 'approute', 'anchor'] as const;
export const TIERS = ['deep', 'light'] as const;
export const MATURITIES = ['planned', 'implemented', 'proven'] as const;

export const refSchema = z
	.strictObject({
		path: text('Path in the repository, or a route of the site; may end in #fragment.'),
		note: text('What the reader finds there.').exactOptional(),
		kind: z
			.enum(REF_KINDS)
			.describe('file (default) | dir | anchor (a heading of a file) | route (a showcase) | approute (any page).')
			.exactOptional(),
	})
	.describe('Where to read, and why.');

export const pinnedInvariantSchema = z.strictObject({
	rule: text('What must stay true when the pattern is ported.'),
	pinned_by: text('The test that fails when the rule is broken: path/to/file.test.ts#describe > test.').regex(
		/^[^#]+#.+$/,
		'must be path/to/file.test.ts#full name of the test',
	),
});

export const patternSchema = z.strictObject({
	id: id('Unique kebab-case name: the file name, the route and the handle of the pattern.'),
	tier: z
		.enum(TIERS)
		.describe('deep: a full card to emulate. light: an index row that points to docs, code and proof.'),
	title: text('What people call it.'),
	category: slug('Id of one of the categories.'),
	summary: text('What it is and what it prevents, in one or two sentences.'),
	when_to_use: text('The situations that call for it.'),
	asks: list(
		text('One ask, 3–14 words.'),
		'How people who do not know its name ask for it: tasks, symptoms, questions, short lookups, acronyms.',
	),
	avoid_when: list(text('One contraindication.'), 'When not to use it; entry 0 is the headline.'),
	alternatives: list(
		z.strictObject({ approach: text('The other way.'), prefer_when: text('When it wins.') }),
		'What to use instead, and when.',
	),
	requires: list(slug('Id of one of the requirements.'), 'Infrastructure that the target must already run.'),
	capabilities: list(text('A noun phrase.'), 'What having it gives.'),
	keywords: list(text('A word or a short phrase.'), 'Words that people search by: symptoms, acronyms, synonyms.'),
	depends_on: list(slug('Id of another pattern.'), 'Patterns that it builds on; no cycles.'),
	docs: list(refSchema, 'What to read first.'),
	code: list(refSchema, 'The canonical implementation.'),
	tests: list(refSchema, 'What pins its behaviour.'),
	showcases: list(refSchema, 'Where it is proven live.'),
	invariants: list(
		z.union([text('A rule that no test pins yet.'), pinnedInvariantSchema]),
		'What must stay true after emulation, each pinned to a test.',
	),
	emulation_notes: list(text('One note.'), 'What people learned when they ported it.'),
	risk: text('low | medium | high, and why.').exactOptional(),
	maturity: z.enum(MATURITIES).describe('proven needs a test or a showcase, and verifiedAt. planned has neither.'),
	verifiedAt: z
		.string()
		.regex(date, 'must be a date: YYYY-MM-DD')
		.describe('When its proof was last checked; only on proven.')
		.exactOptional(),
	verifiedSha: z
		.string()
		.regex(/^[0-9a-f]{7,40}$/, 'must be 7 to 40 hex digits of a commit')
		.describe('The commit at which it was checked; only on proven.')
		.exactOptional(),
	hidden: z
		.literal(true)
		.describe('Keeps the record out of every surface, the frozen registry included, until it is removed.')
		.exactOptional(),
});

export const registrySchema = z
	.strictObject({
		$schema: z.string().describe('Path of the JSON Schema, for editors.').exactOptional(),
		version: z
			.string()
			.regex(/^\d+\.\d+\.\d+$/, 'must be a version: 1.2.3')
			.describe('Version of the registry.'),
		library: z.strictObject({
			name: slug('Short name: the server is named after it.'),
			title: text('What people call the library.'),
			description: text('One or two sentences: what is in it and for whom.'),
			url: address('Where the site is published; a path in it becomes the base of every link. Empty without a site.'),
			repository: address('Where the code can be browsed. Empty when that is nowhere.'),
			branch: z
				.string()
				.regex(/^[^\s/~^:?*[\\]+(?:\/[^\s/~^:?*[\\]+)*$/, 'must be the name of a branch')
				.describe('The branch that links into the repository name; main when absent.')
				.exactOptional(),
		}),
		groups: z
			.array(z.strictObject({ id: slug('Unique kebab-case name.'), title: text('Heading of the group.') }))
			.describe('The sections of every surface, in their order.'),
		categories: z
			.array(
				z.strictObject({
					id: slug('Unique kebab-case name.'),
					title: text('Heading of the category.'),
					group: slug('Id of its group.'),
				}),
			)
			.describe('The subsections of every surface, in their order.'),
		requirements: list(
			z.strictObject({ id: slug('Unique kebab-case name.'), title: text('What the target must run.') }),
			'The closed vocabulary of requires.',
		),
		routes: list(
			z.string().regex(/^\/[^\s?#]*$/, 'must be a path that begins with /'),
			'Pages that this repository\u2019s own site builds, for refs of kind route and approute; * at the end matches any rest.',
		),
		patterns: z.array(patternSchema).describe('The cards, in the order of every surface within a category.'),
	})
	.describe('A pattern registry: the authored source that every surface derives from.');

/** The whole registry with every list filled in. */
export type Registry = z.output<typeof registrySchema>;
/** One card with every list filled in. */
export type PatternRecord = z.output<typeof patternSchema>;
export type Ref = z.output<typeof refSchema>;
export type Tier = (typeof TIERS)[number];
export type Maturity = (typeof MATURITIES)[number];
export type Invariant = PatternRecord['invariants'][number];
export type Category = Registry['categories'][number];
export type Group = Registry['groups'][number];

/** The four lists of refs of a record, in the order in which a reader follows them. */
export const REF_FIELDS = ['docs', 'code', 'tests', 'showcases'] as const;
/** The JSON Schema (draft 2020-12) of the authored file, for editors; `registry.schema.json` is generated from it. */
export function registryJsonSchema(): Record<string, unknown> {
	return { ...z.toJSONSchema(registrySchema, { io: 'input' }), title: 'Pattern registry' };
}
