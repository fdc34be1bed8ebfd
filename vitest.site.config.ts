import { defineConfig } from 'vitest/config';
import { reporters } from './vitest.config.js';

// The tests run in Node and drive a real browser, which opens the site as `npm run docs` has built it.
export default defineConfig({
  test: {
    include: ['test/site/**/*.test.ts'],
    reporters: reporters('site'),
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A long limit, because a busy machine is slow.
    expect: { poll: { timeout: 15_000 } },
  },
});
