import fc from 'fast-check';
import * as entry from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { Random } from '../faults/random.js';
import { differenceOf, queryOf, readers, tryGrammar } from '../helpers/query-readers/grammar-law.js';

test('a server reads each condition as it was meant, or the query was refused', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      expect(tryGrammar(new Random(seed, 'grammar'))).toBeUndefined();
    }),
    { numRuns: 5000 },
  );
});

test('every dialect of the entry has a reader', () => {
  const names = readers.map(({ dialect }) => dialect.name.replaceAll('-', '').toLowerCase());
  expect(Object.keys(entry).filter((name) => !names.includes(name.toLowerCase()))).toEqual([]);
});

describe.each(readers)('$name', (reader) => {
  const [property] = reader.fields ?? ['city'];
  const operators = reader.operators.filter((each) => each === 'eq' || each === 'contains' || each === 'startsWith');
  const ordinary = ['Ada', 'two words', 'Straße 5', '名前', '2026', 'a-b', 'a.b', ...(reader.finds ?? [])];

  test('sends ordinary texts', () => {
    for (const value of ordinary) {
      const filters = [{ property, operator: 'eq', value }];
      expect(queryOf(reader, filters), value).toBeDefined();
      expect(differenceOf(reader, filters)).toBeUndefined();
    }
    for (const operator of operators)
      expect(queryOf(reader, [{ property, operator, value: 'Ada L' }]), operator).toBeDefined();
  });

  test('sends ordinary lists', () => {
    for (const operator of reader.operators.filter((each) => each === 'in' || each === 'nin')) {
      const filters = [{ property, operator, value: ['Ada', 'Straße 5'] }];
      expect(queryOf(reader, filters), operator).toBeDefined();
      expect(differenceOf(reader, filters)).toBeUndefined();
    }
  });
});
