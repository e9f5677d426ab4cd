import { blocks, fenced, words } from '../markdown.ts';
import { ERAS, figures, serverSession } from './server-session.ts';
import { SERVER_PAGE } from './words.ts';

/** The page about the server as Markdown: its figures, where it runs, and the recorded session frame by frame. */
export async function serverTwin(): Promise<string> {
	const steps = await serverSession();
	return blocks(
		`# ${SERVER_PAGE.title}`,
		words(SERVER_PAGE.description),
		'## What the registry holds',
		[
			`- patterns: ${figures.patterns} (${figures.deep} deep, ${figures.light} light)`,
			`- proven: ${figures.proven} (${figures.provenPercent}%)`,
			`- invariants pinned by a test: ${figures.pinned} of ${figures.invariants}`,
			`- dependencies: ${figures.dependencies}`,
		].join('\n'),
		'## Where the server runs',
		'The client starts it as a container that lives as long as the conversation. Nothing can be written, nothing can leave, and there is nothing to install.',
		'## A session, frame by frame',
		steps.length === 0
			? 'The registry is empty, so there is nothing to ask for.'
			: 'Recorded from the server itself. Each frame went over the pipe as one line; here it is indented.',
		...steps.flatMap(({ era, title, about, sent, received }, at) => [
			`### ${at + 1}. ${words(title)}`,
			`${ERAS[era]}. ${words(about)}`,
			'The client sends:',
			frame(sent),
			received === undefined ? 'No reply: it is a notification.' : 'The server replies:',
			received === undefined ? undefined : frame(received),
		]),
	);
}

function frame(line: string): string {
	return fenced(JSON.stringify(JSON.parse(line), null, 2), 'json');
}
