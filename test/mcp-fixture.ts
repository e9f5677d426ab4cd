import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A small repository with a frozen registry, for tests that run the server over one. */
export interface FixtureRepository {
	/** A temporary folder that holds `repo` and `repo-evil`. */
	top: string;
	root: string;
	put(path: string, content: string | Uint8Array): void;
	remove(): void;
}

const card = (id: string, title: string, summary: string, more: object = {}) => ({
	id,
	tier: 'deep',
	title,
	category: 'resilience',
	summary,
	when_to_use: `When you need ${title.toLowerCase()}.`,
	asks: [`how do I get ${title.toLowerCase()}`],
	avoid_when: [`${title} is more than the task needs`],
	alternatives: [{ approach: 'nothing', prefer_when: 'it never fails' }],
	requires: [],
	capabilities: [title.toLowerCase()],
	keywords: [id],
	depends_on: [],
	docs: [{ path: `docs/${id}.md#use` }],
	code: [{ path: `src/${id}.ts` }],
	tests: [{ path: `src/${id}.test.ts` }],
	showcases: [],
	invariants: [`${title} must hold`],
	emulation_notes: ['Mind the clock.'],
	maturity: 'proven',
	verifiedAt: '2025-01-01',
	...more,
});

export const FIXTURE_REGISTRY = {
	format: 1,
	source: { path: 'registry/registry.json', sha256: '0'.repeat(64) },
	version: '1.0.0',
	library: {
		name: 'fixture',
		title: 'Fixture',
		description: '',
		url: 'https://example.org',
		repository: 'https://example.org',
	},
	groups: [{ id: 'all', title: 'All' }],
	categories: [{ id: 'resilience', title: 'Resilience', group: 'all' }],
	requirements: [{ id: 'redis', title: 'Redis' }],
	patterns: [
		card('retry-backoff', 'Retry with backoff', 'Tries a flaky call again, later each time, as long as it can help.'),
		card('circuit-breaker', 'Circuit breaker', 'Stops calling a service that keeps failing.', {
			depends_on: ['retry-backoff'],
		}),
		card('job-queue', 'Job queue', 'Runs background jobs that survive a crash.', { requires: ['redis'] }),
		card('rate-limit', 'Rate limit', 'Bounds how often a caller may call.'),
		card('bulkhead', 'Bulkhead', 'Bounds how many calls of a kind run at the same time.'),
		card('hedged-request', 'Hedged request', 'Sends a slow call a second time and takes the first answer.'),
		card('response-cache', 'Response cache', 'Keeps the answer of a slow call for a while.'),
	],
};

export function createFixtureRepository(): FixtureRepository {
	const top = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-fixture-')));
	const root = join(top, 'repo');
	const put = (path: string, content: string | Uint8Array) => {
		const file = join(root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, content);
	};
	put('public/registry.json', JSON.stringify(FIXTURE_REGISTRY));
	for (const { id, title } of FIXTURE_REGISTRY.patterns) {
		put(`docs/${id}.md`, `# ${title}\n\nIntroduction.\n\n## Use\n\nCall it.\n\n## Limits\n\nNone.\n`);
		put(`src/${id}.ts`, `export function run() {\n\treturn '${id}';\n}\n`);
		put(`src/${id}.test.ts`, `it('runs', () => {});\n`);
	}
	put('../repo-evil/secret.md', 'the-secret-outside');
	return { top, root, put, remove: () => rmSync(top, { recursive: true, force: true }) };
}
