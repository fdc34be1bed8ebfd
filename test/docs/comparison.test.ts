import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { readPage, root, tableBelow } from './markdown.js';

/** A cell of the table with its evidence: a test, a page that says the same, or a page that would name the feature and does not. */
interface Cell {
  readonly says: string;
  readonly test?: readonly [file: string, title: string];
  readonly source?: string;
  readonly absentFrom?: string;
  readonly licenceOf?: string;
}

interface Comparison {
  readonly peers: Readonly<Record<string, { readonly version: string; readonly licence: string }>>;
  readonly sources: Readonly<Record<string, { readonly page: string; readonly date: string }>>;
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell>>>>;
}

const comparison: Comparison = JSON.parse(readFileSync(path.join(root, 'bench/comparison.json'), 'utf8'));
const { text } = readPage('README.md');
const [, ...columns] = (/^\| \| Repose \|.*$/m.exec(text)?.[0] ?? '')
  .split('|')
  .slice(1, -1)
  .map((cell) => cell.trim());
const table = tableBelow(text, '## Who it is for');
const cells = Object.entries(comparison.cells);
const all = cells.flatMap(([row, byColumn]) =>
  Object.entries(byColumn).map(([column, cell]) => ({ name: `${row}, ${column}`, column, cell })),
);

describe('the comparison in README.md', () => {
  test('says in each cell what bench/comparison.json says; the last row has the measured sizes', () => {
    expect(columns).toHaveLength(6);
    expect(table.slice(0, -1)).toEqual(cells.map(([row, by]) => [row, ...columns.map((column) => by[column]?.says)]));
    expect(table.at(-1)?.[0]).toBe('Kilobytes');
  });

  test.each(all.filter(({ column }) => column === 'Repose'))('has a test for $name', ({ cell }) => {
    if (cell.licenceOf) return expect(manifest).toMatchObject({ name: cell.licenceOf, license: cell.says });
    const [file = '', title = ''] = cell.test ?? [];
    expect(readFileSync(path.join(root, file), 'utf8')).toContain(title);
  });

  test.each(all.filter(({ column }) => column !== 'Repose'))('has a dated source for $name', ({ cell }) => {
    if (cell.licenceOf) {
      const peer = comparison.peers[cell.licenceOf];
      return expect(peer).toMatchObject({ licence: cell.says, version: expect.stringMatching(/^\d/) });
    }
    const { page, date = '' } = comparison.sources[cell.source ?? cell.absentFrom ?? ''] ?? {};
    expect(page).toMatch(/^https:\/\//);
    expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    expect(cell.source === undefined).toBe(cell.absentFrom !== undefined);
  });

  test('uses each of its sources', () => {
    const used = all.flatMap(({ cell }) => cell.source ?? cell.absentFrom ?? []);
    expect([...new Set(used)].sort()).toEqual(Object.keys(comparison.sources).sort());
  });
});
