// Measures the cost of 200 models for the type checker, in instantiations, which do not depend on the machine.
// The limits are in test/types-bench/pins.json. usage: node scripts/bench-types.mjs
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ensureBuilt from './ensure-built.mjs';
import { runChecks, tsc, versionOf } from './typescript.mjs';

const folder = path.resolve(import.meta.dirname, '../test/types-bench');
const compiler = 'ts59';

/** One check for each file that has a limit. */
export function benchChecks() {
  const pins = JSON.parse(readFileSync(path.join(folder, 'pins.json'), 'utf8'));
  return Object.entries(pins).map(([file, pin]) => ({
    name: `TypeScript ${versionOf(compiler)}, cost of test/types-bench/${file}`,
    run: () => measure(file, pin),
  }));
}

async function measure(file, pin) {
  // One project for each file: two files in one program would share their instantiations.
  const project = mkdtempSync(path.join(folder, '.project-'));
  try {
    const config = { extends: '../tsconfig.json', include: [], files: [`../${file}`] };
    writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify(config));
    const { status, output } = await tsc(compiler, '-p', project, '--extendedDiagnostics');
    const found = /^Instantiations:\s+(\d+)/m.exec(output);
    const count = found ? Number(found[1]) : Number.POSITIVE_INFINITY;
    return {
      ok: status === 0 && count <= pin,
      note: `${count.toLocaleString('en')} instantiations of at most ${pin.toLocaleString('en')}`,
      output: status === 0 ? '' : output,
    };
  } finally {
    rmSync(project, { recursive: true });
  }
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  ensureBuilt();
  if (!(await runChecks(benchChecks()))) process.exitCode = 1;
}
