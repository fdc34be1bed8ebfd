import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as repose from 'repose';
import { beforeAll, expect, test } from 'vitest';
import {
  addedName,
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
const { text } = readPage('docs/reference/sizes.md');
const { text: readme } = readPage('README.md');

/** The sizes of what is added by a name, measured once, because each takes two bundles. */
let imports: Awaited<ReturnType<typeof measureNamed>>;
beforeAll(async () => {
  imports = await measureNamed([...extensions, ...functions, ...values]);
});
const ofImports = (sets: readonly SizedExtension[]) => async () =>
  imports.filter(({ name }) => sets.some((set) => set.name === name));

test('docs/reference/sizes.md shows the measured sizes: `node scripts/update-readme-sizes.mjs` writes them', {
  timeout: 120_000,
}, async () => {
  const rows = tableBelow(text, '## Applications');
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
  { heading: '## Extensions', sets: extensions, measure: ofImports(extensions) },
  { heading: '## Functions', sets: functions, measure: ofImports(functions) },
  { heading: '## Values', sets: values, measure: ofImports(values) },
  {
    heading: '## Bindings and entries',
    sets: [...bindings, ...tools],
    measure: async () => [...(await measureBindings()), ...(await measureTools())],
  },
])('docs/reference/sizes.md shows under $heading what each adds', { timeout: 120_000 }, async (part) => {
  const rows = tableBelow(text, part.heading);
  const measured = await part.measure();
  expect(rows.map(([name]) => name)).toEqual(part.sets.map(addedName));
  for (const [i, { production }] of measured.entries()) expect(around(production.gzip)).toContain(rows[i]?.[1]);
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

const sizeOf = (heading: string, name: string, column: number): number =>
  Number.parseFloat(tableBelow(text, heading).find(([first]) => first === name)?.[column] ?? '');
const applications = (use: string): number => sizeOf('## Applications', use, 2);
const outbox = sizeOf('## Extensions', '`Outbox` of `repose/outbox`', 1);

test('README.md shows sizes of docs/reference/sizes.md, one of them that of its first screen', () => {
  const [, shown = ''] = /<!-- sizes: [^\n]* -->\n(.*)<!-- \/sizes -->/s.exec(readme) ?? [];
  expect(shown.trim().split('\n')).toHaveLength(3);
  expect([...shown.matchAll(/(\d+\.\d) kB/g)].map(([, size]) => Number(size))).toEqual([
    applications('records, no lists'),
    applications('records and lists'),
    applications('the first screen of the README, React apart'),
    sizeOf('## Extensions', '`safeWrites`', 1),
    outbox,
  ]);
  const screen = importSets.find(({ use }) => use === 'the first screen of the README, React apart');
  for (const { imports, from } of [screen, screen?.and].flatMap((each) => each ?? []))
    expect(readme).toContain(`\nimport ${imports} from '${from}';\n`);
});

test('README.md compares with sizes of docs/reference/sizes.md', () => {
  const [, said = ''] = /^\| Kilobytes \| ([^|]+) \|/m.exec(readme) ?? [];
  const [least, most] = [applications('records, no lists'), applications('a whole store') + outbox];
  expect(said).toBe(`${Math.round(least)} to ${Math.round(most)}`);
});

test('docs/reference/errors.md says how much smaller a production build is, and what its texts add', {
  timeout: 120_000,
}, async () => {
  const errors = readPage('docs/reference/errors.md').text;
  const [, smaller] = /for production is over (\d+) kB smaller/.exec(errors) ?? [];
  const saved = tableBelow(text, '## Applications').map(
    ([, , production = '', , , development = '']) => Number.parseFloat(development) - Number.parseFloat(production),
  );
  expect(Math.min(...saved)).toBeGreaterThan(Number(smaller));
  expect(Math.min(...saved)).toBeLessThan(Number(smaller) + 5);
  const [, added] = /It adds about (\d+) kB/.exec(errors) ?? [];
  const [messages] = await measureNamed([{ name: 'messages', from: 'repose/messages', limit: 0 }]);
  expect(Math.round((messages?.production.gzip ?? 0) / 1000)).toBe(Number(added));
});
