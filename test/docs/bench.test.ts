import { expect, test } from 'vitest';
import { benchTable, shortBenchTable } from '../../scripts/update-readme-bench.mjs';
import { readPage } from './markdown.js';

/** The table between the markers of a page. */
function tableIn(file: string): string {
  const [, table = ''] = /<!-- bench: [^\n]* -->\n(.*)<!-- \/bench -->/s.exec(readPage(file).text) ?? [];
  return table.trim();
}

test('README.md shows ten of the last results of the benchmark: `node scripts/update-readme-bench.mjs` writes them', () => {
  const table = tableIn('README.md');
  expect(table).toBe(shortBenchTable());
  expect(table.split('\n')).toHaveLength(2 + 10);
});

test('docs/reference/benchmarks.md shows all of the last results of the benchmark', () => {
  const table = tableIn('docs/reference/benchmarks.md');
  expect(table).toBe(benchTable());
  expect(table.split('\n').length).toBeGreaterThan(20);
});
