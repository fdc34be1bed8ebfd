import { defineConfig } from 'vitest/config';
import { alias, reporters } from './vitest.config.js';

// The tests run in Node and drive a real browser. The frameworks are installed in test/frameworks, not at the root.
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/frameworks/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Types are those of dist/, as users have them.
    globalSetup: ['scripts/ensure-frameworks.mjs', 'scripts/ensure-built.mjs'],
    reporters: reporters('frameworks'),
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    retry: process.env.TEST_REPORTS ? 1 : 0,
  },
});
