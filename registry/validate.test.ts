import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from './diagnostic.ts';
import { memoryFiles } from './repository-files.ts';
import { readAuthored, validateRegistry } from './validate.ts';

const FILES = memoryFiles({
	'docs/cache.md': '# Cache\n\n## How it works\n',
	'src/cache.ts': 'export {};\n',
	'src/cache.test.ts': "describe('cache', () => { it('never serves an expired value', () => {}); });\n",
});

/** A registry that keeps the whole contract, and from which tests take something away. */
function valid() {
	return {
		version: '1.0.0',
		library: {
			name: 'shop-patterns',
			title: 'Shop patterns',
			description: 'What the shop is built of.',
			url: 'https://shop.dev/patterns',
			repository: 'https://shop.dev/code',
		},
		groups: [{ id: 'data', title: 'Data' }],
		categories: [{ id: 'caching', title: 'Caching', group: 'data' }],
		requirements: [{ id: 'redis', title: 'Redis' }],
		patterns: [
			{
				id: 'local-cache',
				tier: 'deep',
				title: 'Local cache',
				category: 'caching',
				summary: 'Keeps answers near.',
				when_to_use: 'The same slow answer is asked for again.',
				asks: [
					'the same query runs on every request',
					'keep slow answers in memory',
					'page takes seconds although nothing changed',
					'how long may a cached value live',
					'memoize an expensive lookup with expiry',
					'ttl for values in process',
				],
				avoid_when: ['Answers must be current to the second.'],
				capabilities: ['answer caching'],
				keywords: ['memo', 'ttl'],
				requires: ['redis'],
				docs: [{ path: 'docs/cache.md#how-it-works' }],
				code: [{ path: 'src/cache.ts' }],
				tests: [{ path: 'src/cache.test.ts' }],
				invariants: [
					{
						rule: 'An expired value is never served.',
						pinned_by: 'src/cache.test.ts#cache > never serves an expired value',
					},
				],
				emulation_notes: ['Bound the number of entries.'],
				maturity: 'proven',
				verifiedAt: '2026-06-01',
			},
			{
				id: 'shared-cache',
				tier: 'light',
				title: 'Shared cache',
				category: 'caching',
				summary: 'One cache for all processes.',
				when_to_use: 'Several processes ask for the same.',
				asks: ['share a cache between processes', 'cache that survives a deploy', 'warm cache for new instances'],
				depends_on: ['local-cache'],
				docs: [{ path: 'docs/cache.md' }],
				maturity: 'implemented',
			},
		],
	};
}

function validate(text: string): Diagnostic[] {
	return validateRegistry({ text, file: 'registry.json', files: FILES, today: '2026-06-30' });
}

/** Findings on a changed copy of the valid registry, each as `severity record field: message`. */
function findings(change: (registry: ReturnType<typeof valid>) => void): string[] {
	const registry = valid();
	change(registry);
	return validate(JSON.stringify(registry, null, '\t')).map(
		({ severity, record, field, message }) => `${severity} ${[record, field].filter(Boolean).join(' ')}: ${message}`,
	);
}

/** Sets a field to a value of any type, as a careless author would. */
function set(target: object, field: string, value: unknown): void {
	Object.assign(target, { [field]: value });
}

