const TOKEN =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON holds none
	/(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[{}[\],:])/y;
const BLANK = /[ \t\r\n]*/y;

/** What may come next. `first` is the place right after an opening bracket, where it may be closed at once. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more' | 'nothing';

/**
 * Where a text stops being JSON, as 1-based line and column; undefined when it is JSON to its end. Engines say this each in
 * their own way, and some not at all.
 */
export function jsonFaultPlace(text: string): { line: number; column: number } | undefined {
	const open: ('{' | '[')[] = [];
	let expected: Expected = 'value';
	for (let at = after(BLANK, text, 0); ; at = after(BLANK, text, at)) {
		if (at === text.length && expected === 'nothing') return undefined;
		const end = after(TOKEN, text, at);
		const next: Expected | undefined = end === at ? undefined : step(text.slice(at, end), expected, open);
		if (next === undefined) return placeOf(text, at);
		expected = next;
		at = end;
	}
}

/** What may follow `token`, or undefined when it may not stand here. Keeps the list of open brackets. */
function step(token: string, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
	const ended = () => (open.length > 0 ? 'more' : 'nothing');
	const inside = open.at(-1);
	const opening = inside === '{' ? '}' : ']';
	const mayClose = expected === 'more' || expected === 'first value' || expected === 'first key';
	if (token === '}' || token === ']') {
		if (!mayClose || inside === undefined || token !== opening) return undefined;
		open.pop();
		return ended();
	}
	switch (expected) {
		case 'colon':
			return token === ':' ? 'value' : undefined;
		case 'more':
			return token === ',' ? (inside === '{' ? 'key' : 'value') : undefined;
		case 'key':
		case 'first key':
			return token.startsWith('"') ? 'colon' : undefined;
		case 'nothing':
			return undefined;
	}
	if (token === ',' || token === ':') return undefined;
	if (token !== '{' && token !== '[') return ended();
	open.push(token);
	return token === '{' ? 'first key' : 'first value';
}

/** The offset after what a sticky pattern matches at `at`; `at` itself when it does not match. */
function after(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : at;
}

function placeOf(text: string, offset: number): { line: number; column: number } {
	const before = text.slice(0, offset).split('\n');
	return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
