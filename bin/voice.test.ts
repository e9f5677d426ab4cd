import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workplace } from './testing.ts';
import { commandVoice } from './voice.ts';

const place = workplace();
beforeAll(async () => {
	await place.run(['init']);
	place.put('lib/own.json', place.text('registry/registry.json'));
});
afterAll(() => place.remove());

/** The words of a command as a shell reads them. */
function wordsOf(command: string): string[] {
	return [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, bare]) =>
		quoted === undefined ? (bare ?? '') : quoted.replaceAll("'\\''", "'"),
	);
}

describe('an error of the command line', () => {
	it.each([
		[['search', 'x', '--limit', 'many'], 'search: --limit must be a whole number from 1 to 25, got "many"'],
		[['search', 'x', '--tier', 'medium'], 'search: --tier must be one of deep, light, got "medium"'],
		[['search', 'x', '--detail', 'long'], 'search: --detail must be one of full, compact, got "long"'],
		[['search', 'x', '--category', 'nope'], 'search: there is no category "nope"; there are: documentation'],
		[['search'], 'What to search for?'],
		[['show', 'pattern-registry', '--section', 'x'], 'show: --section may hold summary, when_to_use,'],
		[['show', 'nope'], 'show: There is no pattern "nope".'],
		[['show', ''], 'show: <id> is missing'],
		[['trace', ''], 'trace: <capability> must not be empty, got ""'],
		[['plan', ''], 'plan: <capability...> must not be empty, got [""]'],
		[
			['plan', 'x', '--infra', 'mysql'],
			'plan: --infra may hold nothing: this library declares no requirements; got ["my',
		],
		[['excerpt', 'README.md', '--start', 'x'], 'excerpt: --start must be a whole number from 1 to 10000000, got "x"'],
		[['excerpt', 'README.md', '--count', '1.5'], 'excerpt: --count must be a whole number from 1 to 400, got "1.5"'],
		[['excerpt', '../secret'], 'excerpt: the path has a ".." segment'],
	])('%j names the options of the command, and one that works', async (args, said) => {
		for (const more of [[], ['--registry', 'lib/own.json'], ['--root', place.root, '--json']]) {
			const { code, out, err } = await place.run([...args, ...more]);
			expect([code, out]).toEqual([2, '']);
			expect(err).toContain(said);
			expect(err).not.toMatch(/_patterns?\b|_excerpt|"(?:ids?|limit|sections|start_line|capability)"|\{"/);
			const [, command = ''] = /A command that works: v10r-patterns (.*)\n$/.exec(err) ?? [];
			for (const word of more.filter((one) => one !== '--json')) expect(wordsOf(command)).toContain(word);
			expect(await place.run(wordsOf(command))).toMatchObject({ code: 0, err: '' });
		}
	});

	it('says so where a library has nothing that a command could show', async () => {
		place.put('lib/empty.json', '{"patterns": []}');
		const { err } = await place.run(['show', 'nope', '--registry', 'lib/empty.json']);
		expect(err).toContain('No call of it can work yet: the library has no card');
	});
});

describe('a command in an error', () => {
	it('is typed as the tool is called', () => {
		const voice = commandVoice(['--root', '/my repo']);
		expect(voice.call('get_pattern', { id: 'a', sections: ['docs', 'code'] })).toBe(
			"v10r-patterns show a --section docs,code --root '/my repo'",
		);
		expect(voice.call('recommend_emulation_plan', { capabilities: ["it's", 'b c'] })).toBe(
			"v10r-patterns plan 'it'\\''s' 'b c' --root '/my repo'",
		);
	});

	it('keeps an operand that begins with a hyphen from being read as an option', () => {
		expect(commandVoice(['--root', 'r']).call('search_patterns', { query: '-x' })).toBe(
			'v10r-patterns search --root r -- -x',
		);
	});
});
