// Runs every `test:*` script of package.json that needs nothing but Node, one after another, whatever fails.
// With TEST_REPORTS set, the outcome of each is also written to test.json in that folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** These need a browser, or servers in other languages. */
const needMore = ['test:browser', 'test:servers', 'test:faults'];

const root = path.resolve(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const names = Object.keys(scripts).filter((name) => name.startsWith('test:') && !needMore.includes(name));

const results = names.map((name) => {
  console.log(`\n> ${name}`);
  const start = performance.now();
  // One command line, since npm is a shell script on some systems.
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
