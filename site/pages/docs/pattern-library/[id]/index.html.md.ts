import type { APIRoute, GetStaticPaths } from 'astro';
import { library } from '../../../../lib/source.ts';
import { hasTwin, markdownResponse, markdownTwin } from '../../../../lib/twins.ts';

const fileOf = (id: string) => `docs/pattern-library/${id}.md`;

export const getStaticPaths = (() =>
	library.patterns
		.filter(({ id }) => hasTwin(fileOf(id)))
		.map(({ id }) => ({ params: { id } }))) satisfies GetStaticPaths;

export const GET: APIRoute = ({ params }) => markdownResponse(markdownTwin(fileOf(params.id ?? '')) ?? '');
