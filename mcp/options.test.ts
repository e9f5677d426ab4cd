import { describe, expect, it } from 'vitest';
import { readCommand } from './options.ts';
import { defaultRoot } from './paths.ts';
import { SERVER_VERSION } from './version.ts';

const surroundings = { env: {}, cwd: '/somewhere', defaultRoot: '/lib/repo' };
const read = (args: string[], env = {}) => readCommand(args, { ...surroundings, env });

describe('options of the server', () => {
	it('serve the repository of the module by default, wherever the process was started', () => {
		const expected = { kind: 'serve', root: '/lib/repo', registryFile: '/lib/repo/public/registry.json' };
		expect(read([])).toEqual(expected);
		expect(readCommand([], { ...surroundings, cwd: '/' })).toEqual(expected);
	});

	it('take the root from a flag, else from V10R_ROOT unless that is empty', () => {
		expect(read(['--root', '/a'], { V10R_ROOT: '/b' })).toMatchObject({
			root: '/a',
			registryFile: '/a/public/registry.json',
		});
		expect(read([], { V10R_ROOT: '/b' })).toMatchObject({ root: '/b' });
		expect(read([], { V10R_ROOT: '' })).toMatchObject({ root: '/lib/repo' });
	});

	it('take paths relative to the working directory, also behind an equals sign', () => {
		expect(read(['--root=repo', '--registry=other.json'])).toEqual({
			kind: 'serve',
			root: '/somewhere/repo',
			registryFile: '/somewhere/other.json',
		});
	});

	it.each([['--help'], ['-h'], ['--version', '--help']])('print the usage for %s', (...args) => {
		expect(read(args)).toMatchObject({ kind: 'print', text: expect.stringContaining('--registry FILE') });
	});

	it('print the version', () => {
		expect(read(['--version'])).toEqual({ kind: 'print', text: `${SERVER_VERSION}\n` });
	});

	it.each([[['--rot', '/a']], [['extra']], [['--root']], [['--root', '']], [['--registry=']]])(
		'refuse %j with the usage',
		(args) => {
			expect(read(args)).toMatchObject({
				kind: 'refuse',
				text: expect.stringMatching(/\n\n[\s\S]*Usage: node mcp\/main\.ts/),
			});
		},
	);
});

describe('default root', () => {
	it.each(['file:///repo/mcp/main.ts', 'file:///repo/dist/mcp.js'])('of %s is the folder above', (url) => {
		expect(defaultRoot(url)).toBe('/repo');
	});
});
