/**
 * `npm run test:mutants [-- --stories N] [--only WORDS]`: breaks the rules of `mutants-list.mjs` one by one in a copy of the source, and prints which
 * story, or which test, notices that. It fails if a broken rule is not noticed, and if its text is no longer in the source.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants-list.mjs';

const { values } = parseArgs({
  options: { stories: { type: 'string', default: '1500' }, only: { type: 'string', default: '' } },
});
const root = resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'repose-mutants-'));
for (const each of ['src', 'test', 'package.json', 'tsconfig.base.json', 'tsconfig.json', 'vitest.config.ts'])
  cpSync(join(root, each), join(copy, each), {
    recursive: true,
    filter: (path) => !/node_modules|test.(bundlers|frameworks|servers)/.test(path),
  });
for (const each of ['node_modules', 'demo', 'examples', 'docs']) symlinkSync(join(root, each), join(copy, each));

function run(...args) {
  return spawnSync(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: 900_000,
  });
}

/** Runs stories until one breaks a law. Returns what was noticed. */
function byStories(ranges) {
  for (const range of ranges) {
    const { status, stdout, stderr } = run('--import', 'tsx', 'test/stories/run.ts', '--first', '--seeds', range);
    if (status === 0) continue;
    const [first = '', second = ''] = stdout.split('\n');
    const told = `${first.replace(/\{.*\}/, '')}${second}`.trim();
    return told || `no end, or thrown: ${stderr.match(/\w*Error[^\n]*/)?.[0] ?? ''}`;
  }
  return undefined;
}

function byTests(tests) {
  if (tests.length === 0) return undefined;
  const { status, stdout, stderr } = run('node_modules/vitest/vitest.mjs', 'run', '--bail=1', ...tests);
  return status === 0 ? undefined : (stdout.match(/FAIL[^\n]*/)?.[0] ?? `${stderr}${stdout}`.trim().slice(-300));
}

/** Tries the stories and tests that are known to notice a broken rule, then all stories. Returns what was noticed. */
function noticedBy({ seeds = [], tests = [] }) {
  const known = seeds.map((seed) => `${seed}-${seed}`);
  return byStories(known) ?? byTests(tests) ?? byStories([`1-${values.stories}`]);
}

const chosen = MUTANTS.filter(({ rule }) => rule.includes(values.only));
let survived = 0;
try {
  // The stories and tests must hold before a rule is broken.
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests ?? []))];
  const seeds = [...new Set(chosen.flatMap((mutant) => mutant.seeds ?? []))];
  const before = byStories(seeds.map((seed) => `${seed}-${seed}`)) ?? byTests(tests);
  if (before) throw new Error(`It fails without a broken rule: ${before}`);
  for (const mutant of chosen) {
    const { rule, file, from, to } = mutant;
    const path = join(copy, 'src', file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) {
      survived += 1;
      console.log(`not found   ${rule} (${file})`);
      continue;
    }
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const noticed = noticedBy(mutant);
    writeFileSync(path, text);
    if (!noticed) survived += 1;
    console.log(`${noticed ? 'noticed    ' : 'NOT NOTICED'} ${rule}${noticed ? ` | ${noticed.slice(0, 160)}` : ''}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(survived === 0 ? 'every broken rule was noticed' : `${survived} broken rules were not noticed`);
process.exitCode = survived === 0 ? 0 : 1;
