import { type ParserPlugin, parse } from '@babel/parser';

/** A test as its file declares it. */
export interface DeclaredTest {
	/** Names of the enclosing blocks and its own, joined by ` > `; what is only known at run time stands as `…`. */
	name: string;
	/** What keeps it from running always: `skip`, `todo`, `only`, or a condition (`skipIf`, `runIf`). */
	hindrance?: 'skip' | 'todo' | 'only' | 'condition';
	/** 1-based. */
	line: number;
	matches(fullName: string): boolean;
}

/** The tests of a file, or why its code cannot be read. */
export type DeclaredTests = { tests: DeclaredTest[] } | { failure: string };

/** True for files whose tests are found by parsing; in others a name is only looked for as text. */
export function isScript(path: string): boolean {
	return /\.[cm]?[jt]sx?$/.test(path);
}

/**
 * Finds the tests of a JavaScript or TypeScript file (`describe`, `suite`, `it`, `test`, nested, with `.each`, `.for`,
 * `.skip` and the like) without running it. The variable part of a name (`%s`, `$field`, `${x}`) matches anything.
 */
export function declaredTests(source: string, path: string): DeclaredTests {
	const plugins: ParserPlugin[] = /\.[cm]?ts$/.test(path) ? ['typescript'] : ['typescript', 'jsx'];
	try {
		const { program } = parse(source, { sourceType: 'module', plugins, errorRecovery: false });
		const tests: DeclaredTest[] = [];
		collect(program, [], undefined, constantsOf(program), tests);
		return { tests };
	} catch (error) {
		return { failure: error instanceof Error ? error.message : String(error) };
	}
}

/** A name in parts: text that is known, and gaps that are not. */
type Name = readonly (string | null)[];
/** A node of the syntax tree, as far as this module looks at it. */
type SyntaxNode = { type: string; loc?: { start: { line: number } } | null } & Record<string, unknown>;

const BLOCKS = new Set(['describe', 'suite', 'context']);
const TESTS = new Set(['it', 'test', 'specify']);

function collect(
	node: unknown,
	path: readonly Name[],
	hindrance: DeclaredTest['hindrance'],
	constants: ReadonlyMap<string, string>,
	found: DeclaredTest[],
): void {
	if (Array.isArray(node)) {
		for (const item of node) collect(item, path, hindrance, constants, found);
		return;
	}
	if (!isNode(node)) return;
	const call = node.type === 'CallExpression' ? testCall(node, constants) : undefined;
	if (call) {
		const names = [...path, call.name];
		const held = hindrance ?? call.hindrance;
		if (call.kind === 'test') found.push(declare(names, held, node.loc?.start.line ?? 1));
		const inner = call.kind === 'block' ? names : path;
		const carried = call.kind === 'block' ? held : hindrance;
		for (const argument of call.body) collect(argument, inner, carried, constants, found);
		return;
	}
	for (const [key, child] of Object.entries(node)) {
		if (key !== 'loc' && typeof child === 'object') collect(child, path, hindrance, constants, found);
	}
}

interface TestCall {
	kind: 'block' | 'test';
	name: Name;
	hindrance: DeclaredTest['hindrance'];
	body: readonly unknown[];
}

function testCall(node: SyntaxNode, constants: ReadonlyMap<string, string>): TestCall | undefined {
	const words = calleeWords(node.callee);
	const first = words?.[0];
	if (!words || first === undefined || !(BLOCKS.has(first) || TESTS.has(first))) return undefined;
	const [title, ...body] = Array.isArray(node.arguments) ? node.arguments : [];
	if (title === undefined || words.at(-1) === 'each' || words.at(-1) === 'for' || words.at(-1) === 'extend')
		return undefined;
	const isTable = words.includes('each') || words.includes('for');
	const name = nameParts(title, constants);
	return {
		kind: BLOCKS.has(first) ? 'block' : 'test',
		name: isTable ? name.flatMap((part) => (part === null ? [null] : withGaps(part))) : name,
		hindrance: hindranceOf(words, body),
		body,
	};
}

/** `it.skip` → it, skip; `describe.each(rows)` as a callee → describe, each, (): the call in between leaves a mark. */
function calleeWords(callee: unknown): string[] | undefined {
	if (!isNode(callee)) return undefined;
	if (callee.type === 'Identifier') return wordsOf(String(callee.name));
	if (callee.type === 'MemberExpression' && callee.computed !== true) {
		const object = calleeWords(callee.object);
		return object && isNode(callee.property) ? [...object, String(callee.property.name)] : undefined;
	}
	const inner =
		callee.type === 'CallExpression'
			? callee.callee
			: callee.type === 'TaggedTemplateExpression'
				? callee.tag
				: undefined;
	const words = calleeWords(inner);
	return words ? [...words, '()'] : undefined;
}

