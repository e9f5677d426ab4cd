import { describe, expect, it } from 'vitest';
import { shareImage } from './share-image.ts';

const text = { kicker: 'Data', title: 'Fenced lease', fallback: 'fenced-lease', site: 'Patterns' };

describe('the image of a page for sharing', () => {
	it('is the same for the same text, and another for another', () => {
		expect(shareImage(text)).toBe(shareImage({ ...text }));
		expect(shareImage(text)).not.toBe(shareImage({ ...text, title: 'Fenced leases' }));
	});

	it('holds outlines of finite numbers only, no text and no address', () => {
		for (const title of ['office, off and affine', 'a budget', 'x'.repeat(300), '“C++ & <b>” — n+1']) {
			const svg = shareImage({ ...text, title });
			expect(svg).not.toMatch(/NaN|Infinity|undefined|<text|href/);
		}
	});

	it('writes the fallback for a title that its fonts lack', () => {
		expect(shareImage({ ...text, title: '段階的な検索' })).toBe(shareImage({ ...text, title: 'fenced-lease' }));
	});

	it('cuts a title that is too long for four lines', () => {
		const lines = (svg: string) => svg.split('fill="#122126"').length - 1;
		expect(lines(shareImage({ ...text, title: 'many words of a title '.repeat(40) }))).toBe(4);
	});
});
