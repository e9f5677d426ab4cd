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

it('the sections that the instructions name can be asked for', () => {
	const named = /sections \(for example ([\w, ]+)\)/.exec(INSTRUCTIONS)?.[1]?.split(', ') ?? [];
	const definition = TOOLS.find(({ name }) => name === 'get_pattern');
	expect(named.length).toBeGreaterThan(0);
	for (const section of named) expect(JSON.stringify(definition?.inputSchema)).toContain(`"${section}"`);
});
