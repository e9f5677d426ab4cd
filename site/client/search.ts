import { type Answer, ask, loadLibrary } from './ask.ts';
import { element } from './dom.ts';
import { searchText } from './full-text.ts';
import { startPagefind } from './pagefind.ts';

/** The search page: both searches answer while one types, and the query is in the address. */
const page = document.querySelector<HTMLElement>('[data-search]');
const input = page?.querySelector<HTMLInputElement>('input[type="search"]');
if (page && input) start(page, input);

const PAUSE_MS = 160;

function start(page: HTMLElement, input: HTMLInputElement): void {
	const { registry = '', card = '', pagefind = '', base = '/' } = page.dataset;
	const examples = page.querySelector<HTMLElement>('[data-examples]');
	const answers = page.querySelector<HTMLElement>('[data-answers]');
	const places = { registry, card: (id: string) => card.replace('{id}', encodeURIComponent(id)) };
	const fullText = { script: pagefind, base };
	const panels = [
		{
			root: page.querySelector<HTMLElement>('[data-ask]'),
			find: (query: string) => ask(query, places),
		},
		{
			root: page.querySelector<HTMLElement>('[data-full-text]'),
			find: (query: string) => searchText(query, fullText),
		},
	];
	let asked = 0;

	async function show(): Promise<void> {
		const query = input.value.trim();
		const turn = ++asked;
		if (examples) examples.hidden = query !== '';
		if (answers) answers.hidden = query === '';
		if (query === '') return;
		await Promise.all(
			panels.map(async ({ root, find }) => {
				const answer = await find(query).catch(failure);
				// An answer that comes late belongs to a query that is no longer asked.
				if (turn === asked) put(root, answer);
			}),
		);
		if (turn === asked) page.dataset.answered = query;
	}

	function writeAddress(): void {
		const query = input.value.trim();
		const search = query === '' ? '' : `?${new URLSearchParams({ q: query })}`;
		history.replaceState(null, '', `${location.pathname}${search}`);
	}

	function readAddress(): void {
		input.value = new URLSearchParams(location.search).get('q') ?? '';
		void show();
	}

	let timer = 0;
	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = window.setTimeout(() => {
			writeAddress();
			void show();
		}, PAUSE_MS);
	});
	page.querySelector('form')?.addEventListener('submit', (event) => {
		event.preventDefault();
		clearTimeout(timer);
		writeAddress();
		void show();
	});
	addEventListener('popstate', readAddress);
	readAddress();
	// Who opens this page is about to ask: what both searches need is on its way while they type.
	for (const loading of [loadLibrary(places), startPagefind(fullText)]) loading.catch(() => undefined);
}

function put(root: HTMLElement | null, { summary, nodes }: Answer): void {
	const status = root?.querySelector('[data-status]');
	if (status) status.textContent = summary;
	root?.querySelector('[data-results]')?.replaceChildren(...nodes);
}

function failure(error: unknown): Answer {
	const reason = error instanceof Error ? error.message : String(error);
	return {
		summary: 'The search did not answer',
		nodes: [element('p', { class: 'note' }, `The search could not be loaded (${reason}). Try again.`)],
	};
}
