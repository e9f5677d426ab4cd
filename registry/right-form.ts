/** As much of a JSON Schema as tells the form of a value. */
export interface FormSchema {
	type?: string;
	properties?: Record<string, FormSchema>;
	required?: string[];
	items?: FormSchema;
	anyOf?: FormSchema[];
}

/** Stands for what only the author knows. */
const BLANK = '…';
const MAX_TEXT = 60;
/** A longer form explains less than the schema's own words beside it. */
const MAX_FORM = 200;

/**
 * What a value of the wrong kind would look like in the right one, as JSON on one line: a string in the place of a ref becomes
 * its path, an object in the place of a string the text that it holds. Undefined when the schema tells no form, or a long one.
 */
export function rightForm(schema: FormSchema | undefined, found: unknown): string | undefined {
	const value = schema && formOf(schema, found);
	const text = value === undefined ? undefined : written(value);
	return text !== undefined && text.length <= MAX_FORM ? text : undefined;
}

function formOf(schema: FormSchema, found: unknown): unknown {
	if (schema.anyOf) {
		const [first] = schema.anyOf;
		return first && formOf(first, found);
	}
	if (schema.type === 'string') return textIn(found);
	if (schema.type === 'array') return listOf(schema.items ?? {}, found);
	const { properties, required = [] } = schema;
	if (!properties) return undefined;
	const [first] = required;
	return Object.fromEntries(
		required.map((name) => {
			// The text that was found is most likely what comes first: a path, a name, an approach.
			const given = name === first ? textIn(found) : undefined;
			return [name, formOf(properties[name] ?? {}, given) ?? BLANK];
		}),
	);
}

/** A list with what was found as its one entry, as it stands when it has the form of an entry. */
function listOf(items: FormSchema, found: unknown): unknown {
	if (typeof found !== 'object' || found === null) {
		const entry = formOf(items, found);
		return entry === undefined ? undefined : [entry];
	}
	return items.type === 'object' || items.anyOf ? [found] : [textIn(found)];
}

function textIn(found: unknown): string {
	if (typeof found === 'string' && found !== '') return found;
	if (typeof found !== 'object' || found === null) return BLANK;
	const texts = Object.values(found).filter((value) => typeof value === 'string');
	const [first = BLANK] = texts;
	return Array.isArray(found) && texts.length === found.length && texts.length > 0 ? texts.join(' ') : first;
}

function written(value: unknown): string {
	if (typeof value === 'string')
		return JSON.stringify(
			value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT).replace(/\p{Surrogate}$/u, '')}…` : value,
		);
	if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? BLANK;
	const entries = Object.entries(value);
	return `{${entries.map(([key, member]) => `${JSON.stringify(key)}: ${written(member)}`).join(', ')}}`;
}
