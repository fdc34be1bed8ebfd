// Writes the last results of the benchmark, bench/results.json, into the README as a table; test/docs/bench.test.ts compares them.
// usage: npm run bench -- --json bench/results.json && node scripts/update-readme-bench.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');

/** The libraries that are shown, by subject. */
const shown = {
  repose: 'Repose',
  dstore: 'dstore',
  backbone: 'Backbone',
  orbit: 'Orbit',
  rtk: 'RTK',
  mobx: 'MobX',
  'tanstack-db': 'TanStack DB',
};

/** The table: a line for each case, with the floor's own value and how many times as much each library takes. */
export function benchTable() {
  const rows = JSON.parse(readFileSync(path.join(root, 'bench/results.json'), 'utf8'));
  const cases = new Map();
  for (const row of rows) {
    // Sizes, memory, growth and refusals are no work that a floor does too.
    if (/^(size|memory)$/.test(row.workload) || /growth|refused/.test(row.case)) continue;
    const key = `${row.workload}: ${row.case}, ${row.n.toLocaleString('en')}`;
    cases.set(key, { ...cases.get(key), [row.subject]: row });
  }
  const cells = [...cases].map(([name, found]) => {
    const { floor } = found;
    const value = floor && `${formatNumber(floor.value)} ${floor.unit}`.replace(' each', '');
    return [name, value ?? '', ...Object.keys(shown).map((subject) => ratioOf(found, subject))];
  });
  const head = ['Work, and how much of it', 'Floor', ...Object.values(shown)];
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Streams have several subjects of ours: the store that streams stands for them. */
function ratioOf(found, subject) {
  const row = (subject === 'repose' && found['repose, streamed']) || found[subject];
  return row ? formatNumber(row.ratio) : '';
}

function formatNumber(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  const readme = path.join(root, 'README.md');
  const text = readFileSync(readme, 'utf8');
  const markers = /(<!-- bench: [^\n]* -->\n).*(<!-- \/bench -->)/s;
  if (!markers.test(text)) throw new Error('README.md has no place for the benchmark');
  writeFileSync(
    readme,
    text.replace(markers, (_, begin, end) => `${begin}\n${benchTable()}\n\n${end}`),
  );
}
