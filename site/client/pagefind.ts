/** What this site uses of Pagefind's interface in the browser. */
export interface Pagefind {
	options(options: { baseUrl?: string; excerptLength?: number }): Promise<void>;
	init(): Promise<void>;
	search(query: string): Promise<{ results: PageResult[] }>;
}

/** A page that was found; its text is loaded when asked for. */
export interface PageResult {
	id: string;
	data(): Promise<PageData>;
}

/** What is shown of a page that was found. */
export interface PageData {
	url: string;
	/** The title, and the part of the site. */
	meta: { title?: string; section?: string };
	/** Escaped text with the words that were found in `<mark>`. */
	excerpt: string;
}

/** Where the index lies, and the base of the addresses that it gives. */
export interface PagefindPlaces {
	/** Address of `pagefind.js`. */
	script: string;
	base: string;
}

const started = new Map<string, Promise<Pagefind>>();

/** Loads Pagefind once for each address; a failure is not kept, so that the next query tries again. */
export function startPagefind({ script, base }: PagefindPlaces): Promise<Pagefind> {
	const known = started.get(script);
	if (known) return known;
	const loading = import(/* @vite-ignore */ script).then(async (pagefind: Pagefind) => {
		await pagefind.options({ baseUrl: base, excerptLength: 24 });
		await pagefind.init();
		return pagefind;
	});
	started.set(script, loading);
	loading.catch(() => started.delete(script));
	return loading;
}

/**
 * The pages that have a word, in any of its forms; where none has it, those with words that begin so, since it may not
 * be typed to its end. Pagefind alone would answer an unknown word with the longest beginning of it that it knows, if
 * need be one letter.
 */
export async function pagesWith(pagefind: Pagefind, word: string): Promise<string[]> {
	const { results: whole } = await pagefind.search(`"${word}"`);
	if (whole.length > 0) return whole.map(({ id }) => id);
	const { results } = await pagefind.search(word);
	const [first] = results;
	return first && beginsSo(await first.data(), word) ? results.map(({ id }) => id) : [];
}

function beginsSo({ excerpt, meta }: PageData, word: string): boolean {
	const marked = [...excerpt.matchAll(/<mark>(.*?)<\/mark>/g)].map((match) => match[1] ?? '');
	const words = `${marked.join(' ')} ${meta.title ?? ''}`.toLowerCase().split(/[^\p{L}\p{N}+#]+/u);
	return words.some((one) => one.startsWith(word));
}
