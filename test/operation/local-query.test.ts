import { type Filter, UnsupportedQueryError } from 'repose';
import { operatorOf } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { compareValues, createComparator, createPredicate, type ItemReader } from '../../src/operation/local-query.js';
import { activeFilters, toFilters, toGrouper, toSorters } from '../../src/operation/query-parts.js';

type Item = Record<string, unknown>;
const byLength = (a: string, b: string) => a.length - b.length;
const reader: ItemReader<Item> = {
  read: (property) => (item) => item[property],
  compare: (property) => (property === 'word' ? (byLength as never) : undefined),
};
const holds = (filter: object, value: unknown, property = 'x') =>
  createPredicate(toFilters([{ property, ...filter }]), reader)?.({ [property]: value });

describe('compareValues', () => {
  test.each([
    [1, 2],
    ['a', 'b'],
    ['B', 'a'],
    ['10', '9'],
    [new Date(1), new Date(2)],
    [false, true],
    [null, 0],
    [undefined, ''],
    [1n, 2n],
  ])('%o comes before %o', (a, b) => {
    expect([compareValues(a, b), compareValues(b, a)]).toEqual([-1, 1]);
  });

  test.each([
    [1, 1],
    ['a', 'a'],
    [new Date(1), new Date(1)],
    [null, null],
    [null, undefined],
    [undefined, null],
  ])('%o is equal to %o', (a, b) => {
    expect(compareValues(a, b)).toBe(0);
  });
});

test.each([
  [undefined, false],
  [null, true],
  ['', true],
])('`exists` of %o is %o', (value, expected) => {
  expect(holds({ operator: 'exists' }, value)).toBe(expected);
  expect(holds({ operator: 'exists', value: true }, value)).toBe(expected);
  expect(holds({ operator: 'exists', value: false }, value)).toBe(!expected);
});

test('data whose `toString` is no function comes before other data, and matches no text', () => {
  const odd = { toString: 1 };
  for (const each of [odd, [odd]]) {
    expect([compareValues(each, { a: 1 }), compareValues({ a: 1 }, each), compareValues(each, odd)]).toEqual([
      -1, 1, 0,
    ]);
    expect(compareValues('text', each)).toBe(-1);
    expect(holds({ operator: 'like', value: 'o' }, each)).toBe(false);
  }
  expect(compareValues(['a'], ['b'])).toBe(-1);
});

describe('createComparator', () => {
  test('returns undefined without sorters', () => {
    expect(createComparator([], reader)).toBeUndefined();
  });

  test('compares the next property if one is equal, and returns 0 if all are', () => {
    const compare = createComparator(toSorters(['x', { property: 'y', direction: 'desc' }]), reader);
    expect(compare?.({ x: 1, y: 1 }, { x: 2, y: 1 })).toBe(-1);
    expect(compare?.({ x: 1, y: 1 }, { x: 1, y: 2 })).toBe(1);
    expect(compare?.({ x: 1, y: 1 }, { x: 1, y: 1 })).toBe(0);
  });

  test('uses the order of the field, but never for null', () => {
    const compare = createComparator(toSorters(['word']), reader);
    expect(compare?.({ word: 'bb' }, { word: 'a' })).toBe(1);
    expect(compare?.({ word: null }, { word: 'a' })).toBe(-1);
    expect(compare?.({ word: 'a' }, { word: undefined })).toBe(1);
  });
});

