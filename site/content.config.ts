import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { GUIDE_FILES, README_FILES } from './lib/doc-pages.ts';

/** An entry's id is its file, from the root of the repository. */
const generateId = ({ entry }: { entry: string }) => entry;
const base = import.meta.env.V10R_ROOT;

export const collections = {
	/** The hand-written guides. */
	guides: defineCollection({ loader: glob({ base, pattern: GUIDE_FILES, generateId }) }),
	/** What each pattern says of itself. */
	readmes: defineCollection({ loader: glob({ base, pattern: README_FILES, generateId }) }),
};
