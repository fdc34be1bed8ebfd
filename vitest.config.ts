import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { unitTests } from './test/own-process.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests import the package by its name and get the source. */
export const alias = {
  'repose/ag-grid': file('src/ag-grid.ts'),
  'repose/diagnostics': file('src/diagnostics.ts'),
  'repose/dialects': file('src/dialects.ts'),
  'repose/extend': file('src/extend.ts'),
  'repose/groups': file('src/groups.ts'),
  'repose/devtools': file('src/devtools.ts'),
  'repose/history': file('src/history.ts'),
  'repose/live': file('src/live.ts'),
  'repose/messages': file('src/messages.ts'),
  'repose/mui-grid': file('src/mui-grid.ts'),
  'repose/namespace': file('src/namespace.ts'),
  'repose/outbox': file('src/outbox.ts'),
  'repose/react-admin': file('src/react-admin.ts'),
  'repose/refine': file('src/refine.ts'),
  'repose/ssr': file('src/ssr.ts'),
  'repose/tanstack-query': file('src/tanstack-query.ts'),
  'repose/tanstack-table': file('src/tanstack-table.ts'),
  'repose/testing': file('src/testing.ts'),
  'repose/tree': file('src/tree.ts'),
  'repose/xml': file('src/xml.ts'),
  repose: file('src/index.ts'),
};

/** With `TEST_REPORTS` set, a suite also writes its results to `NAME.json` in that folder. */
export function reporters(name: string): NonNullable<NonNullable<ViteUserConfig['test']>['reporters']> {
  const folder = process.env.TEST_REPORTS;
  return folder ? ['default', ['json', { outputFile: `${folder}/${name}.json` }]] : ['default'];
}

/**
 * Gives fast-check one seed, so that two runs try the same values. `npm run test:campaigns` sets another seed; a test that fails prints
 * its seed.
 */
export const fixedSeed: Plugin = {
  name: 'fixed-seed',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'fast-check' && importer !== seeded && importer?.startsWith(file('test/')) ? seeded : undefined,
};
const seeded = file('test/seeded-fast-check.ts');

export default defineConfig((): ViteUserConfig => {
  const { alone, together } = unitTests();
  return {
    plugins: [fixedSeed],
    resolve: { alias },
    test: {
      projects: [
        { extends: true, test: { name: 'alone', include: alone } },
        {
          extends: true,
          test: { name: 'together', include: together, isolate: false, setupFiles: ['test/leaves-nothing.ts'] },
        },
      ],
      reporters: reporters('unit'),
      // By default one core is left free, which on a machine with two halves the speed.
      maxWorkers: '100%',
      // Long limits, because a busy machine is slow; a test that hangs still ends. No test sets a shorter one.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 20_000 } },
      // In CI a failed test runs once more, and the log shows both runs: shared machines stall at times.
      retry: process.env.TEST_REPORTS ? 1 : 0,
      coverage: {
        provider: 'v8',
        include: ['src/**/*.ts'],
        // The tests in test/frameworks run these with their frameworks, most of them in a browser.
        exclude: [
          'src/{angular,react,solid,svelte,vue}.ts',
          'src/binding/{groups-source,form-binding,store-watch,view-source}.ts',
          // These need a page. The tests in test/browser run them.
          'src/devtools/panel/**',
          'src/extensions/xhr-fetch.ts',
        ],
        reporter: [['text', { skipFull: true }], 'text-summary', 'html'],
        thresholds: { lines: 95, branches: 95 },
      },
    },
  };
});
