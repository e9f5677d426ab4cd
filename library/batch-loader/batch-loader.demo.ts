import { howMany } from '../how-many.ts';
import { seededRandom } from '../random.ts';
import type { Demo } from '../scenario.ts';
import { BatchLoader } from './batch-loader.ts';

/** The rules of the card that the scenario checks. */
export const rules = {
	tick: 'All loads of one tick become one call, those that settling promises ask for in it too.',
	order:
		'Results keep the order of the keys: each load gets its own entry, and an answer of the wrong length fails its batch instead of shifting values.',
	error: 'An error for one key is that key’s alone.',
	split: 'A batch over the limit is split into calls of at most maxBatch keys, without losing or repeating one.',
	once: 'A key is asked for once in a request, however often it is loaded.',
	lifetime:
		'The memo answers only within its request: at its end pending loads reject and further ones are refused, whatever was remembered.',
} as const;

export const demo: Demo = {
	title: 'A list of posts, each with its author',
	about:
		'Two page requests list posts and resolve the author of each; between them an author is renamed, and one author no longer exists. ' +
		'With the loader each request asks the database for all authors at once; without it, once for every post.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the batch loader', value: true },
		{ id: 'posts', kind: 'number', label: 'Posts on the page', value: 16, min: 6, max: 20, step: 1 },
		{ id: 'authors', kind: 'number', label: 'Different authors', value: 6, min: 4, max: 10, step: 1 },
		{ id: 'maxBatch', kind: 'number', label: 'Most keys in a call', value: 4, min: 2, max: 20, step: 1 },
	],
	async run(controls, emit, clock) {
		const posts = Math.round(Number(controls.posts));
		const authors = Math.round(Number(controls.authors));
		const maxBatch = Math.round(Number(controls.maxBatch));
		const names = new Map(Array.from({ length: authors }, (_, id) => [id, `author ${id}`]));
		const gone = Math.min(authors, posts) - 1;
		names.delete(gone);

		let calls: number[][] = [];
		/** SELECT … WHERE id IN (…): rows come in the database's order, and those that don't exist are left out. */
		const select = async (ids: readonly number[]) => {
			const t = clock.now();
			calls.push([...ids]);
			await clock.sleep(20 + ids.length);
			emit({ t, until: clock.now(), lane: 'database', kind: 'ok', label: `select author ${ids.join(', ')}` });
			return [...names].filter(([id]) => ids.includes(id)).reverse();
		};
		const fetchAuthors = async (ids: readonly number[]) => {
			const rows = new Map(await select(ids));
			return ids.map((id) => rows.get(id) ?? new Error(`no author ${id}`));
		};

		const seen = { wrong: 0, failed: 0, strayFailures: 0, most: 0, repeated: 0, excess: 0, stale: 0, refused: 0 };
		const page = async (lane: string, seed: number) => {
			const random = seededRandom(seed);
			const list = Array.from({ length: posts }, (_, n) => (n < authors ? n : Math.floor(random() * authors)));
			const request = new AbortController();
			const loader = new BatchLoader(fetchAuthors, {
				request: request.signal,
				maxBatch,
				schedule: (callback) => void clock.after(0, callback),
			});
			const load = async (id: number) => {
				if (controls.pattern) return loader.load(id);
				const [name] = await fetchAuthors([id]);
				if (name instanceof Error || name === undefined) throw name;
				return name;
			};
			calls = [];
			const t = clock.now();
			const shown = new Set<number>();
			/** The author of a post; half of the posts learn late in the tick whose they are. */
			const resolve = async (id: number, index: number) => {
				if (index % 2 === 1) await Promise.resolve();
				try {
					const name = await load(id);
					if (name !== names.get(id)) seen.wrong++;
					if (!shown.has(id)) emit({ t: clock.now(), lane, kind: 'info', label: name });
					shown.add(id);
				} catch (error) {
					if (id !== gone) seen.strayFailures++;
					else if (!shown.has(id))
						emit({ t: clock.now(), lane, kind: 'fail', label: error instanceof Error ? error.message : '' });
					if (id === gone) seen.failed++;
					shown.add(id);
				}
			};
			await Promise.all(list.map(resolve));
			const wave = calls.length;
			// The footer needs the first author once more, later in the same request.
			await resolve(list[0] ?? 0, 0);
			emit({
				t,
				until: clock.now(),
				lane,
				kind: 'ok',
				label: `page with ${howMany(posts, 'post')}, ${howMany(calls.length, 'call')}`,
			});

			const distinct = new Set(list).size;
			const asked = calls.flat();
			seen.excess = Math.max(seen.excess, wave - Math.ceil(distinct / maxBatch));
			seen.most = Math.max(seen.most, ...calls.map((ids) => ids.length));
			seen.repeated += asked.length - new Set(asked).size;
			request.abort(new Error('the request has ended'));
			if (controls.pattern) await loader.load(0).catch(() => seen.refused++);
			return names.get(0);
		};

		await page('request 1', 3);
		names.set(0, 'author 0, renamed');
		emit({ t: clock.now(), lane: 'database', kind: 'state', label: 'author 0 is renamed' });
		const before = seen.wrong;
		await page('request 2', 4);
		seen.stale = seen.wrong - before;

		emit({
			rule: rules.tick,
			ok: seen.excess <= 0,
			detail: `${howMany(seen.excess, 'call')} more than the keys of a tick need`,
		});
		emit({ rule: rules.order, ok: seen.wrong === 0, detail: `${howMany(seen.wrong, 'post')} showed a wrong name` });
		emit({
			rule: rules.error,
			ok: seen.strayFailures === 0 && seen.failed > 0,
			detail: `${howMany(seen.failed, 'post')} of the missing author failed, ${howMany(seen.strayFailures, 'other')}`,
		});
		emit({ rule: rules.split, ok: seen.most <= maxBatch, detail: `the largest call had ${howMany(seen.most, 'key')}` });
		emit({
			rule: rules.once,
			ok: seen.repeated === 0,
			detail: `${howMany(seen.repeated, 'key was asked', 'keys were asked')} for again`,
		});
		emit({
			rule: rules.lifetime,
			ok: seen.stale === 0 && (!controls.pattern || seen.refused === 2),
			detail: `${howMany(seen.stale, 'old name')} in the second request; ${howMany(seen.refused, 'load')} refused after the end`,
		});
	},
};
