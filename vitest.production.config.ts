import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { alias, reporters } from './vitest.config.js';

const folder = fileURLToPath(new URL('dist/production/', import.meta.url));

/** Tests import the package by its name, or a file of the source, and get that of the production build. */
const built = [
  ...Object.keys(alias).map((name) => ({
    find: new RegExp(`^${name}$`),
    replacement: `${folder}${name === 'repose' ? 'index' : name.slice('repose/'.length)}.js`,
  })),
  { find: /^(?:\.\.\/)+src\//, replacement: folder },
];

export default defineConfig({
  resolve: { alias: built },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/{bench,browser,bundlers,demo,docs,examples,faults,frameworks,mistakes,scripts,servers,types,types-bench}/**',
    ],
    globalSetup: ['scripts/ensure-built.mjs'],
    reporters: reporters('production'),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
