/** True for an address under a name that RFC 2606 reserves for examples: it stands in for one that is not known yet. */
export function isPlaceholderUrl(url: string): boolean {
	return /^https?:\/\/(?:[^/?#]*[.@])?example\.(?:org|com|net)(?::\d+)?(?:[/?#]|$)/i.test(url);
}
