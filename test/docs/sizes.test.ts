import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as repose from 'repose';
import { expect, test } from 'vitest';
import {
  bindings,
  extensions,
  formatSize,
  importSets,
  measureBindings,
  measureExtensions,
  measureSizes,
  measureTools,
  tools,
} from '../../scripts/sizes.mjs';
import { readPage, root, tableBelow } from './markdown.js';

/** Compressors of different platforms differ by a few bytes. */
const NEAR = 40;

const around = (bytes: number): string[] => [bytes - NEAR, bytes, bytes + NEAR].map(formatSize);
const { text } = readPage('README.md');

test('README.md shows the measured sizes: `node scripts/update-readme-sizes.mjs` writes them', {
  timeout: 120_000,
}, async () => {
  const rows = tableBelow(text, '<!-- sizes:');
  const sets = await measureSizes();
  expect(rows.map(([use, imports]) => [use, imports])).toEqual(
    sets.map(({ use, imports, from }) => [use, `\`${imports}\` from \`${from}\``]),
  );
  for (const [i, { gzip, production, productionLimit }] of sets.entries()) {
    const [, , zipped = '', plain = '', bound, development = ''] = rows[i] as string[];
    expect(around(production.gzip)).toContain(zipped);
    expect(around(production.minified)).toContain(plain);
    expect(bound).toBe(formatSize(productionLimit));
    expect(around(gzip)).toContain(development);
  }
});

test.each([
  { what: 'each extension', begin: '| Added to a whole store', sets: extensions, measure: measureExtensions },
  {
    what: 'each binding and each entry',
    begin: '| Added by a binding',
    sets: [...bindings, ...tools],
    measure: async () => [...(await measureBindings()), ...(await measureTools())],
  },
])('README.md shows what $what adds', { timeout: 120_000 }, async ({ begin, sets, measure }) => {
  const table = text.slice(text.indexOf(begin));
  const [zipped = []] = tableBelow(table, '').map(([, ...cells]) => cells);
  const measured = await measure();
  expect(zipped).toHaveLength(measured.length);
  for (const [i, { production }] of measured.entries()) expect(around(production.gzip)).toContain(zipped[i]);
  const [head = ''] = table.split('\n');
  expect(head.match(/`[\w/-]+`/g)).toEqual(sets.map(({ name }) => `\`${name}\``));
});

test('the size of every extension of the package is measured', () => {
  const folder = path.join(root, 'src/extensions');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const factories = files.flatMap((file) => [
    ...readFileSync(path.join(folder, file), 'utf8').matchAll(
      /^export function (\w+)\([^)]*\): (?:readonly )?Extension\b/gm,
    ),
  ]);
  const exported = factories.flatMap(([, name = '']) => (name in repose ? [name] : []));
  expect(exported).toContain('retry');
  expect(extensions.filter(({ from }) => from === 'repose').map(({ name }) => name)).toEqual(
    expect.arrayContaining(exported),
  );
});

test('README.md measures the imports of its first program', () => {
  const [, imports] = /^import (\{.*\}) from 'repose';$/m.exec(text) ?? [];
  expect(importSets.map((set) => set.imports)).toContain(imports);
});
