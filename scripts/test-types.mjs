// Checks the types of the project, and those that users get from dist/, on each supported compiler.
import { benchChecks } from './bench-types.mjs';
import { declarationCheck } from './check-declarations.mjs';
import { mistakeChecks } from './check-mistakes.mjs';
import ensureBuilt from './ensure-built.mjs';
import { compilers, runChecks, tsc, versionOf } from './typescript.mjs';

ensureBuilt();

const project = (compiler, what, file) => ({
  name: `TypeScript ${versionOf(compiler)}, ${what}`,
  run: async () => {
    const { status, output } = await tsc(compiler, '-p', file);
    return { ok: status === 0, output };
  },
});

const checks = [
  project('typescript', 'the source', 'src'),
  project('ts7', 'tests, demo and scripts', '.'),
  ...compilers.flatMap((compiler) => [
    project(compiler, 'the declarations in dist', 'test/types/dist.tsconfig.json'),
    project(compiler, 'users of the package', 'test/types'),
  ]),
  declarationCheck,
  ...mistakeChecks(),
  ...benchChecks(),
];

if (!(await runChecks(checks))) process.exitCode = 1;
