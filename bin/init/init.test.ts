import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Workplace, workplace } from '../testing.ts';
import { firstRegistry, slugOf } from './first-registry.ts';

let place: Workplace;
afterEach(() => place.remove());

const PACKAGE =
	'{\n    "name": "@acme/shop",\n    "scripts": {\n        "test": "x",\n        "patterns:check": "mine"\n    },\n    "zeta": 1,\n    "alpha": 2\n}\n';

const FLAWLESS = /"errors":\s*0,\s*"warnings":\s*0,/;

describe('init', () => {
	it.each([
		['an empty folder', {}],
		['a repository with README and scripts', { 'README.md': '# Shop\n\nText.\n', 'package.json': PACKAGE }],
		['a README with CRLF', { 'README.md': '# Shop\r\n\r\nText.\r\n' }],
		['a README without a final newline', { 'README.md': '# Shop' }],
		['a README that has a section of that name', { 'README.md': '# Shop\n\n## Patterns\n\nOurs.\n' }],
	])('makes a library of %s that validates, builds and checks', async (_what, files) => {
		place = workplace(files);
		expect(await place.run(['init'])).toMatchObject({ code: 0 });
		expect(await place.run(['validate', '--json'])).toMatchObject({
			code: 0,
			out: expect.stringMatching(FLAWLESS),
		});
		expect(await place.run(['build'])).toMatchObject({ code: 0 });
		expect(await place.run(['check'])).toMatchObject({ code: 0 });
		expect(await place.run(['validate', '--json'])).toMatchObject({
			code: 0,
			out: expect.stringMatching(FLAWLESS),
		});
	});

	it('adds scripts and keeps order, form and what is there', async () => {
		place = workplace({ 'package.json': PACKAGE });
		await place.run(['init']);
		expect(place.text('package.json')).toBe(
			PACKAGE.replace(
				'"patterns:check": "mine"',
				'"patterns:check": "mine",\n        "patterns:validate": "v10r-patterns validate",\n        "patterns:build": "v10r-patterns build"',
			),
		);
	});

	it('appends the markers to a README in its own line ends and changes nothing before them', async () => {
		place = workplace({ 'README.md': '# Shop\r\n\r\nText.\r\n' });
		await place.run(['init']);
		expect(place.text('README.md')).toBe(
			'# Shop\r\n\r\nText.\r\n\r\n## Patterns\r\n\r\n<!-- v10r-patterns:begin -->\r\n<!-- v10r-patterns:end -->\r\n',
		);
	});

	it('run again leaves every file as it is and says so', async () => {
		place = workplace({ 'package.json': PACKAGE });
		await place.run(['init']);
		await place.run(['build']);
		const before = place.snapshot();
		const { code, out } = await place.run(['init']);
		expect(code).toBe(0);
		expect(out.match(/^left {6}/gm)).toHaveLength(4);
		expect(place.snapshot()).toEqual(before);
	});

	it("never overwrites a registry or a workflow of one's own, nor mends markers that are half there", async () => {
		const own = {
			'registry/registry.json': '{}',
			'.github/workflows/patterns.yml': 'mine',
			'README.md': '<!-- v10r-patterns:begin -->\n',
			'package.json': '{ broken',
		};
		place = workplace(own);
		const { code, out } = await place.run(['init']);
		expect(code).toBe(0);
		expect(place.snapshot()).toEqual(own);
		expect(out).toContain('README.md: mend its markers first: README.md:1');
		expect(out).toContain('package.json: is no JSON object');
	});

	it('--dry-run says what it would do and does nothing', async () => {
		place = workplace({ 'package.json': PACKAGE });
		const before = place.snapshot();
		const { code, out } = await place.run(['init', '--dry-run']);
		expect([code, out]).toEqual([0, expect.stringMatching(/^would make +registry\/registry\.json/m)]);
		expect(out).toMatch(/^would extend +package\.json/m);
		expect(place.snapshot()).toEqual(before);
	});

	it('says how to install the command, and names the npm scripts once package.json has them', async () => {
		place = workplace({ 'package.json': '{}' });
		const { next } = JSON.parse((await place.run(['init', '--json'], { ownRoot: '/opt/my patterns' })).out);
		expect(next).toEqual([
			'library.url (where the site with the generated pages is published, if anywhere) and library.repository (where the code can be browsed, for links to it) may stay empty in registry/registry.json; links lead to what is there.',
			`Install the command, so that the scripts find it: cd ${place.root} && npm pack '/opt/my patterns' && npm i -D ./v10r-patterns-0.1.0.tgz (and commit the tarball), or npm i -D <git address>.`,
			'Make the first card yours, then run: npm run patterns:build && npm run patterns:validate && npm run patterns:check',
		]);
	});

	it('has nothing to say of the repository and the command where package.json tells them', async () => {
		place = workplace({
			'package.json': JSON.stringify({
				repository: 'a/b',
				devDependencies: { 'v10r-patterns': '1.0.0' },
			}),
		});
		const { next } = JSON.parse((await place.run(['init', '--json'])).out);
		expect(next).toEqual([
			expect.stringMatching(/^library\.url \([^)]*\) may stay empty/),
			expect.stringMatching(/^Make the first card yours/),
		]);
	});

	it.each([
		['there is no package.json', {}],
		["a script of that name is the repository's own", { 'package.json': PACKAGE }],
	])('names the program by its path where %s, in commands that run from any folder', async (_what, files) => {
		place = workplace(files);
		const { next } = JSON.parse((await place.run(['init', '--json'])).out);
		const printed = String(next.at(-1)).replace('Make the first card yours, then run: ', '').split(' && ');
		const program = 'node /opt/patterns/dist/cli.js ';
		expect(printed.map((line) => line.startsWith(program))).toEqual([true, true, true]);
		for (const line of printed) {
			expect(await place.run(line.replace(program, '').split(' '), { cwd: '/' })).toMatchObject({ code: 0 });
		}
	});

	it('packs nothing where the program is an installed package', async () => {
		place = workplace({ 'package.json': '{}' });
		const { out } = await place.run(['init'], { isClone: false });
		expect(out).toContain('find it: npm i -D <git address>, or npm i -D <tarball>.');
		expect(out).not.toContain('npm pack');
	});

	it('run again says of addresses only that one is a placeholder, until it is not', async () => {
		place = workplace();
		await place.run(['init']);
		expect((await place.run(['init'])).out).toMatch(/Next:\n- Run: node /);
		const text = place.text('registry/registry.json');
		place.put('registry/registry.json', text.replace('"url": ""', '"url": "https://example.org/shop"'));
		expect((await place.run(['init'])).out).toContain('- Set library.url in registry/');
	});

	describe('in a git repository', () => {
		const config = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`;
		const library = async (files: Record<string, string>) => {
			place = workplace(files);
			await place.run(['init']);
			return JSON.parse(place.text('registry/registry.json')).library;
		};

		it('takes the address of its origin as one to browse', async () => {
			const git = { '.git/config': config('git@code.dev:acme/shop.git') };
			expect(await library(git)).toMatchObject({ url: '', repository: 'https://code.dev/acme/shop' });
		});

		it('takes no other remote, no local one, and nothing of a .git that is a file', async () => {
			const other = config('https://code.dev/acme/shop').replace('origin', 'fork');
			expect((await library({ '.git/config': other })).repository).toBe('');
			expect((await library({ '.git/config': config('/srv/shop.git') })).repository).toBe('');
			expect((await library({ '.git': 'gitdir: ../.git/worktrees/a\n' })).repository).toBe('');
		});

		it('names the branch of links where it is not main: the default of the remote, else the one checked out', async () => {
			const head = (branch: string) => `ref: refs/heads/${branch}\n`;
			expect((await library({ '.git/HEAD': head('trunk/next') })).branch).toBe('trunk/next');
			expect(await library({ '.git/HEAD': head('main') })).not.toHaveProperty('branch');
			expect(await library({ '.git/HEAD': '0123456789abcdef\n' })).not.toHaveProperty('branch');
			const remote = { '.git/refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/master\n' };
			expect((await library({ '.git/HEAD': head('my-work'), ...remote })).branch).toBe('master');
			expect(await place.run(['validate'])).toMatchObject({ code: 0 });
		});

		it('prefers what package.json says', async () => {
			const manifest = '{"repository": "acme/shop"}';
			const files = { '.git/config': config('https://code.dev/fork/shop'), 'package.json': manifest };
			expect((await library(files)).repository).toBe('https://github.com/acme/shop');
		});
	});

	it.each([[['init', 'README.md']], [['init', '--root', 'README.md', '--dry-run']]])(
		'%j refuses a file for a folder',
		async (args) => {
			place = workplace({ 'README.md': '# Shop\n' });
			const err = `${place.root}/README.md is no folder. Name the folder of the repository.\n`;
			expect(await place.run(args)).toEqual({ code: 2, out: '', err });
			expect(place.snapshot()).toEqual({ 'README.md': '# Shop\n' });
		},
	);

	it('refuses a folder that is not there and says how to make it', async () => {
		place = workplace();
		const missing = `${place.root}/new/place`;
		const err = `There is no folder ${missing}. Make it first: mkdir -p ${missing}\n`;
		expect(await place.run(['init', 'new/place'])).toEqual({ code: 2, out: '', err });
		expect(place.snapshot()).toEqual({});
	});

	describe('in CI without a package.json', () => {
		const commandIn = (workflow: string) => /- run: (.* validate)$/m.exec(workflow)?.[1] ?? '';
		const inShell = (command: string, source: string) =>
			spawnSync('bash', ['-c', command], {
				cwd: place.root,
				encoding: 'utf8',
				env: {
					...process.env,
					V10R_PATTERNS: source,
					npm_config_cache: join(place.root, 'cache'),
					npm_config_offline: 'true',
					npm_config_update_notifier: 'false',
				},
			});

		it('runs the command from a git address, which an install of its own would not build', async () => {
			const builds = `node -e "process.exit(process.env.npm_config_global === 'true' ? 1 : 0)"`;
			place = workplace({
				'source/package.json': JSON.stringify({
					name: 'v10r-patterns',
					version: '1.0.0',
					bin: 'cli.js',
					scripts: { prepare: builds },
				}),
				'source/cli.js': "#!/usr/bin/env node\nconsole.log('ran', ...process.argv.slice(2));\n",
			});
			const source = join(place.root, 'source');
			const git = 'git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false';
			expect(inShell(`cd source && git init -q && git add . && ${git} commit -qm x`, '').stderr).toBe('');
			await place.run(['init']);
			const command = commandIn(place.text('.github/workflows/patterns.yml'));
			expect(command).toMatch(/^npm exec --yes --package="/);
			expect(inShell(command, `git+file://${source}`)).toMatchObject({ status: 0, stdout: 'ran validate\n' });
		}, 60_000);

		it('takes no name to install by that a stranger could take: an unset variable ends the step', async () => {
			place = workplace();
			const { out } = await place.run(['init']);
			expect(out).toContain('- Set the repository variable V10R_PATTERNS');
			expect(out).toContain('npm exec --yes --package="<address>" -- v10r-patterns validate');
			const workflow = place.text('.github/workflows/patterns.yml');
			expect(workflow).toMatch(/V10R_PATTERNS: \$\{\{ vars\.V10R_PATTERNS \}\}/);
			const { status, stderr } = inShell(commandIn(workflow), '');
			expect(status).not.toBe(0);
			expect(stderr).toContain('Set the repository variable V10R_PATTERNS');
		});
	});

	it('takes a folder and reports as JSON', async () => {
		place = workplace({ 'new/place/keep.txt': '' });
		const { out } = await place.run(['init', 'new/place', '--json']);
		expect(JSON.parse(out).steps.map(({ kind, path }: { kind: string; path: string }) => `${kind} ${path}`)).toEqual([
			'create registry/registry.json',
			'create README.md',
			'leave package.json',
			'create .github/workflows/patterns.yml',
		]);
		expect(await place.run(['validate', '--root', 'new/place'])).toMatchObject({ code: 0 });
	});
});

