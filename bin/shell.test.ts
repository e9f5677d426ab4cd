import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell.ts';

describe('shellWord', () => {
	it('leaves a plain path bare', () => {
		expect(shellWord('/opt/patterns-1.0/dist/cli.js')).toBe('/opt/patterns-1.0/dist/cli.js');
	});

	it('is read back by a shell as it was', () => {
		const texts = ['', 'my patterns', "it's", '$HOME', 'a;b', '`x`', '*', 'é\n"'];
		const out = execFileSync('sh', ['-c', `printf '%s|' ${texts.map(shellWord).join(' ')}`], { encoding: 'utf8' });
		expect(out).toBe(texts.map((text) => `${text}|`).join(''));
	});
});
