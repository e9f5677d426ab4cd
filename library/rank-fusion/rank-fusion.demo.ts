import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { byScore, type Fused, fuse, fusedSearch, type Ranking } from './rank-fusion.ts';

/** The card's rules that this scenario checks, to the letter. */
export const RULES = {
	score:
		'A document gets weight / (k + rank) from each list that holds it, ranks counted from 1 and k = 60 unless given.',
	missing: 'A document that is missing from a list gets nothing from it, neither a share nor a penalty.',
	ties: 'Equal scores are ordered by id in code units, and the order in which the lists come changes nothing.',
	agree: 'Adding a list that agrees with the fused order from the top down never lowers a document.',
	scores:
		"Scores are never compared across retrievers: rescaling one retriever's scores without changing its order changes nothing.",
	repeated:
		'A document that a list repeats counts once, where it stands first, and takes no rank from those behind it.',
	degrade: 'A retriever that fails or is late adds nothing and is named: the search fails only when all of them do.',
} as const;

interface Hit {
	id: string;
	score: number;
}

interface Answer {
	name: string;
	hits: Hit[];
}

const DOCUMENTS = 12;
const TIMEOUT = 300;

/** Without the pattern: the scores that retrievers happen to give are added up, whatever their scale. */
function addScores(answers: Answer[]): Fused[] {
	const sums = new Map<string, number>();
	for (const { hits } of answers) for (const { id, score } of hits) sums.set(id, (sums.get(id) ?? 0) + score);
	return [...sums].sort((a, b) => b[1] - a[1]).map(([id, score]) => ({ id, score, from: [] }));
}

function byRank(answers: Answer[]): Fused[] {
	return fuse(answers.map(({ name, hits }): Ranking => ({ name, ids: byScore(hits, 'higher') })));
}

const order = (fused: Fused[]) => fused.map(({ id }) => id).join(' ');

