import type { APIRoute } from 'astro';
import { serverTwin } from '../../../lib/showcase/server-twin.ts';
import { markdownResponse } from '../../../lib/twins.ts';

export const GET: APIRoute = async () => markdownResponse(await serverTwin());
