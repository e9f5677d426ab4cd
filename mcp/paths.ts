import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository that holds the module at `moduleUrl`: `mcp/` and `dist/` both stand one level below the root. */
export function defaultRoot(moduleUrl: string): string {
	return dirname(dirname(fileURLToPath(moduleUrl)));
}

/** Where the frozen registry stands in a repository. */
export function frozenRegistryPath(root: string): string {
	return join(root, 'public', 'registry.json');
}
