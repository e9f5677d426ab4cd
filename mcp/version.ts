/** The name that the server gives itself in both eras; clients show it beside the tools. */
export const SERVER_NAME = 'v10r-patterns';

/** The version of the package. A constant, since the bundle has no package.json beside it; a test compares the two. */
export const SERVER_VERSION = '0.1.0';
