import { browseAddress } from '../../registry/browse-address.ts';
import { DEFAULT_BRANCH, MAX_ID_LENGTH } from '../../registry/schema.ts';
import type { GitFacts } from './git-facts.ts';

/** What is known of the repository that gets its first registry. */
export interface RepositoryFacts {
	/** Name of its folder. */
	folder: string;
	/** Parsed package.json, when there is one. */
	manifest?: Readonly<Record<string, unknown>>;
	/** What git tells of it. */
	git?: GitFacts;
}

/**
 * The first registry of a repository, as text: one light record that is true of it from now on, since it describes this
 * set-up itself.
 */
export function firstRegistry(facts: RepositoryFacts): string {
	const name = slugOf(textOf(facts.manifest?.name) ?? facts.folder);
	const repository = repositoryAddress(facts.manifest?.repository) ?? facts.git?.repository ?? '';
	const branch = facts.git?.branch;
	const registry = {
		$schema: './registry.schema.json',
		version: '0.1.0',
		library: {
			name,
			title: `${name} patterns`,
			description: `The patterns of ${name}: what they are, when to use them, and which docs, code and tests to read.`,
			// A homepage is seldom where generated pages are published; without an address links lead to the repository.
			url: '',
			repository,
			...(branch === undefined || branch === DEFAULT_BRANCH ? {} : { branch }),
		},
		groups: [{ id: 'practices', title: 'Practices' }],
		categories: [{ id: 'documentation', title: 'Documentation', group: 'practices' }],
		requirements: [],
		patterns: [
			{
				id: 'pattern-registry',
				tier: 'light',
				title: 'Pattern registry',
				category: 'documentation',
				summary:
					'One authored file describes the patterns of this repository; the index, the pages and the files for agents are generated from it and checked against it.',
				when_to_use: 'A pattern of this repository is worth finding again, by a colleague or by an agent.',
				asks: [
					'where are the patterns of this repository listed',
					'how do I add a pattern to the index',
					'the generated pattern pages are out of date',
				],
				avoid_when: ['The knowledge serves one file only: a comment beside the code is nearer.'],
				capabilities: ['pattern index'],
				keywords: ['registry', 'catalog', 'generated docs'],
				docs: [{ path: 'README.md', note: 'The generated index of all patterns' }],
				code: [{ path: 'registry/registry.json', note: 'The authored file' }],
				maturity: 'implemented',
			},
		],
	};
	return `${JSON.stringify(registry, null, '\t')}\n`;
}

/** A name as the registry allows it; `library` when nothing of it is left. */
export function slugOf(name: string): string {
	const words = name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.match(/[a-z0-9]+/g);
	const slug = (words ?? []).join('-').slice(0, MAX_ID_LENGTH).replace(/-$/, '');
	return slug === '' ? 'library' : slug;
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The address to browse at, of the forms that package.json allows for `repository`. */
function repositoryAddress(value: unknown): string | undefined {
	const text = textOf(typeof value === 'object' && value !== null && 'url' in value ? value.url : value);
	if (text === undefined) return undefined;
	const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(text)?.[1];
	if (short !== undefined) return `https://github.com/${short.replace(/\.git$/, '')}`;
	return browseAddress(text);
}
