import { library, root } from '../source.ts';
import { figuresOf } from './figures.ts';
import { ownServer, type RecordedStep, recordSession } from './session-recorder.ts';
import { sessionScript } from './session-script.ts';

/** What the registry of this build holds. */
export const figures = figuresOf(library.patterns);

/** The headings of a session's two halves. */
export const ERAS = { handshake: '2025-11-25, with a handshake', stateless: '2026-07-28, stateless' } as const;

let recorded: Promise<RecordedStep[]> | undefined;

/** A session with this project's server over the registry of this build, recorded once; empty for an empty registry. */
export function serverSession(): Promise<RecordedStep[]> {
	recorded ??= recordedSession();
	return recorded;
}

async function recordedSession(): Promise<RecordedStep[]> {
	const card =
		library.byId.get('retry-backoff') ?? library.patterns.find(({ tier }) => tier === 'deep') ?? library.patterns[0];
	return card ? recordSession(sessionScript(card), ownServer(root, import.meta.env.V10R_REGISTRY)) : [];
}
