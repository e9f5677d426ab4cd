import type { APIRoute } from 'astro';
import { markdownResponse, markdownTwin } from '../../../lib/twins.ts';

const FILE = 'docs/pattern-library/index.md';

export const GET: APIRoute = () => markdownResponse(markdownTwin(FILE) ?? '');