describe('createPredicate', () => {
  test('returns undefined without active filters', () => {
    expect(createPredicate([], reader)).toBeUndefined();
    expect(
      createPredicate(activeFilters(toFilters([{ property: 'x', value: 1, disabled: true }])), reader),
    ).toBeUndefined();
  });

  const day = (n: number) => new Date(Date.UTC(2024, 0, n));
  // The operator, its aliases, the value of the filter, then the values that it accepts and refuses.
  test.each<[string, string[], unknown, unknown[], unknown[]]>([
    ['eq', ['=', '==', '==='], 3, [3], [4, '3', null, undefined]],
    ['eq', ['='], null, [null, undefined], [0, '', false]],
    ['eq', [], day(1), [day(1)], [day(2), null]],
    ['eq', [], ['a'], [['a']], [['b'], 'a']],
    ['ne', ['!=', '!==', '/='], 3, [4, '3', null, undefined], [3]],
    ['ne', [], null, [0, ''], [null, undefined]],
    ['lt', ['<'], 3, [2, -1], [3, 4, null, undefined]],
    ['le', ['<=', 'lte'], 3, [2, 3], [4, null, undefined]],
    ['gt', ['>'], 3, [4], [3, 2, null, undefined]],
    ['ge', ['>=', 'gte'], 3, [3, 4], [2, null, undefined]],
    ['gt', [], day(2), [day(3)], [day(2), day(1), null]],
    ['ge', [], 'b', ['b', 'c'], ['a', 'B']],
    ['in', [], [1, null], [1, null], [2, '1']],
    ['in', [], 1, [1], [2]],
    ['in', [], [], [], [1, null]],
    ['nin', ['notin'], [1, 2], [3, null], [1, 2]],
    ['nin', [], 1, [2], [1]],
    ['between', [], [2, 4], [2, 3, 4], [1, 5, null, undefined]],
    ['between', [], [day(1), day(3)], [day(1), day(2), day(3)], [day(4)]],
    ['isNull', [], true, [null, undefined], [0, '', false]],
    ['isNull', [], undefined, [null, undefined], [0]],
    ['isNull', [], false, [0, '', false], [null, undefined]],
    ['contains', [], 'ob', ['Bob', 'ob'], ['BOB', 'b', null, undefined]],
    ['contains', [], 1, [10, '21'], [2]],
    ['startsWith', [], 'Bo', ['Bob'], ['bob', 'aBo', null]],
    ['endsWith', [], 'ob', ['Bob'], ['oba', 'BOB', null]],
    ['like', [], 'OB', ['Bob', 'robot'], ['b', null, undefined]],
  ])('%s, also %o, with %o', (operator, aliases, value, accepted, refused) => {
    for (const name of [operator, ...aliases, ...(operator === 'eq' ? [undefined] : [])]) {
      const filter = { operator: name, value };
      for (const each of accepted)
        expect({ name, each, holds: holds(filter, each) }).toEqual({ name, each, holds: true });
      for (const each of refused)
        expect({ name, each, holds: holds(filter, each) }).toEqual({ name, each, holds: false });
    }
  });

  test('compares by the order of the field if it has one, also for equality', () => {
    const word = (operator: string, value: unknown) =>
      ['a', 'b', 'cc', null].filter((each) => holds({ operator, value }, each, 'word'));
    expect(word('eq', 'x')).toEqual(['a', 'b']);
    expect(word('ne', 'x')).toEqual(['cc', null]);
    expect(word('in', ['xx', null])).toEqual(['cc', null]);
    expect(word('nin', ['xx'])).toEqual(['a', 'b', null]);
    expect(word('gt', 'x')).toEqual(['cc']);
    expect(word('between', ['xx', 'xxx'])).toEqual(['cc']);
    expect(word('eq', null)).toEqual([null]);
  });

  test('refuses an unknown operator before any item is checked', () => {
    for (const operator of ['almost', 'toString', '__proto__', ''])
      expect(() => holds({ operator, value: 1 }, 1)).toThrow(UnsupportedQueryError);
  });
});

describe('operatorOf', () => {
  test('returns the canonical name, eq by default, and undefined for an unknown operator', () => {
    const names = [undefined, 'eq', '<=', 'notin', 'like', 'constructor', 'isnull'];
    expect(names.map((operator) => operatorOf({ operator } as Filter))).toEqual([
      'eq',
      'eq',
      'le',
      'nin',
      'like',
      undefined,
      undefined,
    ]);
  });
});

describe('sorters, filters and groupers', () => {
  test('stay the same objects if they are in the normal form', () => {
    const sideways = () => toSorters([{ property: 'a', direction: 'sideways' }]);
    expect(sideways).toThrow("a sort direction must be ASC or DESC, not 'sideways'");
    const sorters = toSorters(['a', { property: 'b', direction: 'desc' }]);
    expect(toSorters(sorters)).toBe(sorters);
    const filters = toFilters([{ property: 'a', value: 1 }, { or: [{ property: 'b', value: 2 }] }, () => true]);
    expect(toFilters(filters)).toBe(filters);
    expect(filters[2]).toEqual({ filterFn: expect.any(Function) });
  });

  test('that are frozen in another form are copied into the normal form', () => {
    const frozen = Object.freeze([
      Object.freeze({ property: 'a', direction: 'desc' }),
      Object.freeze({ property: 'b' }),
    ]);
    expect(toSorters(frozen)).toEqual([
      { property: 'a', direction: 'DESC' },
      { property: 'b', direction: 'ASC' },
    ]);
    expect(toSorters(Object.freeze(['a']))).toEqual([{ property: 'a', direction: 'ASC' }]);
  });

  test('keep the operator as it was given', () => {
    expect(toFilters([{ property: 'a', operator: '>=', value: 1 }])[0]?.operator).toBe('>=');
  });

  test('have no members that were not given', () => {
    expect(toGrouper({ property: 'a', direction: 'desc' })).toEqual({
      property: 'a',
      direction: 'DESC',
    });
    expect(Object.keys(toFilters([{ property: 'a', operator: 'isNull' }])[0] as object)).toEqual([
      'property',
      'operator',
    ]);
  });
});
