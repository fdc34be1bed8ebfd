import { expect, test } from 'vitest';
import { plainOf, plainValues } from '../../src/devtools/plain-values.js';

test('copies values that JSON cannot carry as texts', () => {
  const cycle: Record<string, unknown> = { id: 1 };
  cycle['self'] = cycle;
  Object.defineProperty(cycle, 'wrong', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  expect(plainOf(cycle)).toEqual({ id: 1, self: '(cycle)', wrong: '(not readable)' });
  expect(plainOf([1n, Number.NaN, undefined, () => 1, Symbol('s'), new Date(0), new Date(Number.NaN)])).toEqual([
    ...['1', 'NaN', null, '(function)', '(symbol)', '1970-01-01T00:00:00.000Z', 'Invalid Date'],
  ]);
  expect(plainOf(new Map([['a', 1]]))).toEqual([['a', 1]]);
  expect(plainOf(new File(['abc'], 'sea.jpg'))).toBe('(sea.jpg, 3 bytes)');
});

test('cuts long texts, long lists and many members, and says so', () => {
  expect(plainOf('x'.repeat(20_000))).toMatch(/^x{10000}… \(20000 characters\)$/);
  expect((plainOf(Array.from({ length: 300 }, () => 1)) as string[]).at(-1)).toBe('… 100 more');
  const members = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`m${at}`, at]));
  expect(plainValues(members)).toMatchObject({ '…': '100 more members' });
});

test('survives a toJSON that throws, and a proxy that refuses everything', () => {
  const thrower = {
    toJSON() {
      throw new Error('no');
    },
  };
  const refuse = () => {
    throw new Error('no');
  };
  expect(plainOf(thrower)).toBe('(not readable)');
  expect(plainOf(new Proxy({}, { ownKeys: refuse, get: refuse, getPrototypeOf: refuse }))).toBe('(not readable)');
  expect(plainValues(thrower)).toEqual({});
});
