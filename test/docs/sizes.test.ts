import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as repose from 'repose';
import { beforeAll, expect, test } from 'vitest';
import {
  bindings,
  extensions,
  formatSize,
  functions,
  importSets,
  importsOf,
  measureBindings,
  measureNamed,
  measureSizes,
  measureTools,
  type SizedExtension,
  tools,
  values,
} from '../../scripts/sizes.mjs';
import { readPage, root, tableBelow } from './markdown.js';

/** Compressors of different platforms differ by a few bytes. */
const NEAR = 40;

const around = (bytes: number): string[] => [bytes - NEAR, bytes, bytes + NEAR].map(formatSize);
const { text } = readPage('README.md');

/** The sizes that README.md and docs/reference/options.md both show: measured once, because each takes two bundles. */
let imports: Awaited<ReturnType<typeof measureNamed>>;
beforeAll(async () => {
  imports = await measureNamed([...extensions, ...functions, ...values]);
});
const ofImports = (sets: readonly SizedExtension[]) => async () =>
  imports.filter(({ name }) => sets.some((set) => set.name === name));

test('README.md shows the measured sizes: `node scripts/update-readme-sizes.mjs` writes them', {
  timeout: 120_000,
}, async () => {
  const rows = tableBelow(text, '<!-- sizes:');
  const sets = await measureSizes();
  expect(rows.map(([use, imports]) => [use, imports])).toEqual(sets.map((set) => [set.use, importsOf(set)]));
  for (const [i, { gzip, production, productionLimit }] of sets.entries()) {
    const [, , zipped = '', plain = '', bound, development = ''] = rows[i] as string[];
    expect(around(production.gzip)).toContain(zipped);
    expect(around(production.minified)).toContain(plain);
    expect(bound).toBe(formatSize(productionLimit));
    expect(around(gzip)).toContain(development);
  }
});

test.each([
  {
    what: 'each extension',
    begin: 'Added to a whole store, in a production bundle, by an extension: ',
    sets: extensions,
    measure: ofImports(extensions),
  },
  { what: 'each function', begin: 'By a function: ', sets: functions, measure: ofImports(functions) },
  { what: 'each value', begin: 'By a value: ', sets: values, measure: ofImports(values) },
  {
    what: 'each binding and each entry',
    begin: 'By a binding, its framework apart, or an entry: ',
    sets: [...bindings, ...tools],
    measure: async () => [...(await measureBindings()), ...(await measureTools())],
  },
])('README.md shows what $what adds', { timeout: 120_000 }, async ({ begin, sets, measure }) => {
  const [line = ''] = text.slice(text.indexOf(begin) + begin.length).split('\n');
  const shown = [...line.matchAll(/`([\w/-]+)` (\d+\.\d kB)/g)].map(([, name, size]) => [name, size]);
  const measured = await measure();
  expect(shown.map(([name]) => name)).toEqual(sets.map(({ name }) => name));
  for (const [i, { production }] of measured.entries()) expect(around(production.gzip)).toContain(shown[i]?.[1]);
});

test('docs/reference/options.md shows what each import adds', () => {
  const rows = tableBelow(readPage('docs/reference/options.md').text, '<!-- sizes:');
  expect(rows.map(([name = '']) => name.split('`')[1])).toEqual(imports.map(({ name }) => name));
  for (const [i, { production }] of imports.entries()) expect(around(production.gzip)).toContain(rows[i]?.[1]);
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

test('README compares with the sizes of its own tables', () => {
  const kB = (text = ''): number => Number.parseFloat(text);
  const [, said = ''] = /^\| Kilobytes, gzipped \| ([^,]+),/m.exec(text) ?? [];
  const rows = tableBelow(text, '<!-- sizes:');
  const sizeOf = (use: string): number => kB(rows.find(([name]) => name === use)?.[2]);
  const [, outbox] = /`Outbox` (\d+\.\d) kB/.exec(text) ?? [];
  expect(said).toBe(
    `${Math.round(sizeOf('records, no lists'))} to ${Math.round(sizeOf('a whole store') + kB(outbox))}`,
  );
});
