/**
 * The parameters of a tool, declared once: the JSON Schema that clients see and the reading of what they send both come
 * from the declaration. Clients send numbers and lists as strings; what is unambiguous is coerced, what is out of
 * bounds is bounded, and anything else is refused with the field and what came.
 */

export type Parameter =
	| { kind: 'text'; description: string; required?: boolean }
	| { kind: 'choice'; description: string; choices: readonly string[] }
	| { kind: 'integer'; description: string; min: number; max: number }
	| { kind: 'flag'; description: string }
	| { kind: 'texts'; description: string; required?: boolean; choices?: readonly string[] };

export type Parameters = Readonly<Record<string, Parameter>>;

type Value<P extends Parameter> = P extends { kind: 'integer' }
	? number
	: P extends { kind: 'flag' }
		? boolean
		: P extends { kind: 'texts' }
			? string[]
			: string;

/** What reading gives: required parameters are there, others may be missing. */
export type Values<P extends Parameters> = {
	[Name in keyof P]: P[Name] extends { required: true } ? Value<P[Name]> : Value<P[Name]> | undefined;
};

export type ReadResult<P extends Parameters> =
	| { ok: true; values: Values<P>; notes: string[] }
	| { ok: false; problem: string };

/** The flat JSON Schema of a tool's parameters: no unions, no nulls, items on every array. */
export function inputSchema(parameters: Parameters): {
	type: 'object';
	properties: Record<string, unknown>;
	required?: string[];
} {
	const required = Object.keys(parameters).filter((name) => isRequired(parameters[name]));
	return {
		type: 'object',
		properties: Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, property(parameter)])),
		...(required.length > 0 ? { required } : {}),
	};
}

function property(parameter: Parameter): Record<string, unknown> {
	const { description } = parameter;
	switch (parameter.kind) {
		case 'text':
			return { type: 'string', description };
		case 'choice':
			return { type: 'string', enum: [...parameter.choices], description };
		case 'integer':
			return { type: 'integer', minimum: parameter.min, maximum: parameter.max, description };
		case 'flag':
			return { type: 'boolean', description };
		case 'texts':
			return {
				type: 'array',
				items: { type: 'string', ...(parameter.choices ? { enum: [...parameter.choices] } : {}) },
				description,
			};
	}
}

/**
 * Reads the arguments of a call. `null` and absent are the same. Notes say what was bounded or ignored.
 * @param called how a parameter is named in problems and notes
 */
export function readArguments<P extends Parameters>(
	parameters: P,
	given: unknown,
	called: (name: string) => string = JSON.stringify,
): ReadResult<P> {
	const source = given ?? {};
	if (typeof source !== 'object' || Array.isArray(source)) {
		return { ok: false, problem: `Expected an object of arguments, got ${shown(given)}` };
	}
	const values: Record<string, unknown> = {};
	const notes: string[] = [];
	const problems: string[] = [];
	for (const [name, parameter] of Object.entries(parameters)) {
		const value = Object.hasOwn(source, name) ? (source as Record<string, unknown>)[name] : undefined;
		if (value === undefined || value === null) {
			if (isRequired(parameter)) problems.push(`${called(name)} is missing`);
			continue;
		}
		const read = readValue(parameter, value);
		if (read.ok) {
			values[name] = read.value;
			if (read.note) notes.push(`${called(name)} ${read.note}`);
		} else problems.push(`${called(name)} ${read.expected}, got ${shown(value)}`);
	}
	const unknown = Object.keys(source).filter((name) => !Object.hasOwn(parameters, name));
	if (unknown.length > 0) {
		const known = Object.keys(parameters).join(', ');
		notes.push(
			`unknown ${unknown.length === 1 ? 'argument' : 'arguments'} ${unknown.slice(0, 5).map(shown).join(', ')}; known are ${known}`,
		);
	}
	if (problems.length > 0)
		return { ok: false, problem: [...problems, ...(unknown.length > 0 ? notes.slice(-1) : [])].join('; ') };
	return { ok: true, values: values as Values<P>, notes };
}

type ReadValue = { ok: true; value: unknown; note?: string } | { ok: false; expected: string };

function readValue(parameter: Parameter, value: unknown): ReadValue {
	switch (parameter.kind) {
		case 'text':
			return readText(value, parameter.required === true);
		case 'choice':
			return readChoice(value, parameter.choices);
		case 'integer':
			return readInteger(value, parameter.min, parameter.max);
		case 'flag':
			return readFlag(value);
		case 'texts':
			return readTexts(value, parameter);
	}
}

function readText(value: unknown, required: boolean): ReadValue {
	if (typeof value === 'number' && Number.isFinite(value)) return { ok: true, value: String(value) };
	if (typeof value !== 'string') return { ok: false, expected: 'must be a string' };
	if (required && value.trim() === '') return { ok: false, expected: 'must not be empty' };
	return { ok: true, value };
}

function readChoice(value: unknown, choices: readonly string[]): ReadValue {
	const folded = typeof value === 'string' ? value.trim().toLowerCase() : value;
	const choice = choices.find((one) => one === folded);
	return choice === undefined
		? { ok: false, expected: `must be one of ${choices.join(', ')}` }
		: { ok: true, value: choice };
}

function readInteger(value: unknown, min: number, max: number): ReadValue {
	const number = typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isInteger(number))
		return { ok: false, expected: `must be a whole number from ${min} to ${max}` };
	const bounded = Math.min(max, Math.max(min, number));
	return bounded === number
		? { ok: true, value: number }
		: { ok: true, value: bounded, note: `${number} is out of bounds; ${bounded} was used (${min} to ${max})` };
}

function readFlag(value: unknown): ReadValue {
	if (typeof value === 'boolean') return { ok: true, value };
	const folded = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (folded === 'true' || folded === 'false') return { ok: true, value: folded === 'true' };
	return { ok: false, expected: 'must be true or false' };
}

function readTexts(value: unknown, { required, choices }: Parameter & { kind: 'texts' }): ReadValue {
	const items = typeof value === 'string' ? listFromText(value) : value;
	if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
		return { ok: false, expected: 'must be a list of strings' };
	}
	const texts = items.map((item) => item.trim()).filter(Boolean);
	if (required && texts.length === 0) return { ok: false, expected: 'must not be empty' };
	const stray = choices && texts.find((text) => !choices.includes(text.toLowerCase()));
	if (stray !== undefined) return { ok: false, expected: `may hold ${choices?.join(', ')} (not ${shown(stray)})` };
	return { ok: true, value: [...new Set(choices ? texts.map((text) => text.toLowerCase()) : texts)] };
}

/** A list that a client sent as text: JSON when it looks like it, otherwise its one item. */
function listFromText(text: string): unknown {
	if (!text.trim().startsWith('[')) return [text];
	try {
		return JSON.parse(text);
	} catch {
		// Not JSON after all: the text itself is the item.
		return [text];
	}
}

function isRequired(parameter: Parameter | undefined): boolean {
	return parameter !== undefined && 'required' in parameter && parameter.required === true;
}

/** A value as JSON, or what kind of thing it is when it is nested too deeply for that. */
function asJson(value: unknown): string {
	try {
		return JSON.stringify(value) ?? String(value);
	} catch {
		return Array.isArray(value) ? 'a list nested too deeply to show' : 'an object nested too deeply to show';
	}
}

function shown(value: unknown): string {
	const text = asJson(value);
	return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
