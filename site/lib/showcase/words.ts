import { PATHS } from '../links.ts';
import { showcases } from './demos.ts';

/** The page about the server. */
export const SERVER_PAGE = {
	path: `${PATHS.showcases}mcp/`,
	title: 'The server, seen from outside',
	description:
		'What the server serves, how it is shut in, and a whole session with it, recorded frame by frame in both eras of the protocol.',
} as const;

/** What the page of all scenarios says when there is none. */
export const NO_SHOWCASE =
	'A pattern’s scenario appears here, run with the pattern and without it, once library/<id>/<id>.demo.ts exports it and the pattern’s card cites /showcases/<id>/.';

/** What the page of all scenarios holds, in one sentence. */
export function showcasesDescription(): string {
	if (showcases.length === 0) return 'Scenarios that run patterns on a virtual clock: none yet.';
	const one = showcases.length === 1;
	return `${one ? 'One pattern' : `${showcases.length} patterns`} at work: ${one ? 'it runs' : 'each runs'} its own code on a virtual clock, with its invariants checked as it goes, and a switch that lets the failure happen.`;
}
