import { error, type Problem, warning } from '../problem.ts';
import { eachPattern } from './check.ts';

/** Days after which a proof is worth looking at again. */
export const PROOF_DAYS = 180;

/** The grade of a record follows from its evidence: who claims proof shows it, with a date that is still near. */
export const checkMaturity = eachPattern((record, path, { today }) => {
	const { maturity, tests, showcases, verifiedAt, verifiedSha } = record;
	const proofs = tests.length + showcases.length;
	const problems: Problem[] = [];
	const add = (problem: Problem) => problems.push(problem);
	if (maturity === 'proven') {
		if (proofs === 0) {
			add({
				...error(
					[...path, 'maturity'],
					'A proven record needs at least one ref in tests or showcases; there is none.',
					'Name the proof, or lower maturity to "implemented".',
				),
				lacks: [
					[...path, 'tests'],
					[...path, 'showcases'],
				],
			});
		}
		if (verifiedAt === undefined) {
			add({
				...error(
					[...path, 'maturity'],
					'A proven record needs verifiedAt; there is none.',
					'Check its proof and add the date.',
				),
				lacks: [[...path, 'verifiedAt']],
			});
		} else problems.push(...dateProblems([...path, 'verifiedAt'], verifiedAt, today));
		return problems;
	}
	for (const field of ['verifiedAt', 'verifiedSha'] as const) {
		if ((field === 'verifiedAt' ? verifiedAt : verifiedSha) === undefined) continue;
		add(
			error(
				[...path, field],
				`Only a proven record has ${field}; this one is ${maturity}.`,
				`Delete ${field}, or set maturity to "proven".`,
			),
		);
	}
	if (maturity === 'planned') {
		for (const field of ['tests', 'showcases'] as const) {
			if (record[field].length === 0) continue;
			const fix = `Delete ${field}, or raise maturity.`;
			add(error([...path, field], `A planned record has no ${field}; found ${record[field].length}.`, fix));
		}
	} else if (proofs > 0) {
		const refs = `${proofs} proof ref${proofs === 1 ? '' : 's'}`;
		add(
			warning(
				[...path, 'maturity'],
				`The record is only "implemented", yet has ${refs} in tests or showcases.`,
				'Check them, then set maturity to "proven" with verifiedAt.',
			),
		);
	}
	return problems;
});

function dateProblems(path: Problem['path'], verifiedAt: string, today: string): Problem[] {
	const then = Date.parse(`${verifiedAt}T00:00:00Z`);
	if (Number.isNaN(then)) return [];
	// Date.parse takes 2026-02-30 for the second of March.
	if (new Date(then).toISOString().slice(0, 10) !== verifiedAt) {
		return [error(path, `${verifiedAt} is no day of the calendar.`, 'Write the day on which the proof was checked.')];
	}
	const age = Math.round((Date.parse(`${today}T00:00:00Z`) - then) / 86_400_000);
	if (age < 0) {
		// Someone east of the clock may have checked "tomorrow".
		return age >= -1 ? [] : [error(path, `${verifiedAt} lies in the future.`, 'Write the day of the check.')];
	}
	if (age <= PROOF_DAYS) return [];
	return [
		warning(
			path,
			`The proof was last checked ${age} days ago, on ${verifiedAt}; it is stale after ${PROOF_DAYS}.`,
			'Run its tests and open its showcase, then update verifiedAt.',
		),
	];
}
