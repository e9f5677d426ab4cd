/**
 * Reciprocal rank fusion: one ranking out of several, by places alone. A document gets weight / (k + rank) from each list
 * that holds it. Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
 * Methods", SIGIR 2009, with their k = 60.
 */

/** One retriever's answer, best first. A repeated id counts once, where it stands first. */
export interface Ranking {
	readonly name: string;
	readonly ids: readonly string[];
	/** How much this list counts, above 0. 1 by default. */
	readonly weight?: number;
}

export interface Fused {
	readonly id: string;
	/** Good for ordering this one result; it is no probability, and no threshold means the same for two queries. */
	readonly score: number;
	/** Which lists held the document, and where (1 is the top): why it stands where it stands. */
	readonly from: readonly { readonly name: string; readonly rank: number }[];
}

export interface FuseOptions {
	/** Flattens the difference between neighbouring places; 0 or more. 60 by default. */
	readonly k?: number;
	/** How many documents to return. All by default. */
	readonly limit?: number;
}

/**
 * Shares are whole multiples of 2^-40, so that sums are exact: a float sum depends on the order of its parts, and then
 * equal documents would be ordered by noise. Neighbouring ranks stay distinct down to about the millionth (weight 1).
 */
const UNIT = 2 ** 40;

/**
 * Fuses rankings into one, best first; equal scores are ordered by id, in code units.
 * @throws RangeError on a k, limit or weight out of range
 */
export function fuse(lists: readonly Ranking[], options: FuseOptions = {}): Fused[] {
	const { k = 60, limit = Number.POSITIVE_INFINITY } = options;
	if (!(k >= 0 && k < Number.POSITIVE_INFINITY)) throw new RangeError(`k must be 0 or more, not ${k}`);
	if (!(limit >= 0)) throw new RangeError(`limit must be 0 or more, not ${limit}`);
	let total = 0;
	for (const { name, weight = 1 } of lists) {
		if (!(weight > 0)) throw new RangeError(`list "${name}": the weight must be above 0, not ${weight}`);
		total += weight;
	}
	if (!((total * UNIT) / (k + 1) < Number.MAX_SAFE_INTEGER)) throw new RangeError(`the weights add up to ${total}`);

	const found = new Map<string, { units: number; from: { name: string; rank: number }[] }>();
	for (const { name, ids, weight = 1 } of lists) {
		let rank = 0;
		for (const id of new Set(ids)) {
			rank++;
			const entry = found.get(id) ?? { units: 0, from: [] };
			entry.units += Math.round((weight * UNIT) / (k + rank));
			entry.from.push({ name, rank });
			found.set(id, entry);
		}
	}
	return [...found]
		.sort(([a, { units: ua }], [b, { units: ub }]) => ub - ua || (a < b ? -1 : 1))
		.slice(0, limit)
		.map(([id, { units, from }]) => ({ id, score: units / UNIT, from }));
}

/**
 * Orders one retriever's hits by its own score; the scores end here. Equal scores are ordered by id, no number comes last.
 * @param better `higher` for similarities and BM25, `lower` for distances
 */
export function byScore(hits: readonly { id: string; score: number }[], better: 'higher' | 'lower'): string[] {
	const worst = better === 'higher' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
	return hits
		.map(({ id, score }) => ({ id, score: Number.isNaN(score) ? worst : score }))
		.sort((a, b) => {
			const [low, high] = better === 'higher' ? [b, a] : [a, b];
			if (low.score !== high.score) return low.score < high.score ? -1 : 1;
			return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
		})
		.map(({ id }) => id);
}

export interface Retriever {
	readonly name: string;
	readonly weight?: number;
	/** Ids, best first. Ask for more than a page: a document that a list cuts off gets nothing from it. */
	readonly search: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
}

export interface SearchOptions extends FuseOptions {
	/** How long to wait for retrievers, in milliseconds. */
	readonly timeoutMs: number;
	readonly signal?: AbortSignal;
	/** Calls back after `ms` milliseconds; returns the function that cancels it. */
	readonly after?: (ms: number, callback: () => void) => () => void;
}

export interface FusedSearch {
	readonly hits: Fused[];
	/** Retrievers that failed or were late. Their documents are not worse, they are unknown: show it, and do not cache it long. */
	readonly missing: { name: string; reason: unknown }[];
}

/**
 * Asks all retrievers at once and fuses what arrives in time.
 * @throws RangeError on a timeout that no timer holds; AggregateError when every retriever failed; the reason of `signal`
 *   when it is aborted
 */
export async function fusedSearch(
	query: string,
	retrievers: readonly Retriever[],
	options: SearchOptions,
): Promise<FusedSearch> {
	const { timeoutMs, signal, after = realAfter } = options;
	// Beyond this, setTimeout fires at once, and every retriever would be late.
	if (!(timeoutMs >= 0 && timeoutMs < 2 ** 31))
		throw new RangeError(`timeoutMs must be from 0 to below 2^31, not ${timeoutMs}`);
	signal?.throwIfAborted();
	const control = new AbortController();
	const onAbort = () => control.abort(signal?.reason);
	signal?.addEventListener('abort', onAbort, { once: true });
	const cancel = after(timeoutMs, () =>
		control.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError')),
	);
	try {
		const asked = retrievers.map((one) => untilAborted(() => one.search(query, control.signal), control.signal));
		const outcomes = await Promise.allSettled(asked);
		signal?.throwIfAborted();
		const lists: Ranking[] = [];
		const missing: FusedSearch['missing'] = [];
		for (const [index, { name, weight = 1 }] of retrievers.entries()) {
			const outcome = outcomes[index];
			if (outcome?.status === 'fulfilled') lists.push({ name, weight, ids: outcome.value });
			else missing.push({ name, reason: outcome?.reason });
		}
		if (retrievers.length > 0 && lists.length === 0)
			throw new AggregateError(
				missing.map(({ reason }) => reason),
				'every retriever failed',
			);
		return { hits: fuse(lists, options), missing };
	} finally {
		cancel();
		signal?.removeEventListener('abort', onAbort);
	}
}

/** Settles as `work` does, or rejects on abort; what comes later is dropped. The copy also refuses what is not a list. */
function untilAborted(work: () => Promise<readonly string[]>, signal: AbortSignal): Promise<readonly string[]> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		signal.addEventListener('abort', onAbort, { once: true });
		(async () => [...(await work())])()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', onAbort));
	});
}

function realAfter(ms: number, callback: () => void): () => void {
	const timer = setTimeout(callback, ms);
	return () => clearTimeout(timer);
}
