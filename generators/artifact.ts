/**
 * One file that the generator answers for. `text` is the whole file; it reaches the disk as UTF-8.
 * `owner` says whose file it is: a `generator` file holds nothing else and goes when its record goes, an `author` file
 * (the README) is written by hand around a generated region and is never removed.
 */
export interface Artifact {
	/** Path from the root of the repository, with `/` between its parts. */
	path: string;
	text: string;
	owner: 'generator' | 'author';
}

/** A file that holds nothing but generated text. */
export function generated(path: string, text: string): Artifact {
	return { path, text, owner: 'generator' };
}
