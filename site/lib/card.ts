import { dependents, type PatternRecord, type Ref, requiresClosure } from './catalog.ts';
import { type Listing, lineId, listing } from './listing.ts';
import { pinOf, testCount } from './pins.ts';
import { sourceHref } from './refs.ts';
import { groups, library } from './source.ts';

/** A rule of a card, and the test that pins it. */
export interface ShownInvariant {
	rule: string;
	pin?: {
		/** The test's own name, without the blocks around it. */
		name: string;
		/** `file.test.ts:12`. */
		place: string;
		/** The test in the repository's browser. */
		to: string | undefined;
		/** The test on this page, when it is shown there. */
		here: string | undefined;
	};
}

/** A requirement of a card or of what it builds on. */
export interface ShownRequirement {
	id: string;
	title: string;
	/** Patterns that bring it in; none when the card itself does. */
	via: PatternRecord[];
}

/** All that a card's page shows beside the record itself. */
export interface CardView {
	group: string;
	category: string;
	requirements: ShownRequirement[];
	invariants: ShownInvariant[];
	/** How many invariants a test pins. */
	pinned: number;
	code: Listing[];
	tests: Listing[];
	testCount: number;
	dependencies: PatternRecord[];
	dependents: PatternRecord[];
	previous: PatternRecord | undefined;
	next: PatternRecord | undefined;
}

const places = new Map<string, { group: string; category: string; at: number }>();
const order: PatternRecord[] = [];
for (const { group, categories } of groups) {
	for (const { category, patterns } of categories) {
		for (const pattern of patterns) {
			places.set(pattern.id, { group: group.title, category: category.title, at: order.length });
			order.push(pattern);
		}
	}
}
const requirementTitles = new Map(library.registry.requirements.map(({ id, title }) => [id, title]));

/** Gathers what a card's page shows. */
export async function cardView(record: PatternRecord): Promise<CardView> {
	const { group = '', category = '', at = 0 } = places.get(record.id) ?? {};
	const testFiles = fileRefs(record.tests);
	const pins = record.invariants.map(pinOf);
	const shownTests = new Set(testFiles);
	const marks = new Map<string, Map<number, string>>();
	for (const pin of pins) {
		if (pin?.line === undefined) continue;
		marks.set(pin.file, (marks.get(pin.file) ?? new Map()).set(pin.line, lineId(pin.file, pin.line)));
	}
	return {
		group,
		category,
		requirements: requirements(record),
		invariants: record.invariants.map((invariant, index): ShownInvariant => {
			const pin = pins[index];
			if (typeof invariant === 'string' || !pin) return { rule: typeof invariant === 'string' ? invariant : '' };
			return {
				rule: invariant.rule,
				pin: {
					name: pin.name.split(' > ').slice(-1).join(''),
					place: `${pin.file.slice(pin.file.lastIndexOf('/') + 1)}${pin.line === undefined ? '' : `:${pin.line}`}`,
					to: sourceHref(pin.file, pin.line),
					here: pin.line !== undefined && shownTests.has(pin.file) ? `#${lineId(pin.file, pin.line)}` : undefined,
				},
			};
		}),
		pinned: pins.filter((pin) => pin !== undefined).length,
		code: await listings(fileRefs(record.code), (path) => listing(path, { folded: true })),
		tests: await listings(testFiles, (path) => listing(path, { marks: marks.get(path) })),
		testCount: testFiles.reduce((sum, file) => sum + testCount(file), 0),
		dependencies: records(record.depends_on),
		dependents: records(dependents(record.id, library.patterns)),
		previous: order[at - 1],
		next: order[at + 1],
	};
}

/** What must run before a card can be adopted, by title, with what brings it in. */
export function requirements(record: PatternRecord): ShownRequirement[] {
	return requiresClosure(record, library.byId).map(({ id, via }) => ({
		id,
		title: requirementTitles.get(id) ?? id,
		via: records(via),
	}));
}

function records(ids: readonly string[]): PatternRecord[] {
	return ids.map((id) => library.byId.get(id)).filter((record) => record !== undefined);
}

function fileRefs(refs: readonly Ref[]): string[] {
	const files = refs.filter(({ kind }) => kind === undefined || kind === 'file');
	return [...new Set(files.map(({ path }) => path.replace(/#.*$/, '')))];
}

async function listings(
	files: readonly string[],
	read: (path: string) => Promise<Listing | undefined>,
): Promise<Listing[]> {
	const all = await Promise.all(files.map(read));
	return all.filter((one) => one !== undefined);
}
