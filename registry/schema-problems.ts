import type { z } from 'zod';
import type { JsonPath } from './parse.ts';
import { didYouMean, error, type Problem } from './problem.ts';
import { registryJsonSchema, registrySchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** What the schema objects to in parsed JSON, in the words of someone who writes cards. */
export function schemaProblems(value: unknown): Problem[] {
	const result = registrySchema.safeParse(value);
	if (result.success) return [];
	return result.error.issues.flatMap((issue) => problemsOf(issue, value));
}

function problemsOf(issue: Issue, root: unknown): Problem[] {
	const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
	const found = valueAt(root, path);
	const about = describedAt(path);
	const help = about === undefined ? '' : ` ${about}`;
	switch (issue.code) {
		case 'unrecognized_keys':
			return issue.keys.map((key) => ({
				...error([...path, key], `Unknown field ${JSON.stringify(key)}.`, unknownFieldFix(key, path)),
				at: 'key' as const,
			}));
		case 'invalid_union':
			return invalidUnion(issue, path, root);
		case 'invalid_type':
			if (found === undefined) {
				return [error(path, `The field ${JSON.stringify(path.at(-1) ?? '')} is missing.`, `Add it.${help}`)];
			}
			return [error(path, `Found ${show(found)}, expected ${article(issue.expected)}.`, `Change it.${help}`)];
		case 'invalid_value': {
			const allowed = issue.values.map((item) => JSON.stringify(item)).join(', ');
			if (found === undefined) {
				return [
					error(
						path,
						`The field ${JSON.stringify(path.at(-1) ?? '')} is missing.`,
						`Add it, one of ${allowed}.${help}`,
					),
				];
			}
			const fix = didYouMean(String(found), issue.values.map(String), `Use ${allowed}.`);
			return [error(path, `Found ${show(found)}, expected ${allowed}.`, `${fix}${help}`)];
		}
		case 'too_big':
			return [error(path, `${show(found)} is too long: at most ${issue.maximum} characters.`, `Shorten it.${help}`)];
		default:
			return [error(path, `${show(found)} ${issue.message}.`, `Change it.${help}`)];
	}
}

/** Of a value that may have several shapes, the complaints of the shape that it comes nearest to. */
function invalidUnion(issue: Issue & { code: 'invalid_union' }, path: JsonPath, root: unknown): Problem[] {
	const inside = issue.errors.find((errors) => errors.every((inner) => inner.path.length > 0 || isKeyIssue(inner)));
	if (!inside) {
		const found = show(valueAt(root, path));
		return [error(path, `Found ${found}, expected a string or an object {rule, pinned_by}.`, 'Change it.')];
	}
	return inside.flatMap((inner) => problemsOf({ ...inner, path: [...path, ...inner.path] }, root));
}

function isKeyIssue(issue: Issue): boolean {
	return issue.code === 'unrecognized_keys';
}

function unknownFieldFix(key: string, path: JsonPath): string {
	const known = Object.keys(schemaAt(path)?.properties ?? {});
	return didYouMean(key, known, `Delete it. Fields here are ${known.join(', ')}.`);
}

interface JsonSchema {
	description?: string;
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
	anyOf?: JsonSchema[];
}

function schemaAt(path: JsonPath): JsonSchema | undefined {
	let node: JsonSchema | undefined = registryJsonSchema();
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

function valueAt(root: unknown, path: JsonPath): unknown {
	return path.reduce<unknown>(
		(value, part) =>
			typeof value === 'object' && value !== null && Object.hasOwn(value, part)
				? (value as Record<string | number, unknown>)[part]
				: undefined,
		root,
	);
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
