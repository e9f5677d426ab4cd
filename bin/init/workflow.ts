/** The repository variable that tells CI where to install the command from, where no package.json does. */
export const SOURCE_VARIABLE = 'V10R_PATTERNS';

/**
 * The GitHub workflow that keeps the generated files honest. With a package.json it runs the repository's own scripts;
 * without one it installs the command from where the repository's owner says, never from a name that anyone can take.
 */
export function workflow(hasManifest: boolean): string {
	const steps = hasManifest
		? ['npm ci', 'npm run patterns:validate', 'npm run patterns:check']
		: [`npm install --global "\${{ vars.${SOURCE_VARIABLE} }}"`, 'v10r-patterns validate', 'v10r-patterns check'];
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
