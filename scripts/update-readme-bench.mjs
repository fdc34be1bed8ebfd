// Writes the last results of the benchmark, bench/results.json, as a table into docs/reference/benchmarks.md.
// test/docs/bench.test.ts compares them.
// usage: npm run bench -- --json bench/results.json && node scripts/update-readme-bench.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');

/** The libraries in the tables, by the name of their subject. */
const libraries = {
  repose: 'Repose',
  dstore: 'dstore',
  backbone: 'Backbone',
  orbit: 'Orbit',
  rtk: 'RTK',
  mobx: 'MobX',
  'tanstack-db': 'TanStack DB',
};

/** The table of all results. */
export function benchTable() {
  return tableOf([...readCases()]);
}

/** The results of all subjects by work and amount. */
function readCases() {
  const rows = JSON.parse(readFileSync(path.join(root, 'bench/results.json'), 'utf8'));
  const cases = new Map();
  for (const row of rows) {
    // Sizes, memory over time, growth and counts of refusals have no floor that does the same work.
    if (/^(size|memory)$/.test(row.workload) || /growth|refused/.test(row.case)) continue;
    const key = `${row.workload}: ${row.case}, ${row.n.toLocaleString('en')}`;
    cases.set(key, { ...cases.get(key), [row.subject]: row });
  }
  return cases;
}

/** A line for each work: the value of the floor, and the ratio of each library to it. */
function tableOf(rows) {
  const cells = rows.map(([name, found]) => {
    const { floor } = found;
    const value = floor && `${formatNumber(floor.value)} ${floor.unit}`.replace(' each', '');
    return [name, value ?? '', ...Object.keys(libraries).map((subject) => ratioOf(found, subject))];
  });
  const head = ['Work, and how much of it', 'Floor', ...Object.values(libraries)];
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Repose has several subjects for streams: the table shows the store that streams. */
function ratioOf(found, subject) {
  const row = (subject === 'repose' && found['repose, streamed']) || found[subject];
  return row ? formatNumber(row.ratio) : '';
}

function formatNumber(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

/** Replaces the table between the markers of a page. */
function writeTable(file, table) {
  const page = path.join(root, file);
  const text = readFileSync(page, 'utf8');
  const markers = /(<!-- bench: [^\n]* -->\n).*(<!-- \/bench -->)/s;
  if (!markers.test(text)) throw new Error(`${file} has no place for the benchmark`);
  writeFileSync(
    page,
    text.replace(markers, (_, begin, end) => `${begin}\n${table}\n\n${end}`),
  );
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  writeTable('docs/reference/benchmarks.md', benchTable());
}