/** Jest's short forms: `xit` is `it.skip`, `fdescribe` is `describe.only`. */
function wordsOf(name: string): string[] {
	const [, prefix, bare] = /^([xf])(describe|it|test)$/.exec(name) ?? [];
	return prefix && bare ? [bare, prefix === 'x' ? 'skip' : 'only'] : [name];
}

function hindranceOf(words: readonly string[], body: readonly unknown[]): DeclaredTest['hindrance'] {
	for (const word of ['skip', 'todo', 'only'] as const) if (words.includes(word)) return word;
	if (words.includes('skipIf') || words.includes('runIf')) return 'condition';
	for (const options of body.filter(isNode).filter(({ type }) => type === 'ObjectExpression')) {
		const properties = Array.isArray(options.properties) ? options.properties.filter(isNode) : [];
		for (const { key, value } of properties) {
			const name = isNode(key) ? String(key.name ?? key.value) : '';
			const off = isNode(value) && value.type === 'BooleanLiteral' && value.value === false;
			if (!off && (name === 'skip' || name === 'todo' || name === 'only')) return name;
		}
	}
	return undefined;
}

/** A title's known text and gaps: literals, templates, sums and constants of the file. */
function nameParts(title: unknown, constants: ReadonlyMap<string, string>): Name {
	if (!isNode(title)) return [null];
	if (title.type === 'StringLiteral') return [String(title.value)];
	if (title.type === 'Identifier') return [constants.get(String(title.name)) ?? null];
	if (title.type === 'BinaryExpression' && title.operator === '+') {
		return [...nameParts(title.left, constants), ...nameParts(title.right, constants)];
	}
	if (title.type === 'TemplateLiteral' && Array.isArray(title.quasis) && Array.isArray(title.expressions)) {
		const expressions: unknown[] = title.expressions;
		return title.quasis.flatMap((quasi: { value: { cooked: string } }, index) => [
			quasi.value.cooked,
			...(index < expressions.length ? nameParts(expressions[index], constants) : []),
		]);
	}
	if (title.type.startsWith('TS') && isNode(title.expression)) return nameParts(title.expression, constants);
	return [null];
}

/** Splits a table's title at its placeholders: printf ones, `$field`, `$a.b`, `$#`. `%%` is a per cent sign. */
function withGaps(text: string): (string | null)[] {
	return text
		.split(/(%%|%[sdifjoOcp#$]|\$(?:#|[A-Za-z_][\w.]*))/)
		.map((part, index) => (index % 2 === 0 ? part : part === '%%' ? '%' : null));
}

function declare(names: readonly Name[], hindrance: DeclaredTest['hindrance'], line: number): DeclaredTest {
	const parts = names.flatMap((name, index) => (index === 0 ? name : [' > ', ...name]));
	const known = parts.filter((part) => part !== null && part !== ' > ').join('');
	const pattern = new RegExp(`^${parts.map((part) => (part === null ? '.*' : literally(part))).join('')}$`, 's');
	return {
		name: parts.map((part) => part ?? '…').join(''),
		...(hindrance ? { hindrance } : {}),
		line,
		// A name that is all gaps would match every claim, so it is no evidence for any.
		matches: (fullName) => /[\p{L}\p{N}]/u.test(known) && pattern.test(fullName),
	};
}

function literally(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** String constants of the file's top level, so that a title given by name is known. */
function constantsOf(program: { body: readonly unknown[] }): Map<string, string> {
	const constants = new Map<string, string>();
	for (const statement of program.body.filter(isNode)) {
		const declaration = statement.type === 'VariableDeclaration' ? statement : statement.declaration;
		if (!isNode(declaration) || declaration.kind !== 'const' || !Array.isArray(declaration.declarations)) continue;
		for (const { id, init } of declaration.declarations) {
			if (isNode(id) && id.type === 'Identifier' && isNode(init) && init.type === 'StringLiteral') {
				constants.set(String(id.name), String(init.value));
			}
		}
	}
	return constants;
}

function isNode(value: unknown): value is SyntaxNode {
	return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
