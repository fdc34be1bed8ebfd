// Checks a change in less than a minute: the types, the style of the changed files, and the tests that are nearest to them.
// usage: npm run test:fast [-- REF]; the change is what differs from REF, or what is not committed, or else the last commit
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BaseSequencer, createVitest } from 'vitest/node';
import { checkComments } from './check-comments.mjs';
import { runNode, tsc } from './typescript.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Seconds after which no further test begins, and after which running tests are abandoned. */
const LAST_START = 35;
const END = 48;

/** Code that tests of other folders check. */
const testedBy = {
  scripts: 'scripts',
  docs: 'docs',
  demo: 'demo',
  bench: 'bench',
  examples: 'examples',
};

/** Runs git and returns the lines of its output; undefined where it fails. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined;
}

/** The changed files that still exist. */
function changedFiles(ref) {
  const since = (commit) => git('diff', '--name-only', '--relative', '--diff-filter=d', commit);
  const added = git('ls-files', '--others', '--exclude-standard') ?? [];
  if (!ref) {
    const changed = [...(since('HEAD') ?? []), ...added];
    return changed.length > 0 ? changed : (since('HEAD~1') ?? []);
  }
  const changed = since(ref);
  if (!changed) throw new Error(`git knows no commit '${ref}'`);
  return [...changed, ...added];
}

/** The test files that `npm run test:unit` runs. */
function testFiles() {
  // Other suites are left out before their folders are read, because some hold installed packages.
  const others = ['browser', 'bundlers', 'frameworks', 'servers', 'site', 'faults'];
  const names = readdirSync(path.join(root, 'test')).filter((name) => !others.includes(name));
  const files = names.flatMap((name) => {
    const inside = statSync(path.join(root, 'test', name)).isDirectory();
    return inside
      ? readdirSync(path.join(root, 'test', name), { recursive: true }).map((file) => `${name}/${file}`)
      : name;
  });
  return files
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
}

/** The files that a file imports by a relative path. */
function importsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, name]) => {
    const target = path.posix.join(path.posix.dirname(file), name);
    return existsSync(path.join(root, target)) ? target : target.replace(/\.js$/, '.ts');
  });
}

/**
 * The distance of a test to a changed file: 0 for the test itself, up to 3 for tests of the folder, and 4 for its property tests,
 * which are slow; undefined for other tests.
 */
function distance(test, changed, imports) {
  if (test === changed) return 0;
  const stem = path.posix.basename(changed).replace(/\.\w+$/, '');
  const [area, folder = ''] = changed.split('/');
  const isCode = /\.(ts|mts|js|mjs)$/.test(changed);
  if (isCode && new RegExp(`^${stem}(?:[.-].*)?\\.test\\.ts$`).test(path.posix.basename(test))) return 1;
  if (imports.has(changed)) return 2;
  const tests = area === 'src' ? folder : (testedBy[area] ?? (changed.endsWith('.md') ? 'docs' : undefined));
  if (!tests || !test.startsWith(`test/${tests}/`)) return undefined;
  return test.endsWith('.property.test.ts') ? 4 : 3;
}

/** The tests of the changed files, nearest first. */
export function nearestTests(changed, tests = testFiles()) {
  const ranks = tests.flatMap((test) => {
    const imports = new Set();
    // Helpers of tests are followed; the source is not, because every test reaches nearly all of it.
    const follow = (file) => {
      for (const each of importsOf(file)) {
        if (imports.has(each)) continue;
        imports.add(each);
        if (each.startsWith('test/') && existsSync(path.join(root, each))) follow(each);
      }
    };
    follow(test);
    const distances = changed.map((file) => distance(test, file, imports)).filter((each) => each !== undefined);
    return distances.length > 0 ? [{ test, rank: Math.min(...distances) }] : [];
  });
  return ranks.sort((a, b) => a.rank - b.rank).map(({ test }) => test);
}

/** The native compiler checks the whole project in the time that the other ones need to start. */
async function checkTypes() {
  const results = [await tsc('ts7', '-p', 'src', '--noEmit'), await tsc('ts7', '-p', '.', '--noEmit')];
  return { ok: results.every(({ status }) => status === 0), output: results.map(({ output }) => output).join('') };
}

async function checkStyle(changed) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const files = changed.filter((file) => /\.(ts|mts|js|mjs|cjs|json|css)$/.test(file));
  if (files.length === 0) return { ok: true, output: '' };
  const { status, output } = await runNode(biome, 'check', '--error-on-warnings', '--no-errors-on-unmatched', ...files);
  const { problems } = checkComments(root, files);
  return { ok: status === 0 && problems.length === 0, output: [status === 0 ? '' : output, ...problems].join('\n') };
}

/** Runs the tests in their order until the time is over; resolves with the number of files that ran and whether none failed. */
async function runTests(tests, started) {
  if (tests.length === 0) return { ok: true, done: 0 };
  class InOrder extends BaseSequencer {
    async sort(specifications) {
      const place = ({ moduleId }) => tests.indexOf(path.relative(root, moduleId).replaceAll('\\', '/'));
      return [...specifications].sort((a, b) => place(a) - place(b));
    }
  }
  const vitest = await createVitest('test', { root, watch: false, sequence: { sequencer: InOrder } });
  const outcome = () => {
    const files = vitest.state.getTestModules().filter((each) => /^(passed|failed)$/.test(each.state()));
    const failed = files.some((each) => each.state() === 'failed') || vitest.state.getUnhandledErrors().length > 0;
    return { ok: !failed, done: files.length };
  };
  const left = (seconds) => Math.max(0, seconds * 1000 - (performance.now() - started));
  const stop = setTimeout(() => vitest.cancelCurrentRun('keyboard-input'), left(LAST_START));
  const end = new Promise((resolve) => setTimeout(resolve, left(END)).unref());
  await Promise.race([vitest.start(tests), end]);
  clearTimeout(stop);
  const result = outcome();
  await Promise.race([vitest.close(), end]);
  return result;
}

async function main([ref]) {
  const started = performance.now();
  const changed = changedFiles(ref);
  const tests = nearestTests(changed);
  console.log(`${changed.length} changed files, ${tests.length} test files near them`);
  const [types, style, unit] = await Promise.all([checkTypes(), checkStyle(changed), runTests(tests, started)]);
  for (const { ok, output } of [types, style]) if (!ok) console.error(output);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const ran = `${unit.done} of ${tests.length} test files${unit.done < tests.length ? ' (the time was over)' : ''}`;
  console.log(`${types.ok ? 'ok    ' : 'FAILED'} types of the whole project`);
  console.log(`${style.ok ? 'ok    ' : 'FAILED'} style of ${changed.length} changed files`);
  console.log(`${unit.ok ? 'ok    ' : 'FAILED'} ${ran}`);
  console.log(`${seconds} s. \`npm test\` runs everything.`);
  // Tests that were abandoned may keep the process alive.
  process.exit(types.ok && style.ok && unit.ok ? 0 : 1);
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) await main(process.argv.slice(2));
