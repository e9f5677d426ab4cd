import matter from 'gray-matter';

/**
 * Writes front matter before a page. Every value is a double-quoted YAML string, so that no reader takes a title such as
 * "yes", "1e3" or "2026-01-01" for anything but text.
 */
export function withFrontMatter(data: Readonly<Record<string, string>>, body: string): string {
	const yaml = { parse: () => ({}), stringify: (fields: object) => quotedYaml(fields) };
	return matter.stringify(body, data, { engines: { yaml } });
}

/**
 * The front matter of a page, or undefined when it has none that can be read. Only plain `---` fences count: gray-matter
 * would run the code after `---js`.
 */
export function readFrontMatter(text: string): Record<string, unknown> | undefined {
	if (!/^---[ \t]*\r?\n/.test(text)) return undefined;
	try {
		// With options given, gray-matter does not answer from its cache, whose objects all callers would share.
		return matter(text, { language: 'yaml' }).data;
	} catch {
		return undefined;
	}
}

function quotedYaml(fields: object): string {
	return Object.entries(fields)
		.map(([key, value]) => `${key}: ${quoted(String(value))}\n`)
		.join('');
}

/** JSON's string syntax is YAML's double-quoted one, except that YAML also wants these characters escaped. */
function quoted(value: string): string {
	return JSON.stringify(value).replace(
		/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
