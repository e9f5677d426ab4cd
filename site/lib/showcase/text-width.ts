/**
 * How wide a text is about to be in the site's sans at `size` pixels. An estimate on the wide side, since a build
 * measures nothing: a label that does not quite fit is shortened instead of running into its neighbour.
 */
export function textWidth(text: string, size: number): number {
	let ems = 0;
	for (const character of text) ems += emsOf(character);
	return ems * size;
}

/** The text, or as much of its beginning as fits with an ellipsis; empty when not even `least` characters would. */
export function fitText(text: string, width: number, size: number, least = 5): string {
	if (textWidth(text, size) <= width) return text;
	const room = width - textWidth('…', size);
	let taken = '';
	let used = 0;
	for (const character of text) {
		used += emsOf(character) * size;
		if (used > room) break;
		taken += character;
	}
	taken = taken.trimEnd();
	return [...taken].length < least ? '' : `${taken}…`;
}

function emsOf(character: string): number {
	if (/[iljtfr.,:;|'()[\]!\s]/.test(character)) return 0.34;
	if (/[mwMW—…%@]/.test(character)) return 0.9;
	if (/[A-Z0-9]/.test(character)) return 0.64;
	return character.charCodeAt(0) > 0x2e7f ? 1.05 : 0.56;
}
