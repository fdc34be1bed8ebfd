import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/util/canonical-text.js';

const refuse = (_: object, path: string): never => {
  throw new Error(path);
};
const textOf = (value: unknown): string => canonicalText(value, refuse);

const leaves = fc.oneof(
  fc.constantFrom(null, true, 'true', 'null', '', 0, -0, Number.NaN, 1n, '1n', '1', 1, [], {}, ''),
  fc.string({ maxLength: 3 }),
  fc.integer({ min: -2, max: 2 }),
  fc.date({ min: new Date(0), max: new Date(2), noInvalidDate: true }),
);
const values = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, leaves, fc.array(tie('any'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'a,b'), tie('any'), { maxKeys: 3 }),
})).any;

/** The same value with the members of its objects in the opposite order, and one more that is undefined. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries([['z', undefined], ...members.map(([name, each]) => [name, reordered(each)])]);
}
/** Without the prototypes, which Node compares and the text leaves out. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
};

describe('the canonical text', () => {
  test('is the same for equal values, whatever the order of their members', () =>
    fc.assert(
      fc.property(values, (value) => {
        expect(textOf(reordered(value))).toBe(textOf(value));
      }),
    ));

  test('differs for different values', () =>
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(textOf(a) === textOf(b)).toBe(isDeepStrictEqual(plain(a), plain(b)));
      }),
      { numRuns: 3000 },
    ));

  test('names the place of what has no text', () => {
    expect(() => textOf({ filters: [{ filterFn: () => true }] })).toThrow('filters.0.filterFn');
    expect(() => textOf([new Map()])).toThrow('0');
    expect(textOf(new URL('http://a.test/'))).toBe('JSON("http://a.test/")');
  });
});