export const demo: Demo = {
	title: 'Keyword, vector and click search become one ranking',
	about:
		'Three retrievers answer each query on scales of their own, and one of them repeats documents. One may be slow or down. Look at who leads when the scale of one retriever changes, and at what is left of an answer when a retriever is missing.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Fuse by rank', value: true },
		{ id: 'scale', kind: 'number', label: 'Keyword scores times', value: 20, min: 1, max: 100, step: 1 },
		{
			id: 'trouble',
			kind: 'select',
			label: 'The vector index is',
			value: 'down',
			options: [
				{ value: 'well', label: 'well' },
				{ value: 'slow', label: 'slow on the second query' },
				{ value: 'down', label: 'down on the second query' },
			],
		},
		{ id: 'queries', kind: 'number', label: 'Queries', value: 4, min: 3, max: 8, step: 1 },
		{ id: 'seed', kind: 'number', label: 'Seed', value: 9, min: 1, max: 99, step: 1 },
	],
	async run(controls, emit, clock) {
		const random = seededRandom(Number(controls.seed));
		const fused = controls.pattern ? byRank : addScores;

		/** A noisy view of the relevant documents: each retriever sees two thirds of them, on its own scale. */
		const answer = (name: string, scale: number): Answer => {
			const hits: Hit[] = [];
			for (let number = 1; number <= DOCUMENTS; number++) {
				const relevance = 1 - number / DOCUMENTS + random();
				if (random() < 0.66) hits.push({ id: `doc-${String(number).padStart(2, '0')}`, score: relevance * scale });
			}
			hits.sort((a, b) => b.score - a.score);
			const [first] = hits;
			// Two chunks of one document: an ordinary thing for a vector index.
			if (name === 'vector' && first) hits.splice(1, 0, { id: first.id, score: first.score - 1e-9 });
			return { name, hits };
		};

		let failed = 0;
		let unnamed = 0;
		let wrongScore = 0;
		let moved = 0;
		let unstable = 0;
		let lowered = 0;
		let repeated = 0;
		let absent = 0;
		for (let query = 1; query <= Number(controls.queries); query++) {
			const answers = [answer('keyword', 1), answer('vector', 1), answer('clicks', 5)];
			const troubled = query === 2 && controls.trouble !== 'well';
			const started = clock.now();
			emit({ t: started, lane: 'search', kind: 'start', label: `query ${query}` });
			const retrievers = answers.map(({ name, hits }) => ({
				name,
				search: async (_query: string, signal: AbortSignal) => {
					const slow = troubled && name === 'vector' && controls.trouble === 'slow';
					const t = clock.now();
					try {
						await clock.sleep(slow ? 2000 : 40 + Math.floor(random() * 80), signal);
					} catch (error) {
						emit({ t, until: clock.now(), lane: name, kind: 'abort', label: 'too late' });
						throw error;
					}
					const down = troubled && name === 'vector' && !slow;
					emit({
						t,
						until: clock.now(),
						lane: name,
						kind: down ? 'fail' : 'ok',
						label: down ? 'down' : howMany(hits.length, 'hit'),
					});
					if (down) throw new Error('index is down');
					return byScore(hits, 'higher');
				},
			}));
			try {
				if (controls.pattern) {
					const { hits, missing } = await fusedSearch('shoes', retrievers, { timeoutMs: TIMEOUT, after: clock.after });
					if (missing.length > 0 !== troubled) unnamed++;
					const without = missing.map(({ name }) => name).join(', ');
					const label = `first: ${hits[0]?.id}${without ? `, without ${without}` : ''}`;
					emit({ t: clock.now(), lane: 'search', kind: 'ok', label });
				} else {
					const never = new AbortController().signal;
					await Promise.all(retrievers.map(({ search }) => search('shoes', never)));
					if (clock.now() - started > TIMEOUT) failed++;
					emit({ t: clock.now(), lane: 'search', kind: 'ok', label: `first: ${fused(answers)[0]?.id}` });
				}
			} catch (error) {
				failed++;
				emit({ t: clock.now(), lane: 'search', kind: 'fail', label: `no answer: ${error}` });
				// What still runs must end before the next query begins.
				await clock.sleep(200);
			}

			const base = fused(answers);
			const rank = (hits: Hit[], id: string) => [...new Set(hits.map((hit) => hit.id))].indexOf(id) + 1;
			for (const { id, score } of base) {
				const ranks = answers.map(({ hits }) => rank(hits, id)).filter((place) => place > 0);
				if (Math.abs(score - ranks.reduce((sum, place) => sum + 1 / (60 + place), 0)) > 1e-9) wrongScore++;
			}
			const scaled = answers.map(({ name, hits }) => ({
				name,
				hits: hits.map(({ id, score }) => ({ id, score: name === 'keyword' ? score * Number(controls.scale) : score })),
			}));
			if (order(fused(scaled)) !== order(base)) moved++;
			const reversed = [...answers].reverse();
			const twins: Answer[] = ['doc-b', 'doc-a'].map((id) => ({ name: id, hits: [{ id, score: 1 }] }));
			if (order(fused(reversed)) !== order(base) || order(fused(twins)) !== 'doc-a doc-b') unstable++;
			const agreeing = { name: 'agreeing', hits: base.map(({ id }, index) => ({ id, score: DOCUMENTS - index })) };
			const more = fused([...answers, agreeing]).map(({ id }) => id);
			lowered += base.filter(({ id }, index) => more.indexOf(id) > index).length;
			const once = answers.map(({ name, hits }) => ({
				name,
				hits: hits.filter((hit, index) => hits.findIndex((other) => other.id === hit.id) === index),
			}));
			if (order(fused(once)) !== order(base) || fused(once)[0]?.score !== base[0]?.score) repeated++;
			// A list of strangers must leave each document's score as it was.
			const strangers = fused([...answers, { name: 'strangers', hits: [{ id: 'other', score: 9 }] }]);
			absent += base.filter(({ id, score }) => strangers.find((hit) => hit.id === id)?.score !== score).length;
		}
		emit({
			rule: RULES.score,
			ok: wrongScore === 0,
			detail: `${howMany(wrongScore, 'score is', 'scores are')} not the sum of 1 / (60 + rank)`,
		});
		emit({
			rule: RULES.missing,
			ok: absent === 0,
			detail: `${howMany(absent, 'score')} changed by a list without the document`,
		});
		emit({
			rule: RULES.ties,
			ok: unstable === 0,
			detail: `${howMany(unstable, 'result depends', 'results depend')} on the order of lists`,
		});
		emit({
			rule: RULES.agree,
			ok: lowered === 0,
			detail: `${howMany(lowered, 'document')} lowered by an agreeing list`,
		});
		emit({
			rule: RULES.scores,
			ok: moved === 0,
			detail: `${howMany(moved, 'result')} changed with the scale of one retriever`,
		});
		emit({
			rule: RULES.repeated,
			ok: repeated === 0,
			detail: `${howMany(repeated, 'result')} changed by a repeated document`,
		});
		emit({
			rule: RULES.degrade,
			ok: failed + unnamed === 0,
			detail: `${howMany(failed, 'query failed or was', 'queries failed or were')} late, ${unnamed} hid a gap`,
		});
	},
};
