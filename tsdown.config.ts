import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type UserConfig } from 'tsdown';

const dev = path.resolve(import.meta.dirname, 'src/dev');

/** Gives every importer of a module of `src/dev/` the module of `src/dev/production/` with the same name, if there is one. */
const withoutDevelopment = {
  name: 'without-development',
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (!importer || !source.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), source.replace(/\.js$/, '.ts'));
    const instead = path.join(dev, 'production', path.basename(file));
    return path.dirname(file) === dev && existsSync(instead) ? instead : undefined;
  },
};

// One file per module (`unbundle`), so that bundlers drop what is not imported by the file, not by what they can prove about each class.
const shared: UserConfig = {
  entry: [
    'src/index.ts',
    'src/ag-grid.ts',
    'src/angular.ts',
    'src/core.ts',
    'src/diagnostics.ts',
    'src/dialects.ts',
    'src/groups.ts',
    'src/devtools.ts',
    'src/history.ts',
    'src/live.ts',
    'src/messages.ts',
    'src/mui-grid.ts',
    'src/namespace.ts',
    'src/outbox.ts',
    'src/react-admin.ts',
    'src/react.ts',
    'src/refine.ts',
    'src/solid.ts',
    'src/ssr.ts',
    'src/svelte.ts',
    'src/tanstack-query.ts',
    'src/tanstack-table.ts',
    'src/testing.ts',
    'src/tree.ts',
    'src/vue.ts',
    'src/xml.ts',
  ],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'src/tsconfig.json',
  unbundle: true,
  fixedExtension: false,
  sourcemap: true,
  report: false,
  logLevel: 'warn',
};

export default defineConfig([
  { ...shared, outDir: 'dist', dts: { sourcemap: true }, clean: true },
  { ...shared, outDir: 'dist/production', dts: false, clean: false, plugins: [withoutDevelopment] },
]);
