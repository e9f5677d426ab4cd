import type { Demo } from '../../../library/scenario.ts';
import type { PatternRecord } from '../catalog.ts';
import { groups, library } from '../source.ts';
import { type Recording, record } from './recorder.ts';

/** A scenario of the library, with its runs at the default controls and, when there is one, its card. */
export interface Showcase {
	id: string;
	demo: Demo;
	card?: PatternRecord;
	/** The run with the pattern, and the one without it. */
	runs: { with: Recording; without: Recording };
}

/** Shown first and larger: each tells its story in one look. */
export const FEATURED: readonly string[] = ['retry-backoff', 'idempotency-key', 'circuit-breaker'];

const modules = import.meta.glob<Demo>('../../../library/*/*.demo.ts', { import: 'demo', eager: true });

/** Every `library/<id>/<id>.demo.ts`, in the order of the catalog; scenarios without a card come last. */
export const showcases: readonly Showcase[] = await loadShowcases();

/** Showcases under the headings of the registry's groups. */
export const showcaseGroups: readonly { id: string; title: string; showcases: readonly Showcase[] }[] = [
	...groups.map(({ group, categories }) => {
		const ids = new Set(categories.flatMap(({ patterns }) => patterns.map(({ id }) => id)));
		return { ...group, showcases: showcases.filter(({ id }) => ids.has(id)) };
	}),
	{ id: 'without-card', title: 'More', showcases: showcases.filter(({ card }) => card === undefined) },
].filter((group) => group.showcases.length > 0);

async function loadShowcases(): Promise<Showcase[]> {
	const order = new Map(library.patterns.map(({ id }, index) => [id, index]));
	const last = order.size;
	const found = Object.entries(modules).flatMap(([path, demo]) => {
		const [folder, file] = path.split('/').slice(-2);
		return folder !== undefined && file === `${folder}.demo.ts` ? [{ id: folder, demo }] : [];
	});
	found.sort((a, b) => (order.get(a.id) ?? last) - (order.get(b.id) ?? last) || (a.id < b.id ? -1 : 1));
	return Promise.all(
		found.map(async ({ id, demo }) => {
			const card = library.byId.get(id);
			const runs = { with: await record(demo, { pattern: true }), without: await record(demo, { pattern: false }) };
			for (const run of Object.values(runs)) {
				if (run.error !== undefined)
					throw new Error(`library/${id}/${id}.demo.ts does not come to its end: ${run.error}`);
			}
			return { id, demo, runs, ...(card ? { card } : {}) };
		}),
	);
}
