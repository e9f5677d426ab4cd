import type { APIRoute } from 'astro';
import { markdownResponse, markdownTwin } from '../lib/twins.ts';

/** The front page in words: the README. */
export const GET: APIRoute = () => markdownResponse(markdownTwin('README.md') ?? '');
