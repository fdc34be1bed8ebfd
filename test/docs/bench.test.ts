import { expect, test } from 'vitest';
import { benchTable } from '../../scripts/update-readme-bench.mjs';
import { readPage } from './markdown.js';

test('README.md shows the last results of the benchmark: `node scripts/update-readme-bench.mjs` writes them', () => {
  const { text } = readPage('README.md');
  const [, table = ''] = /<!-- bench: [^\n]* -->\n(.*)<!-- \/bench -->/s.exec(text) ?? [];
  expect(table.trim()).toBe(benchTable());
  expect(table.trim().split('\n').length).toBeGreaterThan(20);
});
