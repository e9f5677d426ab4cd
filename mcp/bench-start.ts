import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultRoot } from './paths.ts';

/**
 * Measures what starting the server costs: from spawn to the first reply, which for a search loads the registry, against an empty program of the same runtime,
 * in turns so that a busy machine slows both. Prints medians and their ratio; exits with 1 over the limit.
 * Usage: node --import tsx mcp/bench-start.ts [bundle] [runs]
 */

const LIMIT = 1.5;
const [bundle = join(defaultRoot(import.meta.url), 'dist/mcp.js'), runs = '30'] = process.argv.slice(2);
const FIRST_MESSAGES = {
	initialize: {
		jsonrpc: '2.0',
		id: 1,
		method: 'initialize',
		params: { protocolVersion: '2025-11-25', capabilities: {} },
	},
	'tools/list': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
	'first search': {
		jsonrpc: '2.0',
		id: 1,
		method: 'tools/call',
		params: { name: 'search_patterns', arguments: { query: 'the same job ran twice' } },
	},
};

/** Milliseconds until the program wrote its first output or ended. */
function time(args: string[], input?: object): Promise<number> {
	return new Promise((resolve, reject) => {
		const started = process.hrtime.bigint();
		const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
		const done = () => {
			resolve(Number(process.hrtime.bigint() - started) / 1e6);
			child.stdin.end();
		};
		child.on('error', reject);
		child.stdout.once('data', done);
		child.once('exit', done);
		if (input) child.stdin.write(`${JSON.stringify(input)}\n`);
	});
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (!existsSync(bundle)) {
	process.stderr.write(`${bundle} does not exist: run npm run build:bundles\n`);
	process.exit(2);
}
const cases = { empty: () => time(['-e', '0']) } as Record<string, () => Promise<number>>;
for (const [name, message] of Object.entries(FIRST_MESSAGES)) cases[name] = () => time([bundle], message);
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, [] as number[]]));
for (let run = 0; run < Number(runs); run++) {
	for (const [name, measure] of Object.entries(cases)) times[name]?.push(await measure());
}
const base = median(times.empty ?? []);
for (const [name, values] of Object.entries(times)) {
	const value = median(values);
	process.stdout.write(`${name.padEnd(12)} ${value.toFixed(1).padStart(7)} ms  ${(value / base).toFixed(2)}x\n`);
}
if (median(times.initialize ?? []) > LIMIT * base) {
	process.stderr.write(`start to first reply costs more than ${LIMIT}x of an empty program\n`);
	process.exitCode = 1;
}
