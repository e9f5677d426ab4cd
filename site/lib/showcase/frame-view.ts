import { escapeHtml } from './svg.ts';

/** A frame as it is shown: its JSON in many lines, and the text of a tool's result as text. */
export interface FrameView {
	/** HTML of the indented JSON, with the classes of highlighted code. */
	json: string;
	/** Lines of the indented JSON. */
	lines: number;
	/** What the frame says in one line. */
	gist: string;
	/** The text of a tool's result. In the JSON it stands as one string. */
	text?: string;
	/** Bytes of the frame on the wire, with its newline. */
	bytes: number;
}

/** Prepares one frame, given as it went over the wire. @throws SyntaxError when it is no JSON */
export function viewFrame(frame: string): FrameView {
	const value: unknown = JSON.parse(frame);
	const indented = JSON.stringify(value, null, 2);
	const text = textOf(value);
	return {
		json: colourJson(indented),
		lines: indented.split('\n').length,
		gist: gistOf(value, text),
		bytes: new TextEncoder().encode(frame).length + 1,
		...(text === undefined ? {} : { text }),
	};
}

function colourJson(json: string): string {
	const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
	let html = '';
	let done = 0;
	for (const match of json.matchAll(token)) {
		const [whole, string, colon] = match;
		html += escapeHtml(json.slice(done, match.index));
		const kind = string === undefined ? 'n' : colon === undefined ? 's' : 'f';
		html += `<span class="t-${kind}">${escapeHtml(string ?? whole)}</span>${escapeHtml(colon ?? '')}`;
		done = match.index + whole.length;
	}
	return html + escapeHtml(json.slice(done));
}

function textOf(frame: unknown): string | undefined {
	const content = at(at(frame, 'result'), 'content');
	const text = Array.isArray(content) ? at(content[0], 'text') : undefined;
	return typeof text === 'string' ? text : undefined;
}

function gistOf(frame: unknown, text: string | undefined): string {
	const error = at(frame, 'error');
	if (error !== undefined) return `error ${at(error, 'code')}: ${at(error, 'message')}`;
	const method = at(frame, 'method');
	if (typeof method === 'string') {
		const name = at(at(frame, 'params'), 'name');
		return typeof name === 'string' ? `${method} ${name}` : method;
	}
	const result = at(frame, 'result');
	if (text !== undefined)
		return `${at(result, 'isError') === true ? 'an error, as text' : 'text'}, ${text.length} characters`;
	const tools = at(result, 'tools');
	if (Array.isArray(tools)) return `${tools.length} tools`;
	const keys = typeof result === 'object' && result !== null ? Object.keys(result) : [];
	return keys.length === 0 ? 'an empty result' : `a result: ${keys.join(', ')}`;
}

function at(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
