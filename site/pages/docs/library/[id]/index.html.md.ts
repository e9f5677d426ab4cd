import type { APIRoute, GetStaticPaths } from 'astro';
import { readmes } from '../../../../lib/guides.ts';
import { markdownResponse, markdownTwin } from '../../../../lib/twins.ts';

export const getStaticPaths = (async () =>
	(await readmes()).map(({ slug, file }) => ({ params: { id: slug }, props: { file } }))) satisfies GetStaticPaths;

export const GET: APIRoute<{ file: string }> = ({ props }) => markdownResponse(markdownTwin(props.file) ?? '');
