import type { Invariant, PatternRecord, Ref, Registry } from './schema.ts';

/**
 * The tolerant reader: a registry from parsed JSON of any age. Lists that an older registry lacks are empty, fields that
 * this version does not know are ignored, and text that is missing is empty. It needs no library, so the stdio server
 * runs it from a bare mount; authors are held to more by `validate.ts`.
 * @throws Error when the value is no registry at all: not an object, or without a list of patterns that have ids
 */
export function readRegistry(value: unknown): Registry {
	const root = asObject(value);
	if (!root) throw new Error(`expected a registry object, found ${kindOf(value)}`);
	if (!Array.isArray(root.patterns)) throw new Error(`expected a list "patterns", found ${kindOf(root.patterns)}`);
	const library = asObject(root.library) ?? {};
	return {
		version: string(root.version),
		library: {
			name: string(library.name) || 'pattern-library',
			title: string(library.title) || 'Pattern library',
			description: string(library.description),
			url: string(library.url),
			repository: string(library.repository),
			...optional('branch', library.branch),
		},
		groups: objects(root.groups).map((group) => ({ id: string(group.id), title: string(group.title) })),
		categories: objects(root.categories).map((category) => ({
			id: string(category.id),
			title: string(category.title),
			group: string(category.group),
		})),
		requirements: objects(root.requirements).map(({ id, title }) => ({ id: string(id), title: string(title) })),
		routes: strings(root.routes),
		patterns: root.patterns.map(pattern),
	};
}

function pattern(value: unknown, index: number): PatternRecord {
	const record = asObject(value);
	if (!record || string(record.id) === '') throw new Error(`patterns[${index}] is no record with an id`);
	return {
		id: string(record.id),
		tier: record.tier === 'deep' ? 'deep' : 'light',
		title: string(record.title) || string(record.id),
		category: string(record.category),
		summary: string(record.summary),
		when_to_use: string(record.when_to_use),
		asks: strings(record.asks),
		avoid_when: strings(record.avoid_when),
		alternatives: objects(record.alternatives).map(({ approach, prefer_when }) => ({
			approach: string(approach),
			prefer_when: string(prefer_when),
		})),
		requires: strings(record.requires),
		capabilities: strings(record.capabilities),
		keywords: strings(record.keywords),
		depends_on: strings(record.depends_on),
		docs: refs(record.docs),
		code: refs(record.code),
		tests: refs(record.tests),
		showcases: refs(record.showcases),
		invariants: list(record.invariants).flatMap(invariant),
		emulation_notes: strings(record.emulation_notes),
		...optional('risk', record.risk),
		maturity: record.maturity === 'proven' || record.maturity === 'implemented' ? record.maturity : 'planned',
		...optional('verifiedAt', record.verifiedAt),
		...optional('verifiedSha', record.verifiedSha),
		...(record.hidden === true ? { hidden: true as const } : {}),
	};
}

function refs(value: unknown): Ref[] {
	return objects(value)
		.filter((ref) => string(ref.path) !== '')
		.map((ref) => ({
			path: string(ref.path),
			...optional('note', ref.note),
			...(isRefKind(ref.kind) ? { kind: ref.kind } : {}),
		}));
}

function invariant(value: unknown): Invariant[] {
	if (typeof value === 'string') return [value];
	const { rule, pinned_by } = asObject(value) ?? {};
	if (string(rule) === '') return [];
	return string(pinned_by) === '' ? [string(rule)] : [{ rule: string(rule), pinned_by: string(pinned_by) }];
}

function isRefKind(value: unknown): value is NonNullable<Ref['kind']> {
	return value === 'file' || value === 'dir' || value === 'route' || value === 'approute' || value === 'anchor';
}

function optional<Key extends string>(key: Key, value: unknown): { [K in Key]?: string } {
	return typeof value === 'string' && value !== '' ? ({ [key]: value } as { [K in Key]?: string }) : {};
}

function string(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function strings(value: unknown): string[] {
	return list(value).filter((item) => typeof item === 'string');
}

function asObject(value: unknown): Record<string, unknown> | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as Record<string, unknown>)
		: undefined;
}

function objects(value: unknown): Record<string, unknown>[] {
	return list(value)
		.map(asObject)
		.filter((item) => item !== undefined);
}

function kindOf(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (value === null) return 'null';
	return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
