import { defineConfig } from 'vitest/config';
import { alias, reporters } from './vitest.config.js';

// The tests run in Node and drive a real browser, which loads dist/.
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['scripts/ensure-built.mjs'],
    reporters: reporters('browser'),
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A long limit, because a busy machine is slow.
    expect: { poll: { timeout: 15_000 } },
  },
});
