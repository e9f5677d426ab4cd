import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { checkPins } from './pins.ts';
import { findings, fixes } from './testing.ts';

const FILES = {
	'a.test.ts': `
		describe('bulkhead', () => {
			it('rejects at once', () => {});
			it.skip('is skipped', () => {});
			it.todo('is to do');
			it.each([1])('takes %i at a time', () => {});
			it.skipIf(process.platform === 'win32')('keeps the mode', () => {});
		});`,
	'only.test.ts': "it.only('a', () => {}); it('b', () => {});",
	'broken.test.ts': "it('a', () => {",
	'test_a.py':
		'class TestQueue:\n    def test_is_first_in_first_out(self):\n        pass\n\ndef test_ends():\n    pass\n\n@pytest.mark.skip\ndef test_later():\n    pass\n',
	'a_test.go': 'func TestQueue(t *testing.T) {\n\tt.Run("is first in first out", func(t *testing.T) {})\n}\n',
	'tests/x.ts': '',
	'docs/a.md': '# A\n\nA rule.\n',
};
const given = (...pins: string[]) => ({
	patterns: [record({ id: 'a', invariants: pins.map((pinned_by) => ({ rule: 'A rule.', pinned_by })) })],
	files: FILES,
});
const messages = (...pins: string[]) =>
	findings(checkPins, given(...pins)).map((line) => line.replace(/patterns.*?: /, ''));

describe('checkPins', () => {
	it('refuses a document, which runs no test', () => {
		expect(messages('docs/a.md#A rule')).toEqual(['error "docs/a.md" is a document, which runs no test.']);
	});

	it('accepts tests that exist and run', () => {
		expect(messages('a.test.ts#bulkhead > rejects at once', 'a.test.ts#bulkhead > takes 3 at a time')).toEqual([]);
		expect(messages('test_a.py#TestQueue > test_is_first_in_first_out')).toEqual([]);
	});

	it('refuses a name that no test has, at the field that claims it, and suggests the nearest', () => {
		expect(findings(checkPins, given('a.test.ts#bulkhead > rejects at one'))).toEqual([
			'error patterns[0].invariants[0].pinned_by: "a.test.ts" has no test named "bulkhead > rejects at one".',
		]);
		expect(fixes(checkPins, given('a.test.ts#bulkhead > rejects at one'))).toEqual([
			'Did you mean "bulkhead > rejects at once"?',
		]);
		expect(messages('a.test.ts#rejects at once', 'a.test.ts#bulkhead')).toHaveLength(2);
	});

	it('refuses a test that does not run', () => {
		expect(messages('a.test.ts#bulkhead > is skipped', 'a.test.ts#bulkhead > is to do')).toEqual([
			'error The test on line 4 of "a.test.ts" is marked .skip, so it proves nothing.',
			'error The test on line 5 of "a.test.ts" is marked .todo, so it proves nothing.',
		]);
	});

	it('refuses every test of a file in which an .only keeps others from running', () => {
		const message = 'error An .only on line 1 of "only.test.ts" keeps other tests from running.';
		expect(messages('only.test.ts#a', 'only.test.ts#b')).toEqual([message, message]);
	});

	it('warns of a test that runs only under a condition', () => {
		expect(messages('a.test.ts#bulkhead > keeps the mode')).toEqual([
			'warning The test on line 7 of "a.test.ts" runs only under a condition.',
		]);
	});

	it('refuses a file that is missing, a folder, outside, or that cannot be parsed', () => {
		expect(messages('A.test.ts#x', 'tests#x', '../a.test.ts#x')).toEqual([
			'error "A.test.ts" differs in case from "a.test.ts" on the disk.',
			'error "tests" is no file that can be read.',
			'error "../a.test.ts" is no path inside the repository.',
		]);
		expect(messages('broken.test.ts#a')[0]).toMatch(/^error "broken.test.ts" cannot be parsed: /);
	});

	it('looks for the name as text in tests of other languages', () => {
		expect(messages('a_test.go#TestQueue > is first in first out')).toEqual([]);
		expect(messages('a_test.go#TestQueue > is last in')).toEqual(['error "a_test.go" does not contain "is last in".']);
	});

	it('finds tests of Python by the names that pytest gives them', () => {
		const names = ['TestQueue::test_is_first_in_first_out', 'TestQueue > test_is_first_in_first_out', 'test_ends'];
		expect(messages(...names.map((name) => `test_a.py#${name}`))).toEqual([]);
		expect(messages('test_a.py#test_later')).toEqual([
			'error The test on line 9 of "test_a.py" is marked .skip, so it proves nothing.',
		]);
	});

	it.each([
		['test_is_first_in_first_out', 'Did you mean "TestQueue::test_is_first_in_first_out"?'],
		['TestQueue::test_end', 'Did you mean "test_ends"?'],
		['TestQueu::test_is_first_in_last_out', 'Did you mean "TestQueue::test_is_first_in_first_out"?'],
		['TestQueue', 'The file has 3 tests, the first "TestQueue::test_is_first_in_first_out".'],
	])('names tests of Python near to %s, which is none', (name, fix) => {
		expect(messages(`test_a.py#${name}`)).toEqual([`error "test_a.py" has no test named ${JSON.stringify(name)}.`]);
		expect(fixes(checkPins, given(`test_a.py#${name}`))).toEqual([fix]);
	});

	it('warns of an invariant without a test on a deep, proven card, and on no other', () => {
		const deep = record({ id: 'a', tier: 'deep', maturity: 'proven', invariants: ['A rule.'] });
		expect(findings(checkPins, { patterns: [deep] })).toEqual([
			'warning patterns[0].invariants[0]: No test pins this invariant of a proven card.',
		]);
		expect(findings(checkPins, { patterns: [{ ...deep, maturity: 'implemented' }] })).toEqual([]);
	});
});
