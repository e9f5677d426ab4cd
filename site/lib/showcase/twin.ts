import { type Control, controlValues } from '../../../library/scenario.ts';
import { absoluteHref, PATHS, twinOf } from '../links.ts';
import { blocks, link, words } from '../markdown.ts';
import { library } from '../source.ts';
import { type Showcase, showcaseGroups, showcases } from './demos.ts';
import type { Recording } from './recorder.ts';
import { referencesOf } from './references.ts';
import { verdictText } from './text-view.ts';
import { NO_SHOWCASE, SERVER_PAGE, showcasesDescription } from './words.ts';

/** The page of all scenarios as Markdown. */
export function showcasesTwin(): string {
	const item = ({ id, demo, card, runs }: Showcase) =>
		`- ${link(demo.title, absoluteHref(twinOf(PATHS.showcase(id))))} (${words(card.title)}): without the pattern, ${verdictText(runs.without.checks)}.`;
	return blocks(
		'# Showcases',
		showcases.length === 0 ? words(NO_SHOWCASE) : words(showcasesDescription()),
		`${link(SERVER_PAGE.title, absoluteHref(twinOf(SERVER_PAGE.path)))}: ${words(SERVER_PAGE.description)}`,
		...showcaseGroups.flatMap((group) => [`## ${words(group.title)}`, group.showcases.map(item).join('\n')]),
	);
}

/** The page of one scenario as Markdown: what it simulates, its controls, and how both runs end at their defaults. */
export function showcaseTwin(showcase: Showcase): string {
	const { id, demo, card, runs } = showcase;
	const category = library.registry.categories.find((one) => one.id === card.category);
	const references = referencesOf(showcase).map(({ label, page, file }) =>
		page === undefined ? link(label, file ?? '') : link(label, absoluteHref(twinOf(page))),
	);
	const address = absoluteHref(PATHS.showcase(id));
	return blocks(
		`# ${words(demo.title)}`,
		`Scenario of ${words(card.title)}${category ? `, ${words(category.title)}` : ''}. It runs at <${address}>; a control is set by its name in the query, \`?pattern=false\` for one.`,
		words(demo.about),
		'## Controls',
		demo.controls.map((control) => `- \`${control.id}\`: ${controlText(control)}`).join('\n'),
		...outcome('With the pattern', runs.with),
		...outcome('Without the pattern', runs.without),
		'## Behind it',
		references.map((reference) => `- ${reference}`).join('\n'),
	);
}

function outcome(heading: string, { checks }: Recording): string[] {
	const lines = checks.map(({ rule, ok, detail }) => {
		const seen = detail ? ` (${words(detail)})` : '';
		return `- **${ok ? 'Holds' : 'Broken'}**: ${words(rule)}${seen}`;
	});
	return [`## ${heading}`, `${verdictText(checks)}.`, lines.join('\n')];
}

function controlText(control: Control): string {
	const value = controlValues([control])[control.id];
	const label = words(control.label);
	if (control.kind === 'switch') return `${label}; ${value === true ? 'true' : 'false'} unless set`;
	if (control.kind === 'select') {
		const options = control.options.map((option) => `\`${option.value}\` (${words(option.label)})`);
		return `${label}; one of ${options.join(', ')}; \`${value}\` unless set`;
	}
	const unit = control.unit ? ` ${words(control.unit)}` : '';
	return `${label}; ${control.min} to ${control.max}${unit} in steps of ${control.step}; ${value} unless set`;
}
