import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOOLS } from '../registry/query.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { SERVER_NAME, SERVER_VERSION } from './version.ts';

it('the server has the name and the version of the package', () => {
	const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
	expect([SERVER_NAME, SERVER_VERSION]).toEqual([name, version]);
});

it('the instructions fit what clients show, begin with when to ask, and name every tool', () => {
	expect(INSTRUCTIONS.length).toBeLessThan(1800);
	expect(INSTRUCTIONS.slice(0, 200)).toMatch(/BEFORE grep/);
	for (const { name } of TOOLS) expect(INSTRUCTIONS).toContain(name);
});
