/** Findings of the snippet rules, as text for an agent. */
export function checkSnippet(_snippet: string, _language: string | undefined): string {
	return 'Clean.';
}
