import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import sharp from 'sharp';
import { type ShareText, shareImage } from './share-image.ts';

/** How many images are drawn at a time. */
const AT_ONCE = 4;

/**
 * Draws the image that each finished page names as its `og:image`, from what the page's head says of it. Images are kept
 * in the cache by what they show, so that a build draws only those that are new.
 */
export function shareImages(base: string): AstroIntegration {
	let cache = '';
	return {
		name: 'share-images',
		hooks: {
			'astro:config:done': ({ config }) => {
				cache = join(fileURLToPath(config.cacheDir), 'share-images');
			},
			'astro:build:done': async ({ dir, pages, logger }) => {
				const site = fileURLToPath(dir);
				await mkdir(cache, { recursive: true });
				const queue = [...pages];
				let drawn = 0;
				const worker = async () => {
					for (let page = queue.pop(); page; page = queue.pop()) {
						const file = join(site, page.pathname, 'index.html');
						const wanted = existsSync(file) ? imageOf(await readFile(file, 'utf8'), base) : undefined;
						if (!wanted) continue;
						await mkdir(join(site, 'og'), { recursive: true });
						await copyFile(await drawnImage(wanted.text, cache), join(site, wanted.path));
						drawn++;
					}
				};
				await Promise.all(Array.from({ length: AT_ONCE }, worker));
				logger.info(`${drawn} images`);
			},
		},
	};
}

/** The image that a page names: its path in the site, and its text. */
function imageOf(html: string, base: string): { path: string; text: ShareText } | undefined {
	const [, address = '', kicker = ''] =
		/<meta property="og:image" content="([^"]*)"(?: data-kicker(?:="([^"]*)")?)?/.exec(html) ?? [];
	if (address === '') return undefined;
	const path = new URL(decoded(address)).pathname.slice(base.replace(/\/+$/, '').length);
	const meta = (name: string) =>
		decoded(new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(html)?.[1] ?? '');
	const title = meta('og:title');
	const fallback = path.replace(/^.*[./]([^./]+)\.png$/, '$1');
	return { path, text: { kicker: decoded(kicker), title, fallback, site: meta('og:site_name') } };
}

function decoded(attribute: string): string {
	const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
	return attribute.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
		if (decimal) return String.fromCodePoint(Number(decimal));
		return hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (named[name] ?? whole);
	});
}

async function drawnImage(text: ShareText, cache: string): Promise<string> {
	const svg = shareImage(text);
	const file = join(cache, `${createHash('sha256').update(svg).digest('hex').slice(0, 32)}.png`);
	if (existsSync(file)) return file;
	const png = await sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 6 }).toBuffer();
	// Whole or not at all: another build may read the cache meanwhile.
	const partial = `${file}.${process.pid}`;
	await writeFile(partial, png);
	await rename(partial, file);
	return file;
}
