import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareValues } from '../../src/operation/local-query.js';
import { type Column, readColumn, sortByColumns } from '../../src/store/columns.js';

const value = fc.oneof(
  fc.constantFrom(null, undefined, Number.NaN, 0, -0, 1, '1', '', 'a', 'B', true, new Date(0), new Date(1), 10n),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true }),
  fc.string({ maxLength: 3 }),
);

const columnOf = <T>(items: readonly T[], read: (item: T) => unknown): Column =>
  readColumn([items.slice(0, 2), items.slice(2)], items.length, read) as Column;

test('sorting by columns gives the same order as comparing value by value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value, value), { maxLength: 200 }),
      fc.array(fc.tuple(fc.nat({ max: 2 }), fc.boolean()), { maxLength: 3 }),
      (rows, keys) => {
        const columns = keys.map(([key, descending]) => ({
          column: columnOf(rows, (row) => row[key]),
          descending,
        }));
        const order = (a: number, b: number) => {
          for (const [key, descending] of keys) {
            const found = compareValues(rows[a]?.[key], rows[b]?.[key]);
            if (found !== 0) return descending ? -found : found;
          }
          return a - b;
        };
        const indices = rows.map((_, i) => i);
        const given = Uint32Array.from(indices);
        const sorted = sortByColumns(given, columns);
        expect([...sorted.indices]).toEqual([...indices].sort(order));
        expect([...given]).toEqual(indices);
        // The entry of a value in the first column is equal to the value.
        const [strongest] = keys;
        if (!strongest) return;
        expect(sorted.keys).toHaveLength(rows.length);
        for (const [at, index] of sorted.indices.entries())
          expect(compareValues(sorted.keys[at], rows[index]?.[strongest[0]])).toBe(0);
      },
    ),
  );
});

test('the order of values is total, whatever the values are', () => {
  fc.assert(
    fc.property(value, value, value, (a, b, c) => {
      expect(Math.sign(compareValues(a, b))).toBe(-Math.sign(compareValues(b, a)) || 0);
      if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) expect(compareValues(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});

test('values that a collator compares as equal are equal', () => {
  const { compare } = new Intl.Collator('de', { sensitivity: 'base' });
  const words = ['b', 'Ä', 'a', 'B', null];
  const column = columnOf(words, (word) => word);
  const { rankOf, values } = column.ranks((a, b) =>
    a === null || b === null ? compareValues(a, b) : compare(String(a), String(b)),
  );
  expect([...column.codes].map((code) => rankOf[code])).toEqual([2, 1, 1, 2, 0]);
  expect(values).toEqual([null, 'Ä', 'b']);
});
