import { FROZEN_TEXTS, freezeTexts } from '../registry/concordance.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { type Artifact, generated } from './artifact.ts';
import { sha256 } from './hash.ts';
import { LAYOUT } from './layout.ts';

/**
 * The words of the frozen registry, read ahead, so that a server answers its first search in a fraction of the time. It
 * names the frozen file's SHA-256: readers use it with that file only. Each record stands on a line of its own.
 * @param patterns those of the frozen registry, in the order of every surface
 * @param command the command that makes the file
 */
export function searchIndex(patterns: readonly PatternRecord[], frozen: Artifact, command: string): Artifact {
	const head = { format: FROZEN_TEXTS, generated: command, registry: sha256(frozen.text) };
	const members = Object.entries(head).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
	const records = freezeTexts(patterns).map((record) => JSON.stringify(record));
	return generated(
		LAYOUT.searchIndex,
		`{\n${members.join(',\n')},\n"records":[${records.length > 0 ? `\n${records.join(',\n')}\n` : ''}]\n}\n`,
	);
}
