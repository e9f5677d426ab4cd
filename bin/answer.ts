import { loadLibrary } from '../mcp/registry-file.ts';
import { createRepositoryTools } from '../mcp/repository-tools.ts';
import { createFileReader } from '../mcp/security.ts';
import { checkSnippet } from '../mcp/snippet.ts';
import type { Library } from '../registry/library.ts';
import { showCall, type ToolResult } from '../registry/query.ts';
import { EXIT } from './exit.ts';
import { printAnswer, printJson } from './output.ts';
import type { Surroundings } from './surroundings.ts';
import type { Target } from './target.ts';
import { commandVoice } from './voice.ts';

/**
 * Answers with a tool of the query layer, over the same ports as the server: an agent and a person read one text. What
 * is wrong with the call is said in the words of this command line.
 */
export function callOn(target: Target, name: string, args: Record<string, unknown>): ToolResult {
	return createRepositoryTools({ ...target, voice: commandVoice(target.flags) }).call(name, args);
}

/** A command that asks a tool something which this library answers, to be shown beside an error. */
export function showCommand(target: Target, name: string): string {
	const ports = { readFile: createFileReader(target.root), checkSnippet };
	return showCall(libraryOf(target), ports, name, commandVoice(target.flags));
}

/** The library as the tolerant reader gives it, for answers in JSON. */
export function libraryOf(target: Target): Library {
	return loadLibrary(target.registryFile);
}

/**
 * Prints a tool's answer, or what was wrong with the call to standard error.
 * @param asJson data for programs; the text itself when absent
 */
export function deliver(result: ToolResult, surroundings: Surroundings, asJson?: { value: unknown }): number {
	if (result.isError) {
		surroundings.stderr.write(`${result.text}\n`);
		return EXIT.refused;
	}
	if (asJson) printJson(asJson.value, surroundings);
	else printAnswer(result.text, surroundings);
	return EXIT.ok;
}
