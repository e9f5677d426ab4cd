import type { Library } from '../registry/library.ts';
import { type GroupSection, sections } from '../registry/order.ts';
import type { PatternRecord } from '../registry/schema.ts';
import { SCRIPT_COMMAND } from './build-command.ts';
import { type Links, siteLinks } from './links.ts';
import { type BlockWriter, createBlockWriter, oneLine } from './markdown.ts';
import type { Origin } from './notice.ts';
import { createUrls, type Urls } from './urls.ts';

/** What a renderer needs besides the record it renders. */
export interface RenderContext {
	library: Library;
	/** Groups and categories with their patterns, as every surface orders them. */
	sections: readonly GroupSection[];
	urls: Urls;
	links: Links;
	write: BlockWriter;
	/** For the notice in generated files. */
	origin: Origin;
}

const DEFAULT_ORIGIN: Origin = { source: 'registry/registry.json', command: SCRIPT_COMMAND };

/** A context whose links hold away from the repository, as readers of the site and of llms.txt need them. */
export function createRenderContext(library: Library, origin = DEFAULT_ORIGIN): RenderContext {
	const urls = createUrls(library.registry.library);
	return {
		library,
		sections: sections(library.registry),
		urls,
		links: siteLinks(urls),
		write: createBlockWriter(),
		origin,
	};
}

/** A record's title on one line; its id when nothing else is left. */
export function titleOf(record: Pick<PatternRecord, 'id' | 'title'>): string {
	return oneLine(record.title) || record.id;
}
