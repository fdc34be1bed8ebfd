import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { alias, fixedSeed, reporters } from './vitest.config.js';

const folder = fileURLToPath(new URL('dist/production/', import.meta.url));

/** Tests import the package by its name, or a file of the source, and get that of the production build. */
const built = [
  ...Object.keys(alias).map((name) => ({
    find: new RegExp(`^${name}$`),
    replacement: `${folder}${name === 'repose' ? 'index' : name.slice('repose/'.length)}.js`,
  })),
  { find: /^(?:\.\.\/)+src\/(?!dev\/)/, replacement: folder },
];

/** Parts of the titles of tests about the texts of errors, which a production build does not have. */
const aboutTexts = [
  'an error names the parameter and the reason',
  'the error of `buildRequest` names',
  'a filter without a value is refused',
  'an address step that names one of several records',
  'names no record of the collection',
  'a write redirected by',
];

export default defineConfig({
  plugins: [fixedSeed],
  resolve: { alias: built },
  test: {
    // The rules of the house, the vectors of addresses, and bad input: what both builds must do alike.
    include: [
      'test/{dev,spec}/**/*.test.ts',
      'test/http/url.test.ts',
      'test/operation/lane.test.ts',
      'test/store/query.test.ts',
      // The sentences for people, which every build has.
      'test/errors/user-message-fields.test.ts',
    ],
    testNamePattern: new RegExp(`^(?!.*(?:${aboutTexts.join('|')}))`),
    globalSetup: ['scripts/ensure-built.mjs'],
    reporters: reporters('production'),
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
