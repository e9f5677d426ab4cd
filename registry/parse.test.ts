import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, MAX_REGISTRY_BYTES, parseText } from './parse.ts';

/** Each problem as `line:column message`. */
function complaints(text: string): string[] {
	return parseText(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('parseText', () => {
	it('accepts plain JSON and locates values and keys in it', () => {
		const parsed = parseText('{\n\t"patterns": [\n\t\t{ "id": "a" },\n\t\t{ "id": "b" }\n\t]\n}\n');
		expect(parsed.problems).toEqual([]);
		expect(parsed.locate(['patterns', 1, 'id'])).toEqual({ line: 4, column: 11 });
		expect(parsed.locate(['patterns', 1, 'id'], 'key')).toEqual({ line: 4, column: 5 });
	});

	it('locates what is missing at the nearest thing around it', () => {
		const parsed = parseText('{\n\t"patterns": [\n\t\t{ "id": "a" }\n\t]\n}');
		expect(parsed.locate(['patterns', 0, 'docs', 2, 'path'])).toEqual({ line: 3, column: 3 });
		expect(parsed.locate(['library'], 'key')).toEqual({ line: 1, column: 1 });
	});

	it('counts columns after astral characters and lines after CRLF as editors do', () => {
		expect(parseText('{\r\n"a": "🎉", "b": 1}').locate(['b'], 'key')).toEqual({ line: 2, column: 12 });
	});

	it.each([
		['an empty file', '', '1:1 The file is empty; a registry was expected.'],
		['blanks only', ' \n\n', '1:1 The file is empty; a registry was expected.'],
		['a byte order mark', '\uFEFF{}', '1:1 The file begins with a byte order mark.'],
		['a comment', '{\n  // why\n  "a": 1 }', '2:3 A comment; JSON has none.'],
		['a trailing comma', '{ "a": [1,\n 2 ,\n ] }', '2:4 A comma too many, before a closing bracket.'],
		['a repeated key', '{ "a": 1,\n  "a": 2 }', '2:3 The key "a" is repeated in this object (first on line 1).'],
		[
			'a missing comma',
			'{ "a": 1\n  "b": 2 }',
			'2:3 No valid JSON: expected a comma between two entries; found "\\"b\\"".',
		],
		['an open string', '{ "a": "x\n}', '1:8 No valid JSON: a string that is not closed on its line; found "\\"x".'],
		['a cut file', '{ "a": [1', '1:10 No valid JSON: expected ] to close a list; found the end of the file.'],
		[
			'single quotes',
			"{ 'a': 1 }",
			'1:3 No valid JSON: no JSON value: names and text need double quotes; found "\'a\'".',
		],
		['text after the end', '{}\n{}', '2:1 No valid JSON: expected nothing more after the data; found "{".'],
		[
			'bytes that were not UTF-8',
			'{ "a": "\uFFFD" }',
			'1:9 A character here is not valid UTF-8 (or is U+FFFD itself).',
		],
	])('refuses %s with one located message', (_what, text, message) => {
		expect(complaints(text)).toEqual([message]);
	});

	it('reports each merge conflict once, at its first marker, and nothing that follows from it', () => {
		const conflict = '<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> other\n';
		expect(complaints(`{\n${conflict},\n${conflict}}`)).toEqual([
			'2:1 A merge conflict is unresolved here: the line begins with <<<<<<<',
			'8:1 A merge conflict is unresolved here: the line begins with <<<<<<<',
		]);
		expect(complaints('{}\n>>>>>>> other\n')).toEqual([
			'2:1 A merge conflict is unresolved here: the line begins with >>>>>>>',
		]);
		expect(complaints('{ "a": "<<<<<<< not a marker" }')).toEqual([]);
	});

	it('gives the data when the slips leave its meaning clear, and none when they do not', () => {
		expect(parseText('\uFEFF{ "a": 1, /* x */ "b": [2,], "a": 3 }').data?.value).toEqual({ a: 3, b: [2] });
		expect(parseText('{ "a": 1 "b": 2 }').data).toBeUndefined();
	});

	it('reports comments and commas beside a grave error, but only the first grave one', () => {
		expect(complaints('{ "a": [1,], // x\n "b" 2, "c" 3 }').map((line) => line.slice(0, 25))).toEqual([
			'1:10 A comma too many, be',
			'1:14 A comment; JSON has ',
			'2:6 No valid JSON: expect',
		]);
	});

	it('does not read a file over its limit, and says both sizes', () => {
		const text = `{"a":"${'x'.repeat(20 * 1024 * 1024)}"}`;
		expect(complaints(text)).toEqual([
			`1:1 The file has 20 MB; a registry has at most ${MAX_REGISTRY_BYTES / 1024 / 1024} MB. It was not read.`,
		]);
	});

	it('refuses endless nesting with a place instead of running out of stack', () => {
		expect(complaints('['.repeat(200_000))).toEqual(['1:65 Nested more than 64 levels deep; a registry has fewer.']);
		expect(complaints(`{"a": "${'['.repeat(500)}"}`)).toEqual([]);
	});

	it('keeps a key that is a member of every object apart from it', () => {
		const { data, problems } = parseText('{ "__proto__": { "polluted": true }, "constructor": 1 }');
		expect(problems).toEqual([]);
		expect(Object.keys(data?.value as object)).toEqual(['__proto__', 'constructor']);
		expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
	});

	it('is exactly as strict as JSON.parse, whatever the text', () => {
		const pieces = [
			'{',
			'}',
			'[',
			']',
			',',
			':',
			'"a"',
			'1',
			'-',
			'0',
			'.5',
			'e3',
			'null',
			'true',
			' ',
			'\n',
			'"',
			'\\',
			'/*',
			'*/',
			'//',
			"'",
		];
		const text = fc.oneof(
			fc.json(),
			fc.string(),
			fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join('')),
		);
		fc.assert(
			fc.property(text, (candidate) => {
				fc.pre(!/\uFFFD|^[<|=>]{7}/m.test(candidate));
				const { problems, data } = parseText(candidate);
				// JSON.parse lets a key be repeated; that is the one thing refused beyond it.
				const grave = problems.filter(({ message }) => !message.includes('is repeated'));
				expect(grave.length === 0).toBe(accepts(candidate));
				if (problems.length === 0) expect(JSON.stringify(data?.value)).toBe(JSON.stringify(JSON.parse(candidate)));
			}),
			{ numRuns: 2000 },
		);
	});
});

function accepts(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

describe('formatPath', () => {
	it('writes a path as a reader of code would', () => {
		expect(formatPath(['patterns', 3, 'docs', 0, 'path'])).toBe('patterns[3].docs[0].path');
		expect(formatPath([])).toBe('');
	});
});
