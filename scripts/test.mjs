// Runs every `test:*` script of package.json that needs only Node, one after another, also after a failure.
// With TEST_REPORTS set, it also writes the outcome of each script to test.json in that folder.
import { spawnSync } from 'node:child_process';
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
  'test:outbox-model',
  'test:outbox-walks',
  'test:outbox-tabs',
  'test:stories',
  'test:campaigns',
  'test:fast',
];

if (pathToFileURL(process.argv[1]).href === import.meta.url) runAll();

function runAll() {
  const root = path.resolve(import.meta.dirname, '..');
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((name) => name.startsWith('test:') && !notRun.includes(name));

  const results = names.map((name) => {
    console.log(`\n> ${name}`);
    const start = performance.now();
    // One command line with a shell, because npm is a shell script on some systems.
    const { status } = spawnSync(`npm run --silent ${name}`, { cwd: root, stdio: 'inherit', shell: true });
    return { name, ok: status === 0, seconds: Math.round((performance.now() - start) / 100) / 10 };
  });

  console.log('');
  for (const { name, ok, seconds } of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);

  const folder = process.env.TEST_REPORTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'test.json'), JSON.stringify(results, null, 2));
  }
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}
