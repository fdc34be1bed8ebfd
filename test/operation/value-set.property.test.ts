import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareDecimals } from '../../src/model/decimals.js';
import { createPredicate, type ItemReader, orderOf } from '../../src/operation/local-query.js';
import { toFilters } from '../../src/operation/query-parts.js';
import { LongNumber } from '../../src/util/long-number.js';
import { isSame } from '../../src/util/values.js';

type Compare = (a: string, b: string) => number;

class Money {
  constructor(readonly cents: number) {}
}
const shared = new Money(5);

const scalar = fc.oneof(
  fc.constantFrom<unknown>(0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '0', '', 'a', '1', true, false),
  fc.constantFrom<unknown>(null, undefined, 1n, 0n, Symbol.iterator, shared, new Money(5)),
  fc
    .constantFrom('9007199254740992', '9007199254740993', '1e400', '-0', '0.1234567890123456789')
    .map((digits) => new LongNumber(digits)),
  fc.constantFrom(0, 1, Number.NaN).map((time) => new Date(time)),
  fc.constantFrom('1.0', '1.00', '01', '-0', '+0', '0.0', '-1', '10', '1.10', 'x', '1.2.3'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 2 }),
  ),
}));

/** Equality by comparing with one item after the other, as filters have always defined it. */
function isInList(list: readonly unknown[], given: unknown, compare: Compare | undefined): boolean {
  const order = orderOf(compare as never);
  return list.some(
    (each) => given === each || (compare ? order(given, each) === 0 : isSame(given ?? null, each ?? null)),
  );
}

const isSymbol = (each: unknown) => typeof each === 'symbol';
const comparers: readonly (readonly [string, Compare | undefined, (each: unknown) => boolean])[] = [
  ['values', undefined, () => true],
  // Symbols have no order, and filters write numbers as texts where texts are compared.
  ['decimals', compareDecimals, (each) => !isSymbol(each) && typeof each !== 'number'],
  [
    'texts in the order of their lengths',
    (a, b) => a.length - b.length,
    (each) => !isSymbol(each) && typeof each !== 'number',
  ],
];

test.each(comparers)('`in` and `nin` find %s as a comparison with each item does', (_, compare, accepts) => {
  const reader: ItemReader<{ readonly x: unknown }> = { read: () => (item) => item.x, compare: () => compare as never };
  fc.assert(
    fc.property(fc.array(value, { maxLength: 8 }), value, fc.nat(), (all, other, pick) => {
      const list = all.filter((each) => each !== undefined && accepts(each));
      const given = list.length > 0 && pick % 2 === 0 ? list[pick % list.length] : other;
      if (isSymbol(given) && compare) return;
      const filtersOf = (operator: string) => toFilters([{ property: 'x', operator, value: list }]);
      const test = (operator: string) => createPredicate(filtersOf(operator), reader)?.({ x: given });
      // A filter has a copy of the list, in which objects without a prototype have one.
      const copied = filtersOf('in')[0]?.value as readonly unknown[];
      const expected = isInList(copied, given, compare);
      expect([test('in'), test('nin')]).toEqual([expected, !expected]);
    }),
    { numRuns: 3000 },
  );
});
