/** The repository variable that tells CI where to install the command from, where no package.json does. */
export const SOURCE_VARIABLE = 'V10R_PATTERNS';

/**
 * The command line by which CI runs the program without a package.json: from where the variable says, and from nowhere
 * when it is empty. `npm install --global` would hand its own "global" down to the install that builds a git checkout,
 * which then lacks what the build needs; `npm exec` does not.
 */
function ciCommand(command: string): string {
	const source = `\${${SOURCE_VARIABLE}:?Set the repository variable ${SOURCE_VARIABLE}}`;
	return `npm exec --yes --package="${source}" -- v10r-patterns ${command}`;
}

/**
 * The GitHub workflow that keeps the generated files honest. With a package.json it runs the repository's own scripts;
 * without one it takes the command from where the repository's owner says, never from a name that anyone can take.
 */
export function workflow(hasManifest: boolean): string {
	const steps = hasManifest
		? ['npm ci', 'npm run patterns:validate', 'npm run patterns:check']
		: [ciCommand('validate'), ciCommand('check')];
	const env = hasManifest ? '' : `    env:\n      ${SOURCE_VARIABLE}: \${{ vars.${SOURCE_VARIABLE} }}\n`;
	return `name: patterns
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  patterns:
    runs-on: ubuntu-latest
${env}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
${steps.map((step) => `      - run: ${step}`).join('\n')}
`;
}
