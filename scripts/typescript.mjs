// Runs the TypeScript compilers on which the package is tested.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The installed packages of the compilers, oldest first. `typescript` is the one the project itself uses. */
export const compilers = ['ts54', 'ts59', 'typescript', 'ts7'];

/** The version of an installed compiler. */
export function versionOf(compiler) {
  return JSON.parse(readFileSync(path.join(root, 'node_modules', compiler, 'package.json'), 'utf8')).version;
}

/** Runs one compiler in the folder of the project. Resolves with its exit status and its output. */
export function tsc(compiler, ...args) {
  return runNode(path.join(root, 'node_modules', compiler, 'bin/tsc'), ...args);
}

/** Runs a script with Node in the folder of the project. Resolves with its exit status and its output. */
export function runNode(script, ...args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ status: 1, output: error.message }));
    child.on('close', (status) => resolve({ status: status ?? 1, output }));
  });
}

/**
 * Runs checks, as many at a time as there are processors. Prints a line for each check, and the output of those that failed.
 * A check is `{ name, run }`; `run` resolves with `{ ok, note?, output? }`. Resolves with whether all are ok.
 */
export async function runChecks(checks) {
  const waiting = [...checks];
  let allOk = true;
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const start = performance.now();
      const { ok, note = '', output = '' } = await check.run();
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${check.name}${note && `: ${note}`} (${seconds} s)`);
      if (!ok && output) console.log(excerpt(output));
      allOk &&= ok;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return allOk;
}

function excerpt(output, most = 25) {
  const lines = output.trimEnd().split('\n');
  const shown = lines.slice(0, most).map((line) => `       ${line}`);
  if (lines.length > most) shown.push(`       (${lines.length - most} more lines)`);
  return shown.join('\n');
}
