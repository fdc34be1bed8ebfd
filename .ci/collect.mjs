// Adds up the reports of the suites of .ci/run in a folder. Prints a line for each suite, then the sum.
// A suite that did not run, or that ended with an error although all its tests passed, counts as one failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.argv[2];
const read = (name) => {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
};
const exitStatus = (name) => Number(read(`${name}.status`) ?? 1);
const check = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });

/** The counts of a vitest run, from its JSON report. */
function vitest(report, endedWell) {
  const text = read(report);
  if (text === undefined) return { passed: 0, failed: 1, note: 'did not run' };
  const { numPassedTests: passed, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(text);
  nameFailed(testResults);
  const skipped = numPendingTests + numTodoTests;
  const failed = numFailedTests === 0 && !(endedWell && passed > 0) ? 1 : numFailedTests;
  const note =
    failed > numFailedTests ? 'tests passed, but the run failed: coverage floor, or a file that did not load' : '';
  return { passed, failed, skipped, note };
}

/** Prints the names of failed tests, because a failure that does not repeat is found by its name only. */
function nameFailed(files) {
  for (const { name, status, message, assertionResults } of files) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) console.log(`not loaded: ${path.basename(name)}: ${message}`);
    for (const { fullName, failureMessages } of failed) {
      const [first = ''] = (failureMessages[0] ?? '').split('\n', 1);
      console.log(`failed: ${path.basename(name)}: ${fullName}: ${first}`);
    }
  }
}

/** The counts of a suite with a runner of its own, from the last line of its output with counts. */
function counted(name) {
  const found = [...(read(`${name}.log`) ?? '').matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  if (!found) return { passed: 0, failed: 1, note: 'did not run' };
  const [passed, failed] = [Number(found[1]), Number(found[2])];
  if (failed > 0) showFailed(name);
  return { passed, failed: failed === 0 && (exitStatus(name) !== 0 || passed === 0) ? 1 : failed };
}

/** Prints what a suite with a runner of its own has found, because a finding that depends on time does not repeat. */
function showFailed(name) {
  const lines = (read(`${name}.log`) ?? '').split('\n');
  const found = lines.filter((line) => line.startsWith('FAILED') || line.startsWith('  '));
  for (const line of found.slice(0, 30)) console.log(`${name}: ${line.slice(0, 500)}`);
}

/** The scripts that `npm test` ran. Each counts as one, except for test:unit, of which each test counts. */
function npmTest() {
  const results = JSON.parse(read('test/test.json') ?? '[]');
  const unit = results.find(({ name }) => name === 'test:unit');
  const others = results.filter((result) => result !== unit).map(({ name, ok }) => [name, check(ok)]);
  if (results.length === 0) others.push(['npm test', { ...check(false), note: 'did not run' }]);
  return [...others, ['test:unit', vitest('test/unit.json', unit?.ok)]];
}

/** The check of sizes that stands beside the project where it is landed. */
const ceiling = path.resolve(import.meta.dirname, '../../shared/checks/ceiling');

const suites = [
  ...npmTest(),
  ...(existsSync(ceiling) ? [['ceiling', check(exitStatus('ceiling') === 0)]] : []),
  ['test:unit on Node 24', vitest('node24/unit.json', exitStatus('node24') === 0)],
  ['npm start', check(exitStatus('start') === 0)],
  ['npm run tour', check(exitStatus('tour') === 0)],
  ['conformance', counted('conformance')],
  ['hostile server', counted('faults')],
  ['random cases', counted('cases')],
  ['test:outbox-walks', check(exitStatus('walks') === 0)],
  ['test:browser', vitest('browser/browser.json', exitStatus('browser') === 0)],
  ['test:production', vitest('production/production.json', exitStatus('production') === 0)],
  ['test:bundlers', vitest('bundlers/bundlers.json', exitStatus('bundlers') === 0)],
  ...['frameworks-1', 'frameworks-2'].map((part) => [
    `test:${part}`,
    vitest(`${part}/frameworks.json`, exitStatus(part) === 0),
  ]),
  ['test:site', vitest('site/site.json', exitStatus('site') === 0)],
  ['test:servers', vitest('servers/servers.json', exitStatus('servers') === 0)],
];

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const [name, { passed, failed, skipped = 0, note }] of suites) {
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
  const counts = [`ok ${passed}`, `bad ${failed}`, ...(skipped ? [`left out ${skipped}`] : [])].join('  ');
  console.log(`${failed ? 'FAILED' : 'ok    '} ${name.padEnd(22)} ${counts}${note ? `  (${note})` : ''}`);
}
const names = readdirSync(folder).filter((name) => name.endsWith('.seconds'));
console.log(`seconds: ${names.map((name) => `${path.basename(name, '.seconds')} ${read(name)?.trim()}`).join(', ')}`);
console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped ? `, ${sum.skipped} skipped` : ''}`);
process.exitCode = sum.failed === 0 ? 0 : 1;