describe('firstRegistry', () => {
	const library = (manifest: Record<string, unknown>) => {
		place = workplace();
		return JSON.parse(firstRegistry({ folder: 'My Shop', manifest })).library;
	};

	it.each([
		['github:acme/shop', 'https://github.com/acme/shop'],
		['acme/shop', 'https://github.com/acme/shop'],
		[{ type: 'git', url: 'git+https://gitlab.com/acme/shop.git' }, 'https://gitlab.com/acme/shop'],
		[{ url: 'git@github.com:acme/shop.git' }, 'https://github.com/acme/shop'],
		[{ url: 'ssh://git@host.org/acme/shop.git' }, 'https://host.org/acme/shop'],
		[undefined, ''],
		['../elsewhere is odd', ''],
	])('takes the repository %j for %s', (repository, address) => {
		expect(library({ repository }).repository).toBe(address);
	});

	it('takes the name from package.json, and no homepage for the site of the patterns', () => {
		expect(library({ name: '@acme/Shop.js', homepage: 'https://acme.org/shop#readme' })).toMatchObject({
			name: 'acme-shop-js',
			url: '',
		});
	});

	it.each([
		['Über Größe!', 'uber-gro-e'],
		['日本', 'library'],
		['x'.repeat(90), 'x'.repeat(64)],
	])('makes a name that a registry allows of %s', (name, slug) => {
		place = workplace();
		expect(slugOf(name)).toBe(slug);
	});
});
