/** A snippet rule as a repository brings it, all as it should be: what tests of such rules begin with. */
export const RULE = {
	id: 'no-legacy-client',
	languages: ['ts'],
	pattern: '\\bLegacyClient\\b',
	message: 'The old client has no deadline.',
	fix: 'Use createClient() of src/client.ts.',
	pass: ['createClient();', '// LegacyClient'],
	fail: [{ code: 'new LegacyClient();', lines: [1] }],
};
