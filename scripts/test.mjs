// Runs every `test:*` script of package.json that needs only Node, also after a failure.
// With TEST_REPORTS set, it also writes the outcome of each script to test.json in that folder.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The scripts that `npm test` leaves out: they need a browser, other servers or more time, or run a part of the others. */
export const notRun = [
  'test:browser',
  'test:bundlers',
  'test:production',
  'test:frameworks',
  'test:servers',
  'test:site',
  'test:faults',
  'test:mutants',
  'test:outbox-model',
  'test:outbox-walks',
  'test:outbox-tabs',
  'test:stories',
  'test:campaigns',
  'test:fast',
];

/** These keep only one processor busy and need no build, so that they run beside the scripts up to the unit tests. */
const beside = ['test:lint'];

const root = path.resolve(import.meta.dirname, '..');

if (pathToFileURL(process.argv[1]).href === import.meta.url) await runAll();

async function runAll() {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((name) => name.startsWith('test:') && !notRun.includes(name));
  const first = names.filter((name) => !beside.includes(name) && name !== 'test:unit');

  const [others, printed] = await Promise.all([inTurn(first, 'inherit'), inTurn(beside, 'pipe')]);
  for (const { name, output } of printed) console.log(`\n> ${name}\n${output}`);
  // The unit tests keep all processors busy.
  const results = [...printed, ...others, ...(await inTurn(['test:unit'], 'inherit'))];

  console.log('');
  for (const { name, ok, seconds } of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);

  const folder = process.env.TEST_REPORTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    const outcomes = results.map(({ name, ok, seconds }) => ({ name, ok, seconds }));
    writeFileSync(path.join(folder, 'test.json'), JSON.stringify(outcomes, null, 2));
  }
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** Runs scripts one after another. With `'pipe'`, their output is in the results instead of on the screen. */
async function inTurn(names, stdio) {
  const results = [];
  for (const name of names) {
    if (stdio === 'inherit') console.log(`\n> ${name}`);
    const start = performance.now();
    const { ok, output } = await runScript(name, stdio);
    results.push({ name, ok, output, seconds: Math.round((performance.now() - start) / 100) / 10 });
  }
  return results;
}

function runScript(name, stdio) {
  return new Promise((resolve) => {
    // One command line with a shell, because npm is a shell script on some systems.
    const child = spawn(`npm run --silent ${name}`, { cwd: root, stdio: ['inherit', stdio, stdio], shell: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (status) => resolve({ ok: status === 0, output }));
  });
}
