import type { APIRoute } from 'astro';
import { searchTwin } from '../../lib/search-twin.ts';
import { markdownResponse } from '../../lib/twins.ts';

export const GET: APIRoute = () => markdownResponse(searchTwin());
