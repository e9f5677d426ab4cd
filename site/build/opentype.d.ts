/** What the site uses of opentype.js, which brings no types of its own. */
declare module 'opentype.js' {
	/** A step of an outline; which points it has depends on its type. */
	export interface PathStep {
		type: 'M' | 'L' | 'Q' | 'C' | 'Z';
		x?: number;
		y?: number;
		x1?: number;
		y1?: number;
		x2?: number;
		y2?: number;
	}
	export interface Font {
		getPath(text: string, x: number, y: number, fontSize: number): { commands: readonly PathStep[] };
		getAdvanceWidth(text: string, fontSize: number): number;
		/** 0 for a character that the font lacks. */
		charToGlyphIndex(character: string): number;
	}
	const opentype: { parse(buffer: ArrayBuffer): Font };
	export default opentype;
}
