import { defineConfig } from 'vitest/config';
import { reporters } from './vitest.config.js';

// The bundlers are installed in test/bundlers, not at the root.
export default defineConfig({
  test: {
    include: ['test/bundlers/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['scripts/ensure-built.mjs', 'scripts/ensure-bundlers.mjs'],
    reporters: reporters('bundlers'),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
