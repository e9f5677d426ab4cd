import { didYouMean, error, nearest, type Problem, warning } from '../problem.ts';
import { isPython, pythonTests } from '../python-tests.ts';
import type { RepositoryFiles } from '../repository-files.ts';
import { type DeclaredTests, declaredTests, isScript } from '../test-names.ts';
import type { Check } from './check.ts';
import { pathFault } from './refs.ts';

/** Every `pinned_by` names a test that exists and runs; an invariant of a deep, proven card has one. */
export const checkPins: Check = ({ registry, files }) => {
	const parsed = new Map<string, DeclaredTests>();
	return registry.patterns.flatMap(({ tier, maturity, invariants }, index) =>
		invariants.flatMap((invariant, at): Problem[] => {
			const path = ['patterns', index, 'invariants', at];
			if (typeof invariant !== 'string') {
				return pinProblems([...path, 'pinned_by'], invariant.pinned_by, files, parsed);
			}
			if (tier !== 'deep' || maturity !== 'proven') return [];
			const fix = 'Write it as {"rule": …, "pinned_by": "path/to/file.test.ts#describe > test"}.';
			return [warning(path, 'No test pins this invariant of a proven card.', fix)];
		}),
	);
};

function pinProblems(
	path: Problem['path'],
	pin: string,
	files: RepositoryFiles,
	parsed: Map<string, DeclaredTests>,
): Problem[] {
	const hash = pin.indexOf('#');
	const file = hash < 0 ? pin : pin.slice(0, hash);
	const name = hash < 0 ? '' : pin.slice(hash + 1);
	// A pin of another form is the schema's to refuse.
	if (name === '') return [];
	const fault = pathFault(file, files);
	if (fault) return [error(path, fault.message, fault.fix)];
	if (/\.(?:md|mdx|markdown)$/i.test(file)) {
		const fix = 'Pin the rule to a test, or write it as plain text.';
		return [error(path, `${JSON.stringify(file)} is a document, which runs no test.`, fix)];
	}
	const source = files.kind(file) === 'file' ? files.read(file) : undefined;
	if (source === undefined)
		return [error(path, `${JSON.stringify(file)} is no file that can be read.`, 'Cite a test file.')];
	if (!isScript(file) && !isPython(file)) return textProblems(path, file, name, source);

	const declared = parsed.get(file) ?? (isPython(file) ? { tests: pythonTests(source) } : declaredTests(source, file));
	parsed.set(file, declared);
	if ('failure' in declared) {
		return [error(path, `${JSON.stringify(file)} cannot be parsed: ${declared.failure}`, 'Mend the test file.')];
	}
	const { tests } = declared;
	const found = tests.filter((test) => test.matches(name));
	if (found.length === 0) {
		const names = tests.map((test) => test.name);
		const otherwise =
			names.length === 0
				? 'The file declares no test.'
				: `The file has ${names.length} tests, the first ${JSON.stringify(names[0])}.`;
		const fix = isPython(file) ? nearPythonTests(name, names, otherwise) : didYouMean(name, names, otherwise);
		return [error(path, `${JSON.stringify(file)} has no test named ${JSON.stringify(name)}.`, fix)];
	}
	const focused = tests.find((test) => test.hindrance === 'only');
	if (focused) {
		const message = `An .only on line ${focused.line} of ${JSON.stringify(file)} keeps other tests from running.`;
		return [error(path, message, 'Delete the .only.')];
	}
	if (found.some((test) => test.hindrance === undefined)) return [];
	const [held] = found;
	const where = `line ${held?.line} of ${JSON.stringify(file)}`;
	if (held?.hindrance === 'condition') {
		return [
			warning(path, `The test on ${where} runs only under a condition.`, 'Pin the rule to a test that always runs.'),
		];
	}
	return [error(path, `The test on ${where} is marked .${held?.hindrance}, so it proves nothing.`, 'Make it run.')];
}

/** The tests that the author may have meant: by the whole name, or by the last part of it when a class is wrong or missing. */
function nearPythonTests(claim: string, names: readonly string[], otherwise: string): string {
	const last = (name: string) => name.split(/::| > /).at(-1) ?? name;
	const whole = claim.replaceAll(' > ', '::');
	const near = names.filter((name) => nearest(whole, [name]) ?? nearest(last(whole), [last(name)]));
	if (near.length === 0) return otherwise;
	const exact = near.filter((name) => last(name) === last(whole));
	const shown = [...new Set([...exact, ...near])].slice(0, 3).map((name) => JSON.stringify(name));
	return `Did you mean ${shown.join(' or ')}?`;
}

/** In a file of another language, each part of the name has to occur as text. */
function textProblems(path: Problem['path'], file: string, name: string, source: string): Problem[] {
	const missing = name.split(' > ').filter((part) => !source.includes(part));
	if (missing.length === 0) return [];
	const message = `${JSON.stringify(file)} does not contain ${missing.map((part) => JSON.stringify(part)).join(', ')}.`;
	return [error(path, message, 'Write the name of the test as it stands in the file.')];
}
