import type { APIRoute, GetStaticPaths } from 'astro';
import { guides } from '../../../lib/guides.ts';
import { markdownResponse, markdownTwin } from '../../../lib/twins.ts';

export const getStaticPaths = (async () =>
	(await guides()).map(({ slug, file }) => ({ params: { guide: slug }, props: { file } }))) satisfies GetStaticPaths;

export const GET: APIRoute<{ file: string }> = ({ props }) => markdownResponse(markdownTwin(props.file) ?? '');
