import { SERVER_VERSION } from '../../mcp/version.ts';
import { parseText, valueAt } from '../../registry/parse.ts';
import { isPlaceholderUrl } from '../../registry/placeholder.ts';
import { shellWord } from '../shell.ts';
import type { Surroundings } from '../surroundings.ts';
import { isObject, objectOf, type ReadText, SCRIPTS, type Step, WORKFLOW } from './steps.ts';
import { SOURCE_VARIABLE } from './workflow.ts';

const REGISTRY = 'registry/registry.json';
const NAME = 'v10r-patterns';

/** Where the repository lies, absolute, and what is known of the program that sets it up. */
export type InitPlace = { root: string } & Pick<Surroundings, 'ownRoot' | 'invocation' | 'isClone'>;

/** What is left for the repository's owner to do after the steps; each command runs as it is printed. Pure. */
export function nextSteps(read: ReadText, steps: readonly Step[], place: InitPlace): string[] {
	const made = (path: string) => steps.some((step) => step.path === path && step.kind === 'create');
	const after = (path: string) => {
		const step = steps.find((one) => one.path === path);
		return step && 'text' in step ? step.text : read(path);
	};
	const manifest = objectOf(after('package.json') ?? '');
	const installed = manifest !== undefined && dependsOnCommand(manifest);
	const placeholders = placeholdersIn(after(REGISTRY) ?? '');
	return [
		...addressHints(after(REGISTRY) ?? '', made(REGISTRY)),
		...(placeholders.length > 0
			? [`Set ${placeholders.join(' and ')} in ${REGISTRY} to the real address: still a placeholder.`]
			: []),
		...(manifest && !installed ? [`Install the command, so that the scripts find it: ${installation(place)}`] : []),
		...(!manifest && made(WORKFLOW)
			? [
					`Set the repository variable ${SOURCE_VARIABLE} for CI to where ${NAME} comes from: a git address (git+https://…) or a tarball. This has to work with it: npm exec --yes --package="<address>" -- ${NAME} validate`,
				]
			: []),
		`${made(REGISTRY) ? 'Make the first card yours, then run' : 'Run'}: ${commands(manifest, place)}`,
	];
}

const PURPOSES = {
	url: 'where the site with the generated pages is published, if anywhere',
	repository: 'where the code can be browsed, for links to it',
} as const;

/** What an address that is empty in a fresh registry is for. */
function addressHints(registryText: string, isFresh: boolean): string[] {
	if (!isFresh) return [];
	const library = valueAt(parseText(registryText).data?.value, ['library']);
	const empty = (['url', 'repository'] as const).filter((field) => valueAt(library, [field]) === '');
	const named = empty.map((field) => `library.${field} (${PURPOSES[field]})`).join(' and ');
	return empty.length === 0 ? [] : [`${named} may stay empty in ${REGISTRY}; links lead to what is there.`];
}

function placeholdersIn(registryText: string): string[] {
	const registry = parseText(registryText).data?.value;
	return ['url', 'repository'].flatMap((field) => {
		const address = valueAt(registry, ['library', field]);
		return typeof address === 'string' && isPlaceholderUrl(address) ? [`library.${field}`] : [];
	});
}

function dependsOnCommand(manifest: Readonly<Record<string, unknown>>): boolean {
	return [manifest.dependencies, manifest.devDependencies].some((list) => isObject(list) && Object.hasOwn(list, NAME));
}

function installation({ root, ownRoot, isClone }: InitPlace): string {
	const address = 'npm i -D <git address>';
	if (!isClone) return `${address}, or npm i -D <tarball>.`;
	const tarball = `${NAME}-${SERVER_VERSION}.tgz`;
	const pack = `cd ${shellWord(root)} && npm pack ${shellWord(ownRoot)} && npm i -D ./${tarball}`;
	return `${pack} (and commit the tarball), or ${address}.`;
}

/** The npm scripts where they are what `init` writes, else the program itself by its path. */
function commands(manifest: Readonly<Record<string, unknown>> | undefined, { root, invocation }: InitPlace): string {
	const scripts = manifest && isObject(manifest.scripts) ? manifest.scripts : {};
	const ours = Object.entries(SCRIPTS).every(([name, command]) => scripts[name] === command);
	const lines = ['build', 'validate', 'check'].map((command) =>
		ours ? `npm run patterns:${command}` : `${invocation} ${command} --root ${shellWord(root)}`,
	);
	return lines.join(' && ');
}