describe('validateRegistry', () => {
	it('has nothing to say of a registry that keeps the contract', () => {
		expect(validate(JSON.stringify(valid()))).toEqual([]);
	});

	it('gives each finding its record, field, file, line, column, message and fix', () => {
		const registry = valid();
		set(registry.patterns[1] ?? {}, 'depends_on', ['local-cahce']);
		const text = JSON.stringify(registry, null, '\t');
		const line = text.split('\n').findIndex((one) => one.includes('local-cahce')) + 1;
		expect(validate(text)).toEqual([
			{
				severity: 'error',
				record: 'shared-cache',
				field: 'depends_on[0]',
				file: 'registry.json',
				line,
				column: 5,
				message: 'Unknown pattern "local-cahce".',
				fix: 'Did you mean "local-cache"?',
			},
		]);
	});

	it('reports problems of every kind at once, in the order of the file', () => {
		expect(
			findings(({ library, patterns: [deep, light] }) => {
				set(library, 'url', 'example.org');
				set(deep ?? {}, 'sumary', 'Twice.');
				set(deep ?? {}, 'docs', [{ path: 'docs/gone.md' }]);
				set(deep ?? {}, 'verifiedAt', '2025-06-01');
				set(light ?? {}, 'tier', 'shallow');
				set(light ?? {}, 'category', 'caches');
			}),
		).toEqual([
			'error library.url: "example.org" must be an absolute http(s) URL without query or fragment.',
			'error local-cache docs[0].path: "docs/gone.md" does not exist.',
			'warning local-cache verifiedAt: The proof was last checked 394 days ago, on 2025-06-01; it is stale after 180.',
			'error local-cache sumary: Unknown field "sumary".',
			'error shared-cache tier: Found "shallow", expected "deep", "light".',
			'error shared-cache category: Unknown category "caches".',
		]);
	});

	it('asks whether a misspelt field was meant to be another', () => {
		const registry = valid();
		set(registry.patterns[0] ?? {}, 'sumary', 'x');
		set(registry.patterns[0]?.docs?.[0] ?? {}, 'notes', 'x');
		set(registry.patterns[0]?.invariants?.[0] ?? {}, 'pinnedby', 'x');
		expect(validate(JSON.stringify(registry)).map(({ field, fix }) => [field, fix])).toEqual([
			['docs[0].notes', 'Did you mean "note"?'],
			['invariants[0].pinnedby', 'Did you mean "pinned_by"?'],
			['sumary', 'Did you mean "summary"?'],
		]);
	});

	it('says what a missing field is for', () => {
		const registry = valid();
		Reflect.deleteProperty(registry.patterns[1] ?? {}, 'summary');
		expect(validate(JSON.stringify(registry)).map(({ message, fix }) => [message, fix])).toEqual([
			['The field "summary" is missing.', 'Add it. What it is and what it prevents, in one or two sentences.'],
		]);
	});

	it.each([
		['docs', ['docs/cache.md'], 'docs[0]', 'Write {"path": "docs/cache.md"}. Where to read, and why.'],
		['code', 'src/cache.ts', 'code', 'Write [{"path": "src/cache.ts"}]. The canonical implementation.'],
		[
			'tests',
			{ path: 'src/cache.test.ts' },
			'tests',
			'Write [{"path": "src/cache.test.ts"}]. What pins its behaviour.',
		],
		['docs', [7], 'docs[0]', 'Write {"path": "…"}. Where to read, and why.'],
		[
			'docs',
			[{ path: { file: 'docs/cache.md' } }],
			'docs[0].path',
			'Write "docs/cache.md". Path in the repository, or',
		],
		['alternatives', ['A queue'], 'alternatives[0]', 'Write {"approach": "A queue", "prefer_when": "…"}. An object'],
		['asks', 'how to cache', 'asks', 'Write ["how to cache"]. How people who do not know its name ask for it'],
		['asks', [{ ask: 'how to cache' }], 'asks[0]', 'Write "how to cache". One ask, 3–14 words.'],
		['depends_on', { id: 'a' }, 'depends_on', 'Write ["a"]. Patterns that it builds on; no cycles.'],
		['summary', ['One.', 'Two.'], 'summary', 'Write "One. Two.". What it is and what it prevents'],
		['summary', { text: 'x'.repeat(99) }, 'summary', `Write "${'x'.repeat(60)}…". What it is`],
		['title', 7, 'title', 'Write "…". What people call it.'],
		[
			'invariants',
			[7],
			'invariants[0]',
			'Write "the rule", or {"rule": "the rule", "pinned_by": "path/to/file.test.ts#',
		],
		['invariants', 'A rule.', 'invariants', 'Write ["A rule."]. What must stay true'],
		['alternatives', [3], 'alternatives[0]', 'Write {"approach": "…", "prefer_when": "…"}.'],
	])('shows the form that %s should have instead of %j', (name, value, field, fix) => {
		const registry = valid();
		set(registry.patterns[0] ?? {}, name, value);
		const found = validate(JSON.stringify(registry)).filter(({ message }) => message.startsWith('Found'));
		expect(found.map((one) => [one.field, one.fix])).toEqual([[field, expect.stringContaining(fix)]]);
	});

	it('shows the form of what stands at the root, as far as it is short', () => {
		const fixes = (change: object) => validate(JSON.stringify({ ...valid(), ...change })).map(({ fix }) => fix);
		expect(fixes({ library: 'shop' })[0]).toMatch(/^Write \{"name": "shop", "title": "…", "description": "…"\}\. /);
		expect(fixes({ groups: ['data'] })[0]).toMatch(/^Write \{"id": "data", "title": "…"\}\. /);
		expect(validate('[]').map(({ fix }) => fix)).toEqual([expect.stringMatching(/^Change it\./)]);
	});

	it.each([
		['RAG', '"RAG" must be kebab-case: a-z, 0-9 and single hyphens inside.'],
		['a--b', '"a--b" must be kebab-case: a-z, 0-9 and single hyphens inside.'],
		['-a', '"-a" must be kebab-case: a-z, 0-9 and single hyphens inside.'],
		['café', '"café" must be kebab-case: a-z, 0-9 and single hyphens inside.'],
		['con', '"con" is a reserved name; add a word to it.'],
		['constructor', '"constructor" is a reserved name; add a word to it.'],
		['x'.repeat(80), `"${'x'.repeat(56)}…" is too long: at most 64 characters.`],
	])('refuses the id %s', (id, message) => {
		expect(findings(({ patterns: [, light] }) => set(light ?? {}, 'id', id))).toEqual([`error ${id} id: ${message}`]);
	});

	it('names the clash of RAG beside rag as well as the form', () => {
		const messages = findings(({ patterns: [deep, light] }) => {
			set(deep ?? {}, 'id', 'rag');
			set(light ?? {}, 'id', 'RAG');
			set(light ?? {}, 'depends_on', []);
		});
		expect(messages).toContain('error RAG id: The id "RAG" is "rag" on a disk that folds case.');
	});

	it('keeps places right behind entries that the schema refuses', () => {
		expect(
			findings(({ patterns: [deep, light] }) => {
				set(deep ?? {}, 'docs', [7, { path: '' }, { path: 'docs/gone.md' }]);
				set(light ?? {}, 'keywords', ['', 'to be']);
			}),
		).toEqual([
			'error local-cache docs[0]: Found the number 7, expected an object.',
			'error local-cache docs[1].path: "" must not be empty.',
			'error local-cache docs[2].path: "docs/gone.md" does not exist.',
			'error shared-cache keywords[0]: "" must not be empty.',
			'error shared-cache keywords[1]: "to be" has no term that search knows: only stop words, single letters or signs.',
		]);
	});

	it('names a record without an id by its number', () => {
		const registry = valid();
		Reflect.deleteProperty(registry.patterns[1] ?? {}, 'id');
		set(registry.patterns[1] ?? {}, 'category', 'nope');
		expect(validate(JSON.stringify(registry)).map(({ record, message }) => [record, message])).toEqual([
			['(record 2)', 'The field "id" is missing.'],
			['(record 2)', 'Unknown category "nope".'],
		]);
	});

	it('does not report what only follows from a refused field', () => {
		expect(findings(({ patterns: [, light] }) => set(light ?? {}, 'asks', 'how to share a cache'))).toEqual([
			'error shared-cache asks: Found "how to share a cache", expected a list.',
		]);
		expect(findings(({ patterns: [deep] }) => set(deep ?? {}, 'maturity', 'proved'))).toEqual([
			'error local-cache maturity: Found "proved", expected "planned", "implemented", "proven".',
		]);
	});

	it.each(['summary', 'tier', 'asks', 'invariants', 'tests', 'verifiedAt'] as const)(
		'does not call %s missing as well when it stands under a misspelt name',
		(field) => {
			const misspelt = `${field.slice(0, -2)}${field.at(-1)}`;
			expect(
				findings(({ patterns: [deep] }) => {
					set(deep ?? {}, misspelt, deep?.[field]);
					Reflect.deleteProperty(deep ?? {}, field);
				}),
			).toEqual([`error local-cache ${misspelt}: Unknown field ${JSON.stringify(misspelt)}.`]);
		},
	);

	it.each(['docs', 'tests', 'keywords', 'invariants'] as const)(
		'does not call %s empty when its only entry is refused',
		(field) => {
			const refused = findings(({ patterns: [deep] }) => set(deep ?? {}, field, [7]));
			expect(refused).toEqual([expect.stringContaining(`error local-cache ${field}[0]: Found the number 7`)]);
		},
	);

	it('still calls a list empty that only stands beside a field nobody could mean', () => {
		expect(
			findings(({ patterns: [, light] }) => {
				set(light ?? {}, 'docs', []);
				set(light ?? {}, 'references', []);
			}),
		).toEqual([
			'error shared-cache docs: A light record needs at least one doc; there is none.',
			'error shared-cache references: Unknown field "references".',
		]);
	});

	it('suggests the one field that is missing as the name of an unknown one', () => {
		const registry = valid();
		set(registry.patterns[0] ?? {}, 'invariants', [
			{ rule: 'r', test: 'src/cache.test.ts#x' },
			{ test: 'x', why: 'y' },
		]);
		const fixes = validate(JSON.stringify(registry)).map(({ field, fix }) => [field, fix]);
		expect(fixes).toContainEqual([
			'invariants[0].test',
			'Rename it to "pinned_by", which is missing here, or delete it.',
		]);
		expect(fixes).toContainEqual(['invariants[1].test', 'Delete it. Fields here are rule, pinned_by.']);
	});

	it('shows the pin for an id of pytest', () => {
		const registry = valid();
		const [deep] = registry.patterns;
		set(deep ?? {}, 'invariants', [{ rule: 'One.', pinned_by: 'tests/test_cache.py::TestCache::test_expires' }]);
		expect(validate(JSON.stringify(registry))).toMatchObject([
			{ fix: expect.stringMatching(/^Write "tests\/test_cache\.py#TestCache::test_expires"\. /) },
		]);
	});

	it('shows the address that a browser takes for one that git takes', () => {
		const registry = valid();
		set(registry.library, 'repository', 'git@shop.dev:acme/shop.git');
		expect(validate(JSON.stringify(registry))).toMatchObject([
			{ field: 'library.repository', fix: expect.stringMatching(/^Write "https:\/\/shop\.dev\/acme\/shop"\. /) },
		]);
	});

	it.each(['', ' main', '/main', 'a//b', 'a?b'])('refuses %j for a branch', (branch) => {
		expect(findings(({ library }) => set(library, 'branch', branch))).toEqual([
			`error library.branch: ${JSON.stringify(branch)} must be the name of a branch.`,
		]);
		expect(findings(({ library }) => set(library, 'branch', 'release/v1.x'))).toEqual([]);
	});

	it('warns of a placeholder for an address', () => {
		expect(findings(({ library }) => set(library, 'url', 'https://example.org/x'))).toEqual([
			'warning library.url: "https://example.org/x" is a placeholder, and links are made of it.',
		]);
	});

	it('still checks the contract when the JSON only has a comma too many or a comment', () => {
		const text = JSON.stringify(valid()).replace('docs/cache.md#how-it-works', 'docs/cache.md#nowhere');
		const slip = text.replace('"requirements"', '/* why */ "requirements"').replace(/\]\}$/, ',]}');
		expect(validate(slip).map(({ message }) => message)).toEqual([
			'A comment; JSON has none.',
			'No heading of "docs/cache.md" has the fragment "#nowhere".',
			'A comma too many, before a closing bracket.',
		]);
	});

	it.each(['[]', 'null', '3', '"x"', '{}', '{"patterns": {}}', '{"patterns": [null, 3, []]}'])(
		'answers %s with located messages',
		(text) => {
			const diagnostics = validate(text);
			expect(diagnostics.length).toBeGreaterThan(0);
			for (const { line, message, fix } of diagnostics)
				expect([line, message, fix]).toEqual([1, expect.any(String), expect.any(String)]);
		},
	);

	it('never throws and always locates, whatever stands in a field', () => {
		const fields = Object.keys(valid().patterns[0] ?? {});
		fc.assert(
			fc.property(fc.constantFrom(...fields), fc.jsonValue(), fc.boolean(), (field, value, nested) => {
				const registry = valid();
				set(registry.patterns[0] ?? {}, field, nested ? [value] : value);
				const text = JSON.stringify(registry, null, 1);
				const lines = text.split('\n');
				for (const { line, column } of validate(text)) {
					expect(lines[line - 1]?.length).toBeGreaterThanOrEqual(column - 1);
				}
			}),
			{ numRuns: 300 },
		);
	});
});

describe('readAuthored', () => {
	it('gives the registry when JSON and schema are kept, without a look at the repository', () => {
		const text = JSON.stringify(valid()).replaceAll('docs/cache.md', 'docs/gone.md');
		const authored = readAuthored(text, 'r.json');
		expect('registry' in authored && authored.registry.patterns.map(({ id }) => id)).toEqual([
			'local-cache',
			'shared-cache',
		]);
	});

	it('gives what stands against reading it otherwise', () => {
		const authored = readAuthored('{"version": "1.0.0",}', 'r.json');
		expect('diagnostics' in authored && authored.diagnostics.map(({ message }) => message)).toEqual([
			'The field "library" is missing.',
			'The field "groups" is missing.',
			'The field "categories" is missing.',
			'The field "patterns" is missing.',
			'A comma too many, before a closing bracket.',
		]);
	});
});
