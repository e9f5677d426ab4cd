import type { APIRoute } from 'astro';

/** An index card with its two lines and the hole for the rod; light lines where the system is dark. */
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#0a6172" stroke-width="1.4" stroke-linecap="round">
<style>@media (prefers-color-scheme: dark) { svg { stroke: #68cad9 } }</style>
<rect x="1" y="2.500" width="14" height="11" rx="1.500"/><path d="M4 6h8M4 8.500h5"/><circle cx="8" cy="11.200" r=".9"/>
</svg>
`;

export const GET: APIRoute = () => new Response(DRAWING, { headers: { 'content-type': 'image/svg+xml' } });
