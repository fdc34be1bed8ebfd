// The results of the benchmark as bars, from bench/results.json.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writePage } from './copy-pages.mjs';
import { root } from './paths.mjs';

const LIBRARIES = {
  floor: 'By hand',
  repose: 'Repose',
  dstore: 'dstore',
  backbone: 'Backbone',
  orbit: 'Orbit',
  rtk: 'RTK',
  mobx: 'MobX',
  'tanstack-db': 'TanStack DB',
};
const WORKLOADS = {
  url: 'Build addresses',
  ingest: 'Read records',
  query: 'Sort, filter and group',
  edit: 'Edit in a sorted, filtered list',
  tree: 'Trees',
  stream: 'Streams',
  sync: 'Writes',
  outbox: 'Outbox',
};

/** Writes the page, and returns how many results it shows. */
export function writePerformancePage() {
  const results = JSON.parse(readFileSync(path.join(root, 'bench/results.json'), 'utf8'));
  const lines = [
    '# Performance',
    '',
    'Every result of `npm run bench`, drawn from `bench/results.json`. A shorter bar is better. "By hand" is the same work with plain objects; a library without a bar cannot do the work, or was not measured at it. The bars of one group begin at zero, and the longest one is the largest value: half the length is half the value.',
    '',
    'How the results were measured, and all of them as numbers: [Benchmarks](reference/benchmarks.md).',
    '',
  ];
  let count = 0;
  for (const [workload, title] of Object.entries(WORKLOADS)) {
    const rows = results.filter(
      (row) => row.workload === workload && row.subject in LIBRARIES && !/growth|refused/.test(row.case),
    );
    if (rows.length === 0) continue;
    lines.push(`## ${title}`, '');
    for (const group of groupsOf(rows)) {
      lines.push(...bars(group), '');
      count += group.length;
    }
  }
  writePage('performance.md', lines.join('\n'));
  return count;
}

/** The results of one piece of work. */
function groupsOf(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.case}, ${row.n}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups.values();
}

/** A list of bars, which a screen reader reads as names with values. */
function bars(rows) {
  const [{ case: name, n, unit }] = rows;
  const most = Math.max(...rows.map(({ value }) => value));
  const width = (value) => (100 * value) / most;
  const items = rows.map(({ subject, value }) => {
    const mark = subject === 'repose' ? ' class="own"' : '';
    return `<li${mark}><span>${LIBRARIES[subject]}</span><svg width="100%" height="12" aria-hidden="true"><rect width="${Math.max(width(value), 0.4).toFixed(1)}%" height="12" rx="2" /></svg><span>${format(value)} ${unit.replace(' each', '')}</span></li>`;
  });
  return [`### ${name}, ${n.toLocaleString('en')}`, '', '<ul class="bars">', ...items, '</ul>'];
}

const format = (value) =>
  value >= 10 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(2)).toString();
