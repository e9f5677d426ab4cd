import type { PhrasingContent, RootContent } from 'mdast';
import { dependents, requiresClosure } from '../registry/graph.ts';
import type { Invariant, PatternRecord, Ref } from '../registry/schema.ts';
import { type RenderContext, titleOf } from './context.ts';
import { bulletList, heading, inline, inlineCode, link, paragraph, strong, text } from './markdown.ts';

/**
 * The whole card as Markdown blocks: its title as a heading of level `depth`, its sections one level below. Sections
 * without content are left out, as are dependencies that readers do not see.
 */
export function cardTree(record: PatternRecord, context: RenderContext, depth = 1): RootContent[] {
	const section = (title: string, items: readonly PhrasingContent[][]): RootContent[] =>
		items.length === 0 ? [] : [heading(depth + 1, text(title)), bulletList(items)];
	const prose = (title: string, value: string): RootContent[] =>
		inline(value).length === 0 ? [] : [heading(depth + 1, text(title)), paragraph(...inline(value))];
	const refs = (title: string, list: readonly Ref[]) =>
		section(
			title,
			list.map((ref) => refItem(ref, context)),
		);
	const texts = (title: string, list: readonly string[]) => section(title, list.map(inline));
	const builtOnBy = dependents(record.id, context.library.patterns);

	return [
		heading(depth, ...inline(titleOf(record))),
		paragraph(...inline(record.summary)),
		bulletList(facts(record, context)),
		...prose('When to use it', record.when_to_use),
		...texts('When not to use it', record.avoid_when),
		...section(
			'Alternatives',
			record.alternatives.map(({ approach, prefer_when }) => [
				strong(...inline(approach)),
				...(prefer_when === '' ? [] : [text(': '), ...inline(prefer_when)]),
			]),
		),
		...section('What the target must run', requirementItems(record, context)),
		...section(
			'Invariants',
			record.invariants.map((invariant) => invariantItem(invariant, context)),
		),
		...refs('Read first', record.docs),
		...refs('Code', record.code),
		...refs('Tests', record.tests),
		...refs('Showcases', record.showcases),
		...section('Builds on', patternItems(record.depends_on, context)),
		...section('Built on by', patternItems(builtOnBy, context)),
		...texts('Notes for porting', record.emulation_notes),
		...texts('Asked for as', record.asks),
		...texts('Gives', record.capabilities),
		...prose('Keywords', record.keywords.join(' · ')),
	].filter((node) => !('children' in node) || node.children.length > 0);
}

function facts(record: PatternRecord, { sections }: RenderContext): PhrasingContent[][] {
	const fact = (name: string, value: PhrasingContent[]) => [strong(text(`${name}:`)), text(' '), ...value];
	const place = sections
		.flatMap(({ group, categories }) => categories.map((entry) => ({ group, ...entry })))
		.find(({ patterns }) => patterns.includes(record));
	const proof = [
		record.maturity,
		...(record.verifiedAt ? [`, verified on ${record.verifiedAt}`] : []),
		...(record.verifiedSha ? [` at ${record.verifiedSha}`] : []),
	].join('');
	return [
		fact('Id', [inlineCode(record.id)]),
		fact('Tier', [text(record.tier)]),
		...(place ? [fact('Category', inline(`${place.category.title} (${place.group.title})`))] : []),
		fact('Maturity', [text(proof)]),
		...(record.risk ? [fact('Risk', inline(record.risk))] : []),
	];
}

function requirementItems(record: PatternRecord, context: RenderContext): PhrasingContent[][] {
	const titles = new Map(context.library.registry.requirements.map(({ id, title }) => [id, title]));
	return requiresClosure(record, context.library.byId).map(({ id, via }) => {
		const title = titles.get(id);
		const name = title ? [...inline(title), text(' ('), inlineCode(id), text(')')] : [inlineCode(id)];
		const links = via.map((dependency) => patternLink(dependency, context));
		return via.length === 0 ? name : [...name, text(', through '), ...joined(links, ', ')];
	});
}

function invariantItem(invariant: Invariant, { links }: RenderContext): PhrasingContent[] {
	if (typeof invariant === 'string') return inline(invariant);
	const { rule, pinned_by } = invariant;
	const at = pinned_by.indexOf('#');
	const path = at < 0 ? pinned_by : pinned_by.slice(0, at);
	const test = at < 0 ? [] : [text(', '), inlineCode(pinned_by.slice(at + 1))];
	return [...inline(rule), text(' Pinned by '), ...link(links.ref({ path }), inlineCode(path)), ...test];
}

function refItem(ref: Ref, { links }: RenderContext): PhrasingContent[] {
	const note = inline(ref.note ?? '');
	return [...link(links.ref(ref), inlineCode(ref.path)), ...(note.length === 0 ? [] : [text(': '), ...note])];
}

function patternItems(ids: readonly string[], context: RenderContext): PhrasingContent[][] {
	return ids
		.map((id) => context.library.byId.get(id))
		.filter((record) => record !== undefined)
		.map((record) => patternLink(record.id, context));
}

function patternLink(id: string, { library, links }: RenderContext): PhrasingContent[] {
	const record = library.byId.get(id);
	return link(links.pattern(id), ...inline(record ? titleOf(record) : id));
}

function joined(parts: readonly PhrasingContent[][], separator: string): PhrasingContent[] {
	return parts.flatMap((part, index) => (index === 0 ? part : [text(separator), ...part]));
}
