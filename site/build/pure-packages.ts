import type { Plugin } from 'vite';

/**
 * Tells the bundler that loading these packages does nothing by itself. The catalog offers code for the build and for
 * the browser from one module; without this the browser would get the parser that only the build uses.
 */
export function purePackages(names: readonly string[]): Plugin {
	return {
		name: 'pure-packages',
		enforce: 'pre',
		async resolveId(id, importer, options) {
			if (!names.includes(id)) return null;
			const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
			return resolved && { ...resolved, moduleSideEffects: false };
		},
	};
}
