import type { Command } from 'commander';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { blankFrontMatter } from '../registry/front-matter.ts';

/** Something that a document tells its reader to run or to open. */
export interface Mention {
	kind: 'command' | 'path' | 'link';
	text: string;
	/** 1-based. */
	line: number;
}

const markdown = unified().use(remarkParse).use(remarkGfm);
/** Folders whose names begin a path of this repository. */
const FOLDERS = 'registry|generators|mcp|library|site|docs|public|bin|test|\\.ci|\\.github';
const PATH = new RegExp(`^(?:\\./)?(?:${FOLDERS})/[^\\s\`'"]*$`);
const FILE = /^[\w-][\w.-]*\.(?:json|jsonl|md|ts|mjs|txt|ya?ml)$/;
const COMMAND = /\b(?:npm (?:run|start|test|ci)|npx|node|bash|v10r-patterns)\b/;

/** The commands, paths and relative links of a Markdown document: in code, in code blocks and in links. */
export function mentionsIn(text: string): Mention[] {
	const mentions: Mention[] = [];
	visit(markdown.parse(blankFrontMatter(text)), (node) => {
		const line = node.position?.start.line ?? 1;
		if (node.type === 'inlineCode') {
			const value = node.value.trim();
			if (PATH.test(value) || FILE.test(value)) mentions.push({ kind: 'path', text: value, line });
			else if (COMMAND.test(value)) mentions.push({ kind: 'command', text: value, line });
		}
		if (node.type === 'code' && !/^(?:ts|tsx|js|json|jsonc|md|yaml|yml|sql|html|diff)$/.test(node.lang ?? '')) {
			for (const [index, row] of node.value.split('\n').entries()) {
				const command = row.replace(/(?:^|\s)#\s.*$/, '').replace(/^\s*\$ /, '');
				if (COMMAND.test(command)) mentions.push({ kind: 'command', text: command.trim(), line: line + 1 + index });
			}
		}
		if (
			(node.type === 'link' || node.type === 'image' || node.type === 'definition') &&
			!/^(?:[a-z]+:|\/\/)/i.test(node.url)
		) {
			mentions.push({ kind: 'link', text: node.url, line });
		}
	});
	return mentions;
}

/** What mentions are held against. */
export interface Truth {
	scripts: readonly string[];
	program: Command;
	/** All files of the repository by path from the root. */
	files: readonly string[];
}

/** What is wrong with a command line of a document: a script, a subcommand, an option or a file that is not there. */
export function commandFault(text: string, { scripts, program, files }: Truth): string | undefined {
	for (const part of text.split(/&&|\|\||[;|]/).map((one) => one.trim())) {
		const [, script] = /\bnpm run (?:-s |--silent )?([\w:-]+)/.exec(part) ?? /\bnpm (start|test)\b/.exec(part) ?? [];
		if (script !== undefined && !scripts.includes(script)) return `there is no script "${script}"`;
		const [, line] = /(?:\bv10r-patterns|\bdist\/cli\.js|\bnpm run (?:-s )?cli --)\s+(.*)$/.exec(part) ?? [];
		const fault = line === undefined ? undefined : cliFault(line, program);
		if (fault !== undefined) return fault;
		const [, file] =
			/\b(?:node|bash|bun|deno run)\s+(?:--\S+(?:[= ]tsx)?\s+)*(?:\/repo\/|\.\/)?([\w./-]+\.(?:ts|js|mjs|sh)|\.ci\/run)/.exec(
				part,
			) ?? [];
		if (file !== undefined && !file.startsWith('/') && !file.startsWith('dist/') && !files.includes(file))
			return `there is no file ${file}`;
	}
	return undefined;
}

function cliFault(line: string, program: Command): string | undefined {
	const [name = '', ...words] = line.split(/\s+/);
	if (!/^[a-z]/.test(name)) return undefined;
	const command = program.commands.find((one) => one.name() === name);
	if (!command) return /^[a-z-]+$/.test(name) ? `there is no command "${name}"` : undefined;
	const options = words.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? []);
	const stray = options.find((flag) => flag !== '--help' && !command.options.some((option) => option.long === flag));
	return stray === undefined ? undefined : `"${name}" has no option ${stray}`;
}

/** What is wrong with a path of a document; `<id>`, `[id]`, `*` and `…` stand for anything, `dist/` is built. */
export function pathFault(text: string, { files }: Truth): string | undefined {
	const path = text.replace(/^\.\//, '').replace(/[#:].*$/, '');
	const pattern = path
		.split(/(<[^>]*>|\*\*?|…|\{[^}]*\})/)
		.map((part, index) => (index % 2 === 1 ? '.*' : part.replace(/[.+?^$()|[\]\\]/g, '\\$&')))
		.join('');
	const whole = FILE.test(path)
		? new RegExp(`(?:^|/)${pattern}$`)
		: new RegExp(`^${pattern.replace(/\/$/, '')}(?:/|$)`);
	return files.some((file) => whole.test(file)) ? undefined : `there is no ${path}`;
}
