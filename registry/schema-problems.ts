import type { z } from 'zod';
import { browseAddress } from './browse-address.ts';
import { formatPath, type JsonPath, valueAt } from './parse.ts';
import { didYouMean, error, nearest, type Problem } from './problem.ts';
import { type FormSchema, rightForm } from './right-form.ts';
import { registryJsonSchema, registrySchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** A problem of shape. Text that only breaks a rule of form (an id in upper case) can still be read; the rest cannot. */
export interface SchemaProblem extends Problem {
	unreadable: boolean;
	/** The absent field that an unknown one was probably meant to be. */
	meant?: JsonPath;
}

/** What the schema objects to in parsed JSON, in the words of someone who writes cards. */
export function schemaProblems(value: unknown): SchemaProblem[] {
	const result = registrySchema.safeParse(value);
	if (result.success) return [];
	const problems = result.error.issues.flatMap((issue) => problemsOf(issue, value));
	// A field that is there under a misspelt name is not missing too.
	const meant = new Set(problems.flatMap((problem) => (problem.meant ? [formatPath(problem.meant)] : [])));
	return problems.filter((problem) => problem.meant !== undefined || !meant.has(formatPath(problem.path)));
}

function problemsOf(issue: Issue, root: unknown): SchemaProblem[] {
	const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
	const found = valueAt(root, path);
	const about = describedAt(path);
	const help = about === undefined ? '' : ` ${about}`;
	const missing = `The field ${JSON.stringify(path.at(-1) ?? '')} is missing.`;
	switch (issue.code) {
		case 'unrecognized_keys':
			return issue.keys.map((key) => unknownField(key, path, found));
		case 'invalid_union':
			return invalidUnion(issue, path, root);
		case 'invalid_type':
			if (found === undefined) return unreadable(path, missing, `Add it.${help}`);
			return unreadable(
				path,
				`Found ${show(found)}, expected ${article(issue.expected)}.`,
				`${formFix(path, found)}${help}`,
			);
		case 'invalid_value': {
			const allowed = issue.values.map((item) => JSON.stringify(item)).join(', ');
			if (found === undefined) return unreadable(path, missing, `Add it, one of ${allowed}.${help}`);
			const otherwise = `Use ${allowed}.`;
			const fix = typeof found === 'string' ? didYouMean(found, issue.values.map(String), otherwise) : otherwise;
			return unreadable(path, `Found ${show(found)}, expected ${allowed}.`, `${fix}${help}`);
		}
		case 'too_big':
			return malformed(path, `${show(found)} is too long: at most ${issue.maximum} characters.`, `Shorten it.${help}`);
		default:
			return malformed(path, `${show(found)} ${issue.message}.`, `${textFix(path, found)}${help}`);
	}
}

function unreadable(...parts: Parameters<typeof error>): SchemaProblem[] {
	return [{ ...error(...parts), unreadable: true }];
}

function malformed(...parts: Parameters<typeof error>): SchemaProblem[] {
	return [{ ...error(...parts), unreadable: false }];
}

/** Of a value that may have several shapes, the complaints of the shape that it comes nearest to. */
function invalidUnion(issue: Issue & { code: 'invalid_union' }, path: JsonPath, root: unknown): SchemaProblem[] {
	const inside = issue.errors.find((errors) => errors.every((inner) => inner.path.length > 0 || isKeyIssue(inner)));
	if (!inside) {
		const found = show(valueAt(root, path));
		const fix = 'Write "the rule", or {"rule": "the rule", "pinned_by": "path/to/file.test.ts#describe > test"}.';
		return unreadable(path, `Found ${found}, expected a string or an object {rule, pinned_by}.`, fix);
	}
	return inside.flatMap((inner) => problemsOf({ ...inner, path: [...path, ...inner.path] }, root));
}

function isKeyIssue(issue: Issue): boolean {
	return issue.code === 'unrecognized_keys';
}

function unknownField(key: string, path: JsonPath, object: unknown): SchemaProblem {
	const { properties = {}, required = [] } = schemaAt(path) ?? {};
	const known = Object.keys(properties);
	const absent = (field: string) => valueAt(object, [field]) === undefined;
	const close = nearest(key, known);
	const [missing, ...others] = required.filter(absent);
	const otherwise =
		missing !== undefined && others.length === 0
			? `Rename it to ${JSON.stringify(missing)}, which is missing here, or delete it.`
			: `Delete it. Fields here are ${known.join(', ')}.`;
	const fix = didYouMean(key, known, otherwise);
	const isMeant = close !== undefined && absent(close);
	return {
		...error([...path, key], `Unknown field ${JSON.stringify(key)}.`, fix),
		at: 'key',
		unreadable: isMeant && required.includes(close),
		...(isMeant ? { meant: [...path, close] } : {}),
	};
}

interface JsonSchema extends FormSchema {
	description?: string;
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
	anyOf?: JsonSchema[];
}

const SCHEMA: JsonSchema = registryJsonSchema();

function schemaAt(path: JsonPath): JsonSchema | undefined {
	let node: JsonSchema | undefined = SCHEMA;
	for (const part of path) {
		const objectShape: JsonSchema | undefined = node?.properties ? node : node?.anyOf?.find((one) => one.properties);
		node = typeof part === 'number' ? node?.items : objectShape?.properties?.[part];
	}
	return node?.anyOf?.find((one) => one.properties) ?? node;
}

function describedAt(path: JsonPath): string | undefined {
	const schema = schemaAt(path);
	return schema?.description ?? (schema?.properties && `An object {${Object.keys(schema.properties).join(', ')}}.`);
}

/** The value in the form that would be right, made of what was found. */
function formFix(path: JsonPath, found: unknown): string {
	const form = rightForm(schemaAt(path), found);
	return form === undefined ? 'Change it.' : `Write ${form}.`;
}

/** A repository's address that git takes in the form for a browser, and an id of pytest's as a pin. */
function textFix(path: JsonPath, found: unknown): string {
	if (typeof found !== 'string') return 'Change it.';
	const address = formatPath(path) === 'library.repository' ? browseAddress(found) : undefined;
	const pin = path.at(-1) === 'pinned_by' && /^[^#:]+\.py::./.test(found) ? found.replace('::', '#') : undefined;
	const right = address ?? pin;
	return right === undefined ? 'Change it.' : `Write ${JSON.stringify(right)}.`;
}

function article(kind: string): string {
	if (kind === 'array') return 'a list';
	return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** A value as a message shows it: its kind, or itself when it is short. */
function show(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object' && value !== null) return 'an object';
	const text = JSON.stringify(value) ?? 'nothing';
	const short = text.length > 60 ? `${text.slice(0, 57)}…"` : text;
	return typeof value === 'string' || value === null ? short : `the ${typeof value} ${short}`;
}
