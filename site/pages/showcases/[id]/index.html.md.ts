import type { APIRoute, GetStaticPaths } from 'astro';
import { type Showcase, showcases } from '../../../lib/showcase/demos.ts';
import { showcaseTwin } from '../../../lib/showcase/twin.ts';
import { markdownResponse } from '../../../lib/twins.ts';

export const getStaticPaths = (() =>
	showcases.map((showcase) => ({ params: { id: showcase.id }, props: { showcase } }))) satisfies GetStaticPaths;

export const GET: APIRoute<{ showcase: Showcase }> = ({ props }) => markdownResponse(showcaseTwin(props.showcase));
