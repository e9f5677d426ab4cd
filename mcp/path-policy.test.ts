import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DENIED, isDenied, judgePath } from './path-policy.ts';

const reasonOf = (path: string) => {
	const verdict = judgePath(path);
	return verdict.ok ? 'ok' : verdict.reason;
};

describe('path policy', () => {
	it.each([
		['README.md', ['README.md']],
		['./docs//guide.md', ['docs', 'guide.md']],
		['a/.github/workflows/ci.yml', ['a', '.github', 'workflows', 'ci.yml']],
		['.gitignore', ['.gitignore']],
		['docs/日本語.md', ['docs', '日本語.md']],
		['100%.md', ['100%.md']],
		['a..b/...c', ['a..b', '...c']],
		['src/keys.ts', ['src', 'keys.ts']],
		['src/credentials/form.ts', ['src', 'credentials', 'form.ts']],
		['environment.md', ['environment.md']],
	])('lets %j through', (path, segments) => {
		expect(judgePath(path)).toEqual({ ok: true, segments });
	});

	it.each([
		['', /empty/],
		['  ', /empty/],
		['.', /folder/],
		['./', /folder/],
		['..', /"\.\."/],
		['a/../../b', /"\.\."/],
		['a/../b', /"\.\."/],
		['a/.. /b', /"\.\."/],
		['a/‥/b', /"\.\."/],
		['a/.\u200b./b', /"\.\."/],
		['../repo-evil/secret.md', /"\.\."/],
		['/etc/passwd', /relative/],
		['//server/share', /relative/],
		['~/.ssh/id_rsa', /relative/],
		['C:/Windows', /relative/],
		['file:///etc/passwd', /relative/],
		['%2e%2e/secret.md', /percent/],
		['a/%2E%2E/%2e%2e/b', /percent/],
		['a%2fb', /percent/],
		['a%00.md', /percent/],
		['..\\secret.md', /backslash/],
		['a\\..\\..\\b', /backslash/],
		['README.md\0.png', /control/],
		['a\nb', /control/],
		['x'.repeat(1025), /longer/],
	])('refuses %j', (path, reason) => {
		expect(reasonOf(path)).toMatch(reason);
	});

	const denied = [
		...['.env', '.ENV', '.env.local', '.envrc', 'app/.Env.Production', '.env/bin/python'],
		...['.git/config', '.Git/config', '.GIT', 'sub/.git/HEAD', 'GIT~1/config', '.hg/hgrc', '.svn/entries'],
		...['config/prod.PEM', 'tls.key', 'TLS.Key', 'store.p12', 'app.keystore', 'vault.kdbx', 'main.tfstate'],
		...['id_rsa', 'ID_ED25519.pub', 'keys/id_ecdsa', '.ssh/config', '.aws/credentials', '.Docker/config.json'],
		...[
			'node_modules/x/index.js',
			'a/Node_Modules/x',
			'.npmrc',
			'.NETRC',
			'.pgpass',
			'.git-credentials',
			'secrets.YAML',
			'prod.env',
			'.vault-token',
			'.bash_history',
		],
		// What a forgiving file system would take for one of the above.
		...[
			'.env.',
			'.env ',
			'.env::$DATA',
			'docs/a.pem:stream',
			'docs/x:b.pem',
			'.g\u200cit/config',
			'.ｅｎｖ',
			'.ENV.\u00adlocal',
		],
	];
	it.each(denied)('denies %j', (path) => {
		expect(reasonOf(path)).toBe(DENIED);
	});

	it.each(['.env.example', 'app/.ENV.Example', '.env.sample', '.env.template'])('shows the template %j', (path) => {
		expect(judgePath(path)).toMatchObject({ ok: true });
	});

	it('denies a template that is not one', () => {
		for (const path of ['.env.example.local', '.env.examples', '.env/.env.example', '.git/.env.example'])
			expect(reasonOf(path)).toBe(DENIED);
	});

	it('knows a denied name in any case, anywhere in a path', () => {
		const folder = fc.constantFrom('.git', 'node_modules', '.ssh', '.env.local', 'x.pem');
		const plain = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 3 });
		fc.assert(
			fc.property(plain, folder, fc.infiniteStream(fc.boolean()), plain, (before, name, upper, after) => {
				const cased = Array.from(name, (char) => (upper.next().value ? char.toUpperCase() : char)).join('');
				expect(isDenied([...before, cased, ...after])).toBe(true);
			}),
		);
	});

	it('lets nothing through that leaves the root when it is resolved', () => {
		const piece = fc.constantFrom('..', '.', '', 'a', '/', '\\', '%2e', '%2f', '.. ', '…', '\0', '~', 'C:');
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('', '/'), (pieces, glue) => {
				const verdict = judgePath(pieces.join(glue));
				if (!verdict.ok) return;
				const resolved = new URL(`file:///root/r/${verdict.segments.map(encodeURIComponent).join('/')}`);
				expect(resolved.pathname).toMatch(/^\/root\/r\/./);
			}),
		);
	});
});
