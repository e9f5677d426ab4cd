import type { Registry } from '../registry/schema.ts';
import { type Artifact, generated } from './artifact.ts';
import { sha256 } from './hash.ts';
import { LAYOUT } from './layout.ts';

/** Version of the frozen file's shape; readers refuse one that they do not know. */
export const FROZEN_FORMAT = 1;

/**
 * The frozen registry: what `readRegistry` made of the authored file, without hidden records (see `withoutHidden`), and
 * the SHA-256 of the file's bytes. Each record stands on a line of its own, so that diffs and merges go by record.
 */
export function frozenRegistry(
	visible: Registry,
	source: { path: string; bytes: Uint8Array },
	command: string,
): Artifact {
	const head = {
		format: FROZEN_FORMAT,
		generated: command,
		source: { path: source.path, sha256: sha256(source.bytes) },
	};
	const members = Object.entries({ ...head, ...visible }).map(([key, value]) => `${json(key)}:${member(value)}`);
	return generated(LAYOUT.frozen, `{\n${members.join(',\n')}\n}\n`);
}

function member(value: unknown): string {
	if (!Array.isArray(value) || value.length === 0) return json(value);
	return `[\n${value.map(json).join(',\n')}\n]`;
}

function json(value: unknown): string {
	return JSON.stringify(value);
}
