/** The generators as other parts use them: plan the files, then build or check them. */
export { type ApplyPorts, applyBuild, type BuildResult, diffArtifacts } from './apply.ts';
export type { Artifact } from './artifact.ts';
export { BARE_COMMAND, buildCommand, SCRIPT_COMMAND } from './build-command.ts';
export { createRenderContext, type RenderContext } from './context.ts';
export { type Disk, nodeDisk } from './disk.ts';
export { DRIFT_CLASSES, type Drift, type DriftClass, formatDrift } from './drift.ts';
export { FROZEN_FORMAT } from './frozen.ts';
export { LAYOUT, pagePath, schemaPath } from './layout.ts';
export { patternMarkdown } from './pattern-page.ts';
export { PlanError, type PlanInput, planArtifacts } from './plan.ts';
export { MARKERS, RegionError } from './regions.ts';
export { readRepositoryFile } from './repository-file.ts';
export { indexMarkdown } from './section-index.ts';
export { createUrls, type Urls } from './urls.ts';
