import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		include: ['{registry,generators,mcp,library,bin,site,test}/**/*.test.ts'],
		testTimeout: 20_000,
		hookTimeout: 60_000,
	},
});
