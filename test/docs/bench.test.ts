import { expect, test } from 'vitest';
import { benchTable } from '../../scripts/update-readme-bench.mjs';
import { readPage } from './markdown.js';

/** The table between the markers of a page. */
function tableIn(file: string): string {
  const [, table = ''] = /<!-- bench: [^\n]* -->\n(.*)<!-- \/bench -->/s.exec(readPage(file).text) ?? [];
  return table.trim();
}

test('docs/reference/benchmarks.md shows the last results of the benchmark: `node scripts/update-readme-bench.mjs` writes them', () => {
  const table = tableIn('docs/reference/benchmarks.md');
  expect(table).toBe(benchTable());
  expect(table.split('\n').length).toBeGreaterThan(20);
});

test('README.md says with how many other libraries the benchmark compares', () => {
  const [head = ''] = benchTable().split('\n');
  const others = head.split('|').filter((cell) => cell.trim()).length - ['Work', 'Floor', 'Repose'].length;
  expect(others).toBe(6);
  expect(readPage('README.md').text).toContain('beside six other libraries');
});
