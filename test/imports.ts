import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { parse } from '@babel/parser';

/** One import of a module, whatever its form. */
export interface Import {
	/** Path of the importing file from the root. */
	from: string;
	/** A path from the root for a file of the repository; else the name of a package or of a module of Node. */
	to: string;
	kind: 'file' | 'package' | 'node';
	/** Erased before the code runs. */
	typeOnly: boolean;
	line: number;
}

/**
 * The imports of a TypeScript file, or of the TypeScript in an Astro file: static, dynamic with a literal, re-exports, and `import('…')` in types.
 * @param path from `root`
 */
export function importsOf(root: string, path: string): Import[] {
	const text = readFileSync(posix.join(root, path), 'utf8');
	const found: Import[] = [];
	for (const code of path.endsWith('.astro') ? astroScripts(text) : [text]) {
		visit(
			parse(code, { sourceType: 'module', sourceFilename: path, plugins: ['typescript', 'importAttributes'] }).program,
		);
	}
	return found;

	function visit(node: unknown): void {
		if (Array.isArray(node)) {
			for (const item of node) visit(item);
			return;
		}
		if (!isNode(node)) return;
		const specifier = specifierOf(node);
		if (specifier)
			found.push({
				from: path,
				...target(specifier.name),
				typeOnly: specifier.typeOnly,
				line: node.loc?.start.line ?? 0,
			});
		for (const [key, child] of Object.entries(node)) if (key !== 'loc' && typeof child === 'object') visit(child);
	}

	function target(name: string): Pick<Import, 'to' | 'kind'> {
		if (name.startsWith('.')) return { to: posix.join(dirname(path), name), kind: 'file' };
		if (name.startsWith('node:')) return { to: name, kind: 'node' };
		return {
			to: name
				.split('/')
				.slice(0, name.startsWith('@') ? 2 : 1)
				.join('/'),
			kind: 'package',
		};
	}
}

/** The component script of an Astro file and its client scripts, each behind blank lines that keep its line numbers. */
function astroScripts(text: string): string[] {
	const scripts = [/^---\n([\s\S]*?)\n---/g, /<script(?:\s[^>]*[^/>])?>([\s\S]*?)<\/script>/g].flatMap((pattern) => [
		...text.matchAll(pattern),
	]);
	return scripts.map(({ 0: whole, 1: code = '', index }) => {
		const before = text.slice(0, index + whole.indexOf(code)).split('\n').length - 1;
		return '\n'.repeat(before) + code;
	});
}

type SyntaxNode = { type: string; loc?: { start: { line: number } } | null } & Record<string, unknown>;

function specifierOf(node: SyntaxNode): { name: string; typeOnly: boolean } | undefined {
	const literal = (value: unknown) =>
		isNode(value) && value.type === 'StringLiteral' ? String(value.value) : undefined;
	const named = (name: string | undefined, typeOnly: boolean) => (name === undefined ? undefined : { name, typeOnly });
	switch (node.type) {
		case 'ImportDeclaration':
			return named(literal(node.source), node.importKind === 'type' || allTypes(node.specifiers, 'importKind'));
		case 'ExportNamedDeclaration':
			return named(literal(node.source), node.exportKind === 'type' || allTypes(node.specifiers, 'exportKind'));
		case 'ExportAllDeclaration':
			return named(literal(node.source), node.exportKind === 'type');
		case 'ImportExpression':
			return named(literal(node.source), false);
		case 'TSImportType':
			return named(literal(node.argument), true);
		case 'CallExpression':
			return isNode(node.callee) && node.callee.type === 'Import' && Array.isArray(node.arguments)
				? named(literal(node.arguments[0]), false)
				: undefined;
		default:
			return undefined;
	}
}

/** `import { type A, type B }` leaves nothing at run time worth following: with `verbatimModuleSyntax` only a bare load. */
function allTypes(specifiers: unknown, member: string): boolean {
	return (
		Array.isArray(specifiers) &&
		specifiers.length > 0 &&
		specifiers.every((one) => isNode(one) && one[member] === 'type')
	);
}

function isNode(value: unknown): value is SyntaxNode {
	return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
