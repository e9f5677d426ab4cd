import type { Demo } from '../../../library/scenario.ts';
import { normalizeRoute, type PatternRecord } from '../catalog.ts';
import { PATHS } from '../links.ts';
import { groups, library } from '../source.ts';
import { type Recording, record } from './recorder.ts';

/** A scenario that a card cites, with its runs at the default controls. */
export interface Showcase {
	id: string;
	demo: Demo;
	card: PatternRecord;
	/** The run with the pattern, and the one without it. */
	runs: { with: Recording; without: Recording };
}

/** Shown first and larger: each tells its story in one look. */
export const FEATURED: readonly string[] = ['retry-backoff', 'idempotency-key', 'circuit-breaker'];

const modules = import.meta.glob<Demo>('../../../library/*/*.demo.ts', { import: 'demo', eager: true });

/**
 * Every `library/<id>/<id>.demo.ts` that a card of this library cites as `/showcases/<id>/`, in the order of the catalog.
 * A site of another library thus shows none of the scenarios that lie beside the site's own code.
 */
export const showcases: readonly Showcase[] = await loadShowcases();

/** Showcases under the headings of the registry's groups. */
export const showcaseGroups: readonly { id: string; title: string; showcases: readonly Showcase[] }[] = groups
	.map(({ group, categories }) => {
		const ids = new Set(categories.flatMap(({ patterns }) => patterns.map(({ id }) => id)));
		return { ...group, showcases: showcases.filter(({ card }) => ids.has(card.id)) };
	})
	.filter((group) => group.showcases.length > 0);

async function loadShowcases(): Promise<Showcase[]> {
	const cards = citingCards();
	const order = new Map(library.patterns.map(({ id }, index) => [id, index]));
	const rank = ({ card }: { card: PatternRecord }) => order.get(card.id) ?? order.size;
	const found = Object.entries(modules).flatMap(([path, demo]) => {
		const [id, file] = path.split('/').slice(-2);
		const card = id === undefined ? undefined : cards.get(PATHS.showcase(id));
		return id !== undefined && card && file === `${id}.demo.ts` ? [{ id, demo, card }] : [];
	});
	found.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
	return Promise.all(
		found.map(async ({ id, demo, card }) => {
			const runs = { with: await record(demo, { pattern: true }), without: await record(demo, { pattern: false }) };
			for (const run of Object.values(runs)) {
				if (run.error !== undefined)
					throw new Error(`library/${id}/${id}.demo.ts does not come to its end: ${run.error}`);
			}
			return { id, demo, card, runs };
		}),
	);
}

/** The card for each route that is cited as a showcase; of several the first, and before them the pattern's own. */
function citingCards(): Map<string, PatternRecord> {
	const cards = new Map<string, PatternRecord>();
	for (const card of library.patterns) {
		for (const { kind, path } of card.showcases) {
			if (kind !== 'route') continue;
			const route = `${normalizeRoute(path)}/`;
			if (!cards.has(route) || route === PATHS.showcase(card.id)) cards.set(route, card);
		}
	}
	return cards;
}
