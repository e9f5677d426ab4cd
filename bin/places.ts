/** Where the authored registry stands in a repository. */
export const REGISTRY = 'registry/registry.json';
/** Where its frozen copy stands. */
export const FROZEN_REGISTRY = 'public/registry.json';
