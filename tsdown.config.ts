import { defineConfig } from 'tsdown';

// One file per module (`unbundle`), so that bundlers drop what is not imported by the file, not by what they can prove about each class.
export default defineConfig({
  entry: [
    'src/index.ts',
    'src/ag-grid.ts',
    'src/angular.ts',
    'src/core.ts',
    'src/diagnostics.ts',
    'src/groups.ts',
    'src/namespace.ts',
    'src/outbox.ts',
    'src/react.ts',
    'src/solid.ts',
    'src/ssr.ts',
    'src/svelte.ts',
    'src/tanstack-query.ts',
    'src/tanstack-table.ts',
    'src/testing.ts',
    'src/vue.ts',
  ],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'src/tsconfig.json',
  unbundle: true,
  fixedExtension: false,
  sourcemap: true,
  dts: { sourcemap: true },
  report: false,
  logLevel: 'warn',
  clean: true,
});
