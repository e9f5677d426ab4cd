import type { Voice } from '../registry/voice.ts';
import { shellWord } from './shell.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The command that answers as a tool does: how its arguments are typed. */
interface Front {
	command: string;
	/** Parameters by the option or the operand that sets them. */
	typed: Readonly<Record<string, string>>;
	operands(args: Arguments): readonly unknown[];
}

const FRONTS: Readonly<Record<string, Front>> = {
	search_patterns: {
		command: 'search',
		typed: { query: '<query>', limit: '--limit', category: '--category', tier: '--tier', detail: '--detail' },
		operands: ({ query }) => [query],
	},
	get_pattern: {
		command: 'show',
		typed: { id: '<id>', ids: '<id...>', sections: '--section' },
		operands: ({ id, ids }) => [id, ...listOf(ids)],
	},
	get_file_excerpt: {
		command: 'excerpt',
		typed: { path: '<path>', start_line: '--start', line_count: '--count', section: '--section' },
		operands: ({ path }) => [path],
	},
	trace_capability: {
		command: 'trace',
		typed: { capability: '<capability>' },
		operands: ({ capability }) => [capability],
	},
	recommend_emulation_plan: {
		command: 'plan',
		typed: { capabilities: '<capability...>', target_infra: '--infra' },
		operands: ({ capabilities }) => listOf(capabilities),
	},
};

/**
 * How errors of this command line name what they are about.
 * @param flags options that say which library is meant, repeated in every command that is shown
 */
export function commandVoice(flags: readonly string[]): Voice {
	return {
		tool: (name) => FRONTS[name]?.command ?? name,
		argument: (tool, name) => FRONTS[tool]?.typed[name] ?? name,
		call(tool, args) {
			const front = FRONTS[tool];
			if (!front) return tool;
			const operands = front
				.operands(args)
				.filter((operand) => operand !== undefined)
				.map(String);
			const options = Object.entries(args).flatMap(([name, value]) => {
				const option = front.typed[name] ?? '';
				return option.startsWith('--') ? [option, listOf(value).join(',')] : [];
			});
			// An operand like "-x" would be read as an option.
			const words = operands.some((operand) => operand.startsWith('-'))
				? [front.command, ...options, ...flags, '--', ...operands]
				: [front.command, ...operands, ...options, ...flags];
			return `v10r-patterns ${words.map(shellWord).join(' ')}`;
		},
		works: 'A command that works',
	};
}

function listOf(value: unknown): readonly unknown[] {
	if (value === undefined) return [];
	return Array.isArray(value) ? value : [value];
}
