/**
 * All that the site knows of registries. Pages, components and the code that runs in the browser import from here, and
 * nothing else of the site imports `registry/`. Safe in a browser; what reads the disk is in `source.ts`.
 */
export { refLine, requiresText } from '../../registry/card.ts';
export { blankFrontMatter } from '../../registry/front-matter.ts';
export { dependencyClosure, dependencyOrder, dependents, requiresClosure } from '../../registry/graph.ts';
export { createLibrary, type Library } from '../../registry/library.ts';
export { type GroupSection, sections, visiblePatterns } from '../../registry/order.ts';
export { readRegistry } from '../../registry/read.ts';
export { normalizeRoute } from '../../registry/routes.ts';
export type { Invariant, PatternRecord, Ref, Registry } from '../../registry/schema.ts';
export { type Hit, type SearchResult, searchPatterns } from '../../registry/search.ts';
export type { Grade } from '../../registry/search-evidence.ts';
export { declaredTests, isScript } from '../../registry/test-names.ts';
export { tokenize } from '../../registry/text.ts';
