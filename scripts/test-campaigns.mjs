// Runs the long random campaigns one after another, with other seeds each time. CI runs short forms of them with fixed seeds.
// usage: npm run test:campaigns [-- [--seed N] [NAME...]]; a run with the printed seed repeats the random choices of that run
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const seed = values.seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000) : Number(values.seed);

/** The seeds of a campaign that runs several. */
const seeds = (count) => `--seeds ${seed}-${seed + count - 1}`;
const propertyTests = filesWithProperties();

/** The command of each campaign. */
const campaigns = {
  properties: `npx vitest run ${propertyTests.join(' ')}`,
  'outbox-model': 'npm run --silent test:outbox-model',
  'outbox-walks': `npm run --silent test:outbox-walks -- ${seeds(100)} --tabs 3`,
  'outbox-database': `npm run --silent test:outbox-walks -- ${seeds(50)} --tabs 3 --storage indexed-db`,
  'outbox-schedules': 'npm run --silent test:outbox-walks -- --explore',
  'outbox-tabs': `npm run --silent test:outbox-tabs -- ${seeds(10)} --steps 300`,
  stories: `npm run --silent test:stories -- ${seeds(3000)}`,
  faults: `npm run --silent test:faults -- ${seeds(20)} --steps 2000`,
  cases: `npm run --silent test:faults -- --only addresses --only grammar --seed ${seed} --cases 1000000`,
};

/** The test files whose values fast-check chooses. */
function filesWithProperties() {
  return readdirSync(path.join(root, 'test'), { recursive: true })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !/^test\/(browser|bundlers|frameworks|servers|site)\//.test(file))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes("from 'fast-check'"))
    .sort();
}

function run(name) {
  const command = campaigns[name];
  console.log(`\n> ${name}`);
  const start = performance.now();
  const env = { ...process.env, REPOSE_SEED: String(seed) };
  const { status } = spawnSync(command, { cwd: root, stdio: 'inherit', shell: true, env });
  return { name, ok: status === 0, seconds: Math.round((performance.now() - start) / 1000) };
}

const unknown = positionals.filter((name) => !(name in campaigns));
if (unknown.length > 0 || !Number.isSafeInteger(seed)) {
  console.error(`The seed is a whole number, and the campaigns are ${Object.keys(campaigns).join(', ')}.`);
  process.exit(1);
}
console.log(`seed ${seed}`);
const names = positionals.length > 0 ? positionals : Object.keys(campaigns);
const results = names.map(run);
console.log('');
for (const { name, ok, seconds } of results) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (!ok) console.log(`  again: npm run test:campaigns -- --seed ${seed} ${name}`);
}
const failed = results.filter(({ ok }) => !ok).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
