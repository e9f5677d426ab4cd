import { type bundledLanguages, createCssVariablesTheme, createHighlighter, type ShikiTransformer } from 'shiki';
import { codeClasses } from '../build/code-classes.ts';

const theme = createCssVariablesTheme({ name: 'variables', variablePrefix: '--code-', fontStyle: false });
const LANGUAGES: Readonly<Record<string, keyof typeof bundledLanguages>> = {
	ts: 'typescript',
	mts: 'typescript',
	tsx: 'tsx',
	js: 'javascript',
	mjs: 'javascript',
	jsx: 'jsx',
	py: 'python',
	rs: 'rust',
	go: 'go',
	sql: 'sql',
	json: 'json',
	yml: 'yaml',
	yaml: 'yaml',
	md: 'markdown',
	mdx: 'mdx',
	astro: 'astro',
	css: 'css',
	html: 'html',
	sh: 'bash',
};

const highlighter = createHighlighter({ themes: [theme], langs: ['typescript'] });
const done = new Map<string, Promise<string>>();

/**
 * The text of a file as highlighted HTML (`<pre>`), its language told by the name. Lines named in `marks` (1-based) get
 * an id, so that they can be linked to. The same file is highlighted once in a build.
 */
export function highlight(path: string, text: string, marks: ReadonlyMap<number, string> = new Map()): Promise<string> {
	const key = JSON.stringify([path, text.length, [...marks]]);
	const known = done.get(key);
	if (known) return known;
	const html = render(path, text, marks);
	done.set(key, html);
	return html;
}

async function render(path: string, text: string, marks: ReadonlyMap<number, string>): Promise<string> {
	const shiki = await highlighter;
	const lang = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text';
	if (lang !== 'text') await shiki.loadLanguage(lang);
	const html = shiki.codeToHtml(text.trimEnd(), {
		lang,
		theme: 'variables',
		transformers: [codeClasses, idsOf(marks)],
	});
	// Readers that look for addresses without parsing took href="#x" in a listing for a link of the page.
	return html.replace(/>[^<]+</g, (between) => between.replaceAll('"', '&quot;'));
}

function idsOf(marks: ReadonlyMap<number, string>): ShikiTransformer {
	return {
		name: 'line-ids',
		line(node, line) {
			const id = marks.get(line);
			if (id !== undefined) node.properties.id = id;
		},
	};
}
