import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderExcerpt } from './excerpt.ts';
import { approximateTokens } from './tokens.ts';

const text = (request: Parameters<typeof renderExcerpt>[1], body: string, path = 'a.txt', truncated = false) => {
	const excerpt = renderExcerpt({ path, text: body, truncated }, request);
	return excerpt.ok ? excerpt.text : `PROBLEM ${excerpt.problem}`;
};
const ten = Array.from({ length: 10 }, (_, n) => `line ${n + 1}`).join('\n');
const guide = '# Guide\nintro\n## Setup\none\n### Deep\ntwo\n## Use\nthree\n';

describe('renderExcerpt', () => {
	it('numbers lines, says how many there are and how to go on', () => {
		expect(text({ startLine: 9, lineCount: 5 }, ten)).toBe('a.txt · lines 9–10 of 10\n\n 9  line 9\n10  line 10');
		expect(text({ lineCount: 2 }, ten)).toBe(
			'a.txt · lines 1–2 of 10\n\n1  line 1\n2  line 2\n\n8 more lines; next: get_file_excerpt {"path": "a.txt", "start_line": 3}',
		);
	});

	it('counts no line after a final newline, and reads every kind of line end', () => {
		expect(text({}, 'a\r\nb\rc\n')).toContain('lines 1–3 of 3');
		expect(text({}, '\uFEFFa')).toContain('1  a');
		expect(text({}, '')).toBe('a.txt is empty (0 lines)');
	});

	it('says which lines exist when the window is past the end', () => {
		expect(text({ startLine: 1_000_000_000 }, ten)).toBe(
			'PROBLEM a.txt has 10 lines; line 1000000000 is past the end. Ask for a line from 1 to 10.',
		);
	});

	it('shows a section to its end and lists the sections below', () => {
		const shown = text({ section: '#setup' }, guide, 'guide.md');
		expect(shown).toContain('guide.md · lines 3–6 of 8 · section #setup');
		expect(shown).toContain('Sections below (pass one as "section"):\n- #use (lines 7–8)');
	});

	it.each(['setup', '#setup', 'Setup', '## Setup'])('finds a section by fragment or title: %s', (section) => {
		expect(text({ section }, guide, 'guide.md')).toContain('section #setup');
	});

	it('says which sections exist when one does not', () => {
		expect(text({ section: '#missing' }, guide, 'guide.md')).toBe(
			'PROBLEM guide.md has no section "#missing". It has: #guide, #setup, #deep, #use.',
		);
		expect(text({ section: 'x' }, ten)).toBe('PROBLEM a.txt has no sections; ask for lines by their numbers instead.');
	});

	it('finds a declaration of code with the comment that belongs to it', () => {
		const code =
			'import x from "y";\n\n/** Doc. */\nexport async function first() {\n\treturn 1;\n}\n\n// About.\nconst second = 2;\n';
		expect(text({ section: 'first' }, code, 'a.ts')).toContain('lines 3–6 of 9 · section first');
		expect(text({ section: 'second' }, code, 'a.ts')).toContain('lines 8–9 of 9');
	});

	it('finds a test by its title', () => {
		expect(text({ section: 'breaker' }, "describe('breaker', () => {\n});\n", 'a.test.ts')).toContain(
			'section breaker',
		);
	});

	it('finds a test by the full name under which a card pins it', () => {
		const tests =
			"describe('queue', () => {\n\tit('gives a job once', () => {\n\t\texpect(1);\n\t});\n\n\tit('b', () => {});\n});\n";
		expect(text({ section: 'queue > gives a job once' }, tests, 'a.test.ts')).toContain(
			'lines 2–4 of 7 · section gives a job once',
		);
		expect(text({ section: '#queue > b' }, tests, 'a.test.ts')).toContain('lines 6–7 of 7');
	});

	it('cuts a long line, and says that a file is longer than what is read of it', () => {
		expect(text({}, 'x'.repeat(5000))).toContain('… (4000 more characters on this line)');
		expect(text({}, ten, 'a.txt', true)).toContain('of 10 or more');
	});

	it('stays within the budget of an answer and never repeats or loses a line between windows', () => {
		const line = fc.string({ unit: 'grapheme', maxLength: 300 }).map((value) => value.replace(/[\r\n]/g, ''));
		fc.assert(
			fc.property(
				fc.array(line, { minLength: 1, maxLength: 60 }),
				fc.integer({ min: 1, max: 25 }),
				(lines, lineCount) => {
					const body = lines.map((value, at) => `${at}:${value}`).join('\n');
					const seen: number[] = [];
					for (let next: number | undefined = 1; next !== undefined; ) {
						const shown = text({ startLine: next, lineCount }, body);
						expect(approximateTokens(shown)).toBeLessThan(10_000);
						const [, first, last] = /lines (\d+)–(\d+)/.exec(shown) ?? [];
						for (let at = Number(first); at <= Number(last); at++) seen.push(at);
						const more = /"start_line": (\d+)/.exec(shown.split('\n').at(-1) ?? '');
						next = more ? Number(more[1]) : undefined;
					}
					expect(seen).toEqual(lines.map((_, at) => at + 1));
				},
			),
			{ numRuns: 30 },
		);
	});

	it('finds a test of Python by the name that a card pins it by', () => {
		const source = [
			'class TestQueue:',
			'    def test_first(',
			'        self,',
			'    ):',
			'        assert queue() == 1',
			'',
			'    def test_last(self):',
			'        pass',
			'',
		].join('\n');
		const excerpt = (section: string) =>
			renderExcerpt({ path: 'test_a.py', text: source, truncated: false }, { section });
		expect(excerpt('TestQueue::test_first')).toMatchObject({
			ok: true,
			text: expect.stringMatching(/^test_a\.py · lines 2–5 of 8 · section test_first\n/),
		});
		expect(excerpt('#TestQueue > test_last[1]')).toMatchObject({
			ok: true,
			text: expect.stringContaining('lines 7–8 of 8'),
		});
		expect(excerpt('TestQueue::test_gone')).toMatchObject({ ok: false });
	});
});
