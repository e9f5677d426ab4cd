import type { Artifact } from './artifact.ts';
import type { RenderContext } from './context.ts';
import { indexTree } from './index-table.ts';
import { LAYOUT } from './layout.ts';
import { repositoryLinks } from './links.ts';
import { writeBlocks } from './markdown.ts';
import { noticeComment } from './notice.ts';
import { replaceRegion } from './regions.ts';

/**
 * The README with its index made anew.
 * @throws RegionError when its markers are not one ordered pair
 */
export function readmeIndex(readme: string, context: RenderContext): Artifact {
	const links = repositoryLinks(context.urls, LAYOUT.readme);
	const index = writeBlocks([noticeComment(context.origin), ...indexTree({ ...context, links }, 3)], context.write);
	return { path: LAYOUT.readme, text: replaceRegion(LAYOUT.readme, readme, index), owner: 'author' };
}
