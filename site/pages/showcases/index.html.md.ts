import type { APIRoute } from 'astro';
import { showcasesTwin } from '../../lib/showcase/twin.ts';
import { markdownResponse } from '../../lib/twins.ts';

export const GET: APIRoute = () => markdownResponse(showcasesTwin());
