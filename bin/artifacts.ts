import { type Artifact, PlanError, planArtifacts, RegionError, readRepositoryFile } from '../generators/index.ts';
import { formatDiagnostics } from '../registry/diagnostic.ts';
import { readAuthored } from '../registry/validate.ts';
import { Refusal } from './exit.ts';
import { type Surroundings, wantsColour } from './surroundings.ts';
import { readRegistryBytes, registryPath, shownPath, type Target } from './target.ts';

/**
 * The generated files of a library, planned from its authored registry and the files on the disk.
 * @throws Refusal when the registry does not follow its schema, or a file that is needed is not as it must be
 */
export function planFor(target: Target, { cwd, stderr, env }: Surroundings): Artifact[] {
	const bytes = readRegistryBytes(target);
	const path = registryPath(target);
	const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
	const authored = readAuthored(text, shownPath(target.registryFile, cwd));
	if ('diagnostics' in authored) {
		const report = formatDiagnostics(authored.diagnostics, { colour: wantsColour(stderr, env) });
		throw new Refusal(`${report}\nNothing was generated: the registry is not what its schema asks for.`);
	}
	try {
		return planArtifacts({
			registry: authored.registry,
			source: { path, bytes },
			read: readRepositoryFile(target.root),
		});
	} catch (error) {
		if (error instanceof PlanError || error instanceof RegionError) throw new Refusal(error.message);
		throw error;
	}
}
