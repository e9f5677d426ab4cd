/**
 * The GitHub workflow that keeps the generated files honest. With a package.json it runs the repository's own scripts;
 * without one it fetches the command.
 */
export function workflow(hasManifest: boolean): string {
	const steps = hasManifest
		? ['npm ci', 'npm run patterns:validate', 'npm run patterns:check']
		: ['npx --yes v10r-patterns validate', 'npx --yes v10r-patterns check'];
	return `name: patterns
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  patterns:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
${steps.map((step) => `      - run: ${step}`).join('\n')}
`;
}
