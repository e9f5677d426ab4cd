import { error, type Problem } from '../problem.ts';
import { eachPattern } from './check.ts';

const MIN_ASKS = { deep: 6, light: 3 };
const DEEP_FIELDS = ['avoid_when', 'invariants', 'emulation_notes', 'capabilities', 'keywords', 'docs'] as const;
const DEEP_ONLY_FIELDS = ['invariants', 'emulation_notes'] as const;

/** A deep record is a full card; a light one is an index row that makes no promise about how to port it. */
export const checkTier = eachPattern((record, path) => {
	const { tier, asks, docs } = record;
	const missingAsks = MIN_ASKS[tier] - asks.length;
	const problems =
		missingAsks > 0
			? [
					lacking(
						[...path, 'asks'],
						`A ${tier} record needs at least ${MIN_ASKS[tier]} asks; this one has ${asks.length}.`,
						`Add ${missingAsks}: tasks, symptoms or questions of people who do not know the pattern's name.`,
					),
				]
			: [];
	if (tier === 'deep') {
		for (const field of DEEP_FIELDS.filter((name) => record[name].length === 0)) {
			const fix = `Fill in ${field}, or make the record light.`;
			problems.push(lacking([...path, field], `A deep record needs ${field}; there is none.`, fix));
		}
		return problems;
	}
	if (docs.length === 0) {
		problems.push(
			lacking([...path, 'docs'], 'A light record needs at least one doc; there is none.', 'Add what to read first.'),
		);
	}
	for (const field of DEEP_ONLY_FIELDS.filter((name) => record[name].length > 0)) {
		problems.push(
			error(
				[...path, field],
				`A light record has no ${field}; found ${record[field].length}.`,
				`Make the record deep (and complete), or move them into a doc.`,
			),
		);
	}
	return problems;
});

function lacking(path: Problem['path'], message: string, fix: string): Problem {
	return { ...error(path, message, fix), lacks: [path] };
}
