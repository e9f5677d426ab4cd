import type { CardAsks, CardOnSet, Missed } from '../registry/bench/card.ts';

/** How one card does, on each set and by its own asks. */
export interface CardReport {
	card: string;
	sets: CardSetReport[];
	leaveOneOut: CardAsks;
}

/** A set that is kept blind gives counts and no queries: who chooses words by them has no blind set any more. */
export type CardSetReport = { set: string } & (
	| (CardOnSet & { blind?: false })
	| { queries: number; missed: number; refused: number; blind: true }
);

/** What a curator needs of one card: the queries that it loses, its asks that go astray, and to which cards. */
export function renderCardReport({ card, sets, leaveOneOut }: CardReport): string {
	const { asks, astray, takenBy } = leaveOneOut;
	return [
		...sets.map((set) => [`# ${card} on ${set.set}`, ...setLines(set)].join('\n')),
		[
			`# ${card}, each ask left out`,
			asks === 0 ? 'The card has no asks.' : `${astray.length} of ${count(asks, 'ask')} ${go(astray.length)} astray.`,
			...astray.map(({ ask, found }) => `  "${ask}" → ${found ?? 'no match'}`),
			...(takenBy.length > 0 ? [`Taken by: ${takenBy.map(({ id, count }) => `${id} (${count})`).join(', ')}`] : []),
		].join('\n'),
	].join('\n\n');
}

function setLines(set: CardSetReport): string[] {
	if (set.queries === 0) return ['None of its queries is about the card.'];
	if (set.blind) {
		return [
			`${set.missed} of ${count(set.queries, 'query', 'queries')} missed, ${set.refused} of them refused. Not shown, so that the set stays blind.`,
		];
	}
	if (set.missed.length === 0) return [`It answers ${set.queries === 1 ? 'its query' : `all ${set.queries} queries`}.`];
	return [`${set.missed.length} of ${count(set.queries, 'query', 'queries')} missed:`, ...set.missed.map(missedLine)];
}

function missedLine({ query, kind, refused, rank, first }: Missed): string {
	const place = rank === undefined ? 'not among the first ten' : `rank ${rank}`;
	const what = [refused ? 'refused' : '', first === undefined ? '' : `${refused ? 'nearest' : 'first'}: ${first}`];
	return `  "${query}" (${kind}): ${[...what.filter(Boolean), place].join('; ')}`;
}

function go(number: number): string {
	return number === 1 ? 'goes' : 'go';
}

function count(number: number, one: string, many = `${one}s`): string {
	return `${number} ${number === 1 ? one : many}`;
}
