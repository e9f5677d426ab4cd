import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../bin/cli.ts';
import { processSurroundings } from '../bin/surroundings.ts';
import { anchorsOf } from '../registry/anchors.ts';
import { diskFiles } from '../registry/repository-files.node.ts';
import { memoryFiles } from '../registry/repository-files.ts';
import { patternSchema } from '../registry/schema.ts';
import { validateRegistry } from '../registry/validate.ts';
import { commandFault, type Mention, mentionsIn, pathFault, type Truth } from './docs-mentions.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const REQUIRED = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'mcp/README.md'];
const disk = diskFiles(root);
const documents = [...REQUIRED, ...disk.list('docs').filter((path) => /^docs\/[^/]+\.md$/.test(path))];
const hidden = ['.ci/run', '.github/workflows/ci.yml', '.nvmrc', '.gitattributes', '.editorconfig', '.gitignore'];
const truth: Truth = {
	scripts: Object.keys(JSON.parse(text('package.json')).scripts),
	program: createProgram(processSurroundings(import.meta.url), async () => undefined),
	files: [...disk.list(''), ...hidden.filter((path) => existsSync(join(root, path)))],
};

function faultOf({ kind, text: mentioned }: Mention, document: string): string | undefined {
	if (kind === 'command') return commandFault(mentioned, truth);
	if (kind === 'path') return pathFault(mentioned, truth);
	const [target = '', fragment] = decodeURI(mentioned).split('#');
	const path = target === '' ? document : posix.join(dirname(document), target).replace(/\/$/, '');
	if (disk.kind(path) === undefined && !hidden.includes(path)) return `there is no ${path}`;
	if (fragment === undefined || !path.endsWith('.md')) return undefined;
	return anchorsOf(text(path)).includes(fragment) ? undefined : `${path} has no heading #${fragment}`;
}

describe('the documents', () => {
	it.each(documents)('%s is there and names only commands, paths and links that are there', (document) => {
		expect(disk.kind(document)).toBe('file');
		const faults = mentionsIn(text(document)).flatMap((mention) => {
			const fault = faultOf(mention, document);
			return fault === undefined ? [] : [`${document}:${mention.line} ${mention.text}: ${fault}`];
		});
		expect(faults).toEqual([]);
	});
});

describe('the record of docs/curation.md', () => {
	const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(text('docs/curation.md'))?.[1] ?? 'null');

	it('has every field that a card is written with, and keeps its schema', () => {
		const card = patternSchema.parse(example);
		const optional = ['verifiedSha', 'hidden'];
		const fields = Object.keys(patternSchema.shape).filter((field) => !optional.includes(field));
		expect(Object.keys(card)).toEqual(fields);
	});

	it('keeps the whole contract in a repository that has what it cites', () => {
		const registry = {
			version: '1.0.0',
			library: {
				name: 'shop',
				title: 'Shop',
				description: 'Of the shop.',
				url: 'https://shop.dev',
				repository: 'https://shop.dev/code',
			},
			groups: [{ id: 'data', title: 'Data' }],
			categories: [{ id: 'caching', title: 'Caching', group: 'data' }],
			patterns: [example],
		};
		const tests = ['never serves an expired value', 'evicts the oldest entry at its limit'];
		const files = memoryFiles({
			'docs/cache.md': '# Cache\n\n## How it works\n',
			'src/cache.ts': '',
			'src/cache.test.ts': `describe('cache', () => { ${tests.map((name) => `it('${name}', () => {});`).join(' ')} });`,
		});
		expect(validateRegistry({ text: JSON.stringify(registry), file: 'r.json', files, today: '2026-06-30' })).toEqual(
			[],
		);
	});
});

describe('the check of documents', () => {
	const faults = (markdown: string) => mentionsIn(markdown).flatMap((mention) => faultOf(mention, 'README.md') ?? []);

	it.each([
		['`npm run nothing`', 'there is no script "nothing"'],
		['```sh\nnpm ci && npm run nope # why\n```', 'there is no script "nope"'],
		['```\nnpx v10r-patterns serach x\n```', 'there is no command "serach"'],
		['`npm run -s cli -- search --qeries f`', '"search" has no option --qeries'],
		['`node mcp/nowhere.ts`', 'there is no file mcp/nowhere.ts'],
		['`podman run -i image node /repo/mcp/nowhere.ts`', 'there is no file mcp/nowhere.ts'],
		['`registry/nowhere.ts`', 'there is no registry/nowhere.ts'],
		['`library/<id>/<id>.nothing.ts`', 'there is no library/<id>/<id>.nothing.ts'],
		['`nowhere.json`', 'there is no nowhere.json'],
		['[x](registry/nowhere.ts)', 'there is no registry/nowhere.ts'],
	])('finds the fault of %j', (markdown, fault) => {
		expect(faults(markdown)).toEqual([fault]);
	});

	it.each([
		'`npm run -s cli -- search "x" --json`',
		'`npm ci && npm test`',
		'```sh\nv10r-patterns init --dry-run\nnode --import tsx bin/serve.ts\nnode dist/mcp.js\nbash .ci/run\n```',
		'`library/<id>/<id>.ts`, `registry/`, `registry/schema.ts:12`, `package.json`, `text/plain`, `tools/list`',
		'[x](https://example.org/y) [y](LICENSE)',
		'```ts\nnpm run nothing\n```',
	])('lets %j pass', (markdown) => {
		expect(faults(markdown)).toEqual([]);
	});
});
