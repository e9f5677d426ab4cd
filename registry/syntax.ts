import { createScanner, type ParseError, printParseErrorCode } from 'jsonc-parser';

/** The lines with which git begins a conflict, or any marker line that stands without its beginning. */
export function conflictMarkers(text: string): { offset: number; marker: string }[] {
	const all = [...text.matchAll(/^(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/gm)].map((match) => ({
		offset: match.index,
		marker: match[1] ?? '',
	}));
	const starts = all.filter(({ marker }) => marker.startsWith('<'));
	return starts.length > 0 ? starts : all.slice(0, 1);
}

/** The offset of the first bracket that nests deeper than `limit`. Brackets in strings and comments do not count. */
export function firstTooDeep(source: string, limit: number): number | undefined {
	const scanner = createScanner(source, true);
	let depth = 0;
	for (scanner.scan(); scanner.getTokenOffset() < source.length; scanner.scan()) {
		if (scanner.getTokenLength() !== 1) continue;
		const bracket = source.charAt(scanner.getTokenOffset());
		if (bracket === '{' || bracket === '[') depth++;
		if (bracket === '}' || bracket === ']') depth--;
		if (depth > limit) return scanner.getTokenOffset();
	}
	return undefined;
}

/** A slip that leaves the meaning clear, so that the rest can still be checked; undefined for any other error. */
export function mildSlip(
	source: string,
	error: ParseError,
): { offset: number; message: string; fix: string } | undefined {
	if (printParseErrorCode(error.error) === 'InvalidCommentToken') {
		return {
			offset: error.offset,
			message: 'A comment; JSON has none.',
			fix: 'Delete it; a remark belongs in a text field.',
		};
	}
	const expected = ['PropertyNameExpected', 'ValueExpected'].includes(printParseErrorCode(error.error));
	if (!expected || !/[}\]]/.test(source[error.offset] ?? '')) return undefined;
	const before = source.slice(0, error.offset).trimEnd();
	if (!before.endsWith(',') || /[[{,]\s*,$/.test(before)) return undefined;
	return {
		offset: before.length - 1,
		message: 'A comma too many, before a closing bracket.',
		fix: 'Delete the comma.',
	};
}

const COMPLAINTS: Readonly<Record<string, string>> = {
	InvalidSymbol: 'no JSON value: names and text need double quotes',
	InvalidNumberFormat: 'no JSON number',
	PropertyNameExpected: 'expected a key in double quotes',
	ValueExpected: 'expected a value',
	ColonExpected: 'expected a colon after the key',
	CommaExpected: 'expected a comma between two entries',
	CloseBraceExpected: 'expected } to close an object',
	CloseBracketExpected: 'expected ] to close a list',
	EndOfFileExpected: 'expected nothing more after the data',
	UnexpectedEndOfComment: 'a comment that never ends; JSON has none',
	UnexpectedEndOfString: 'a string that is not closed on its line',
	UnexpectedEndOfNumber: 'a number that is cut short',
	InvalidUnicode: 'a broken \\u escape: four hex digits are needed',
	InvalidEscapeCharacter: 'an escape that JSON does not know',
	InvalidCharacter: 'a control character in a string; write it as an escape',
};

/** What is wrong at a syntax error, in words. */
export function describe(source: string, error: ParseError): string {
	const complaint = COMPLAINTS[printParseErrorCode(error.error)] ?? 'a syntax error';
	const found = source.slice(error.offset, error.offset + Math.min(error.length, 20));
	return `No valid JSON: ${complaint}; found ${found === '' ? 'the end of the file' : JSON.stringify(found)}.`;
}
