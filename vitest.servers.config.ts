import { defineConfig } from 'vitest/config';
import { alias, reporters } from './vitest.config.js';

// Against servers that others wrote, each started by its test on 127.0.0.1.
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/servers/*.test.ts'],
    reporters: reporters('servers'),
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
